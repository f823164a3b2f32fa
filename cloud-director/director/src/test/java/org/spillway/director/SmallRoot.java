package org.spillway.director;

import java.nio.file.Files;
import java.nio.file.Path;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.director.wire.Directive.Root;

/** A small tree as a signed erofs in a region. */
final class SmallRoot {
    private SmallRoot() {}

    /** Made, signed and in the site's staging space, as a version whose digest is made up of one letter. */
    static ImageGrant staged(TestSite site, Path tree, char letter) throws Exception {
        Path file = tree.resolveSibling(tree.getFileName() + ".erofs");
        SmallTree.run("mkfs.erofs", "--quiet", "-zlz4hc", "-T0", file.toString(), tree.toString());
        byte[] bytes = Files.readAllBytes(file);
        String sha = site.stage("images/z", bytes);
        Files.move(site.folder.resolve("state/store/images/z"), stored(site, sha));
        return granted(site, sha, bytes.length, String.valueOf(letter).repeat(64));
    }

    /** A grant with the head's signature, whether or not there is such a file. */
    static ImageGrant granted(TestSite site, String sha, long bytes, String version) throws Exception {
        String signature = site.authority.sign(
                "spillway-root-1\ncompute\n" + version + "\n" + sha + "\n" + bytes + "\n- " + bytes + "\n");
        return new ImageGrant("compute", sha, bytes, signature, new Root(version, "-", bytes));
    }

    static Path stored(TestSite site, String sha) {
        return site.folder.resolve("state/store/images").resolve(sha);
    }
}
