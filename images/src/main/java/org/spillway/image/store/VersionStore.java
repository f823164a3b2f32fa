package org.spillway.image.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.spillway.image.ImageRefused;
import org.spillway.image.ImageVersion;
import org.spillway.image.posix.Posix;
import org.spillway.image.tree.Difference;
import org.spillway.image.tree.Entry;
import org.spillway.image.tree.Entry.Kind;
import org.spillway.image.tree.Manifest;
import org.spillway.image.tree.RawName;
import org.spillway.image.tree.RootNeeds;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;

/**
 * Versions of images on disk, in use: nothing of it is collected until it is closed. Several processes may have it open.
 * For one thread.
 */
public final class VersionStore implements AutoCloseable {
    /** The tag that every build moves. */
    public static final String LATEST = "latest";

    private static final int MOST_LIST_BYTES = 64 * 1024 * 1024;

    private final Layout layout;
    private final Seal seal;
    private final Blobs blobs;
    private final Posix posix = new Posix();
    private final Roots roots;
    private final int lock;

    private VersionStore(Layout layout, Seal seal) throws IOException {
        this.layout = layout;
        this.seal = seal;
        this.blobs = new Blobs(layout.folder());
        this.roots = new Roots(layout, posix, seal);
        this.lock = posix.open(Posix.raw(layout.lock()));
        // Leftovers of a killed build go, when nobody builds now.
        if (posix.lock(lock, Posix.Lock.ALONE_NOW)) {
            Collection.removeUnfinished(layout);
        }
        posix.lock(lock, Posix.Lock.SHARED);
    }

    /** @param folder is made when absent; waits while it is collected */
    public static VersionStore open(Path folder, Seal seal) throws IOException {
        var layout = new Layout(folder.toAbsolutePath().normalize());
        layout.make();
        return new VersionStore(layout, seal);
    }

    @Override
    public void close() {
        posix.close(lock);
        posix.close();
    }

    /** A tree that was read, and is no version yet: it goes when this is closed without having been kept. */
    public static final class Captured implements AutoCloseable {
        private final Manifest manifest;
        private final Staging staging;

        Captured(Manifest manifest, Staging staging) {
            this.manifest = manifest;
            this.staging = staging;
        }

        public Manifest manifest() {
            return manifest;
        }

        @Override
        public void close() throws IOException {
            staging.close();
        }
    }

    /**
     * Reads a tree into the store.
     *
     * @param lasting whether it stays where it is, so that its files need not be read the next time
     * @throws ImageRefused if something is mounted in it, or it changes meanwhile
     */
    public Captured capture(Path tree, boolean lasting, Instant now, Watch watch) throws IOException {
        Path real = tree.toRealPath();
        if (layout.folder().toRealPath().startsWith(real)) {
            throw new ImageRefused(layout.folder() + " is inside of " + tree + ", which it should hold");
        }
        var digest = Sha256.digest();
        digest.update(real.toString().getBytes(StandardCharsets.UTF_8));
        KnownContents known =
                KnownContents.read(layout.known(Sha256.checksum(0, digest).sha256()), now);
        var staging = new Staging(posix, blobs, known, layout.temporary());
        try {
            TreeReader.Found found = TreeReader.read(posix, real, staging, watch);
            if (!found.mounted().isEmpty()) {
                throw new ImageRefused("something is mounted at " + real + "/"
                        + RawName.shown(found.mounted().getFirst())
                        + "; a tree is taken from one file system only: unmount it, or make a copy");
            }
            if (lasting) {
                known.write(layout.temporary());
            }
            return new Captured(found.manifest(), staging);
        } catch (IOException | RuntimeException failed) {
            staging.close();
            throw failed;
        }
    }

    /** Makes a version of a tree; the same tree under the same name is the same one. */
    public VersionRecord keep(Captured captured, String name, String recipe, Instant now, Watch watch)
            throws IOException {
        captured.staging.keep(watch);
        byte[] text = captured.manifest().text();
        Checksum checksum = captured.manifest().checksum();
        if (!Files.exists(layout.manifest(checksum.sha256()))) {
            Durable.write(layout.manifest(checksum.sha256()), text, layout.temporary());
        }
        watch.at(Watch.Phase.KEEPING, 0, 0);
        String signature = seal.sign(ImageVersion.signedTree(name, checksum));
        var record = new VersionRecord(name, checksum, signature, now, recipe);
        Files.createDirectories(layout.versions(name));
        Durable.write(layout.versions(name).resolve(checksum.sha256()), record.text(), layout.temporary());
        watch.at(Watch.Phase.KEEPING, 0, 0);
        return record;
    }

    /** Moves a tag to a version of its image. */
    public void tag(VersionRecord version, String tag) throws IOException {
        Reference.checkTag(tag);
        Files.createDirectories(layout.tags(version.name()));
        Durable.write(
                layout.tags(version.name()).resolve(tag),
                (version.digest() + "\n").getBytes(StandardCharsets.US_ASCII),
                layout.temporary());
    }

    /** All versions, by name and then from the last made to the first. */
    public List<VersionRecord> versions() throws IOException {
        var all = new ArrayList<VersionRecord>();
        for (String name : Collection.names(layout.folder().resolve("versions"))) {
            for (String digest : Collection.names(layout.versions(name))) {
                all.add(record(name, digest));
            }
        }
        all.sort(Comparator.comparing(VersionRecord::name)
                .thenComparing(VersionRecord::made, Comparator.reverseOrder())
                .thenComparing(VersionRecord::digest));
        return all;
    }

    private VersionRecord record(String name, String digest) throws IOException {
        Path file = layout.versions(name).resolve(digest);
        VersionRecord record =
                VersionRecord.parse(Files.readString(file, StandardCharsets.ISO_8859_1), file.toString());
        if (!record.name().equals(name) || !record.digest().equals(digest)) {
            throw new ImageRefused(file + " is the record of another version");
        }
        return record;
    }

    /** Tags of an image with the digest of the version that each names. */
    public SortedMap<String, String> tags(String name) throws IOException {
        var tags = new TreeMap<String, String>();
        for (String tag : Collection.names(layout.tags(name))) {
            tags.put(
                    tag,
                    Files.readString(layout.tags(name).resolve(tag), StandardCharsets.ISO_8859_1)
                            .strip());
        }
        return tags;
    }

    /** @throws ImageRefused if there is no such version, or more than one */
    public VersionRecord find(Reference reference) throws IOException {
        List<VersionRecord> named = versions().stream()
                .filter(one -> one.name().equals(reference.name()))
                .toList();
        if (named.isEmpty()) {
            throw new ImageRefused("there is no image '" + reference.name() + "'; 'spillway image list' shows all");
        }
        String digest = reference.digest();
        if (digest.isEmpty()) {
            digest = tags(reference.name()).getOrDefault(reference.tag(), "");
            if (digest.isEmpty()) {
                throw new ImageRefused("the image " + reference.name() + " has no tag '" + reference.tag() + "'");
            }
        }
        String wanted = digest;
        List<VersionRecord> found =
                named.stream().filter(one -> one.digest().startsWith(wanted)).toList();
        if (found.size() != 1) {
            throw new ImageRefused("the image " + reference.name() + " has "
                    + (found.isEmpty() ? "no version" : "several versions") + " whose digest begins with " + wanted);
        }
        return found.getFirst();
    }

    /** The version that was made of the same, if there is one and none of its contents was put aside. */
    public Optional<VersionRecord> madeOf(String name, String recipe) throws IOException {
        for (VersionRecord one : versions()) {
            if (one.name().equals(name)
                    && one.recipe().equals(recipe)
                    && manifest(one).entries().stream()
                            .allMatch(file ->
                                    file.kind() != Kind.FILE || file.size() == 0 || blobs.has(file.content()))) {
                return Optional.of(one);
            }
        }
        return Optional.empty();
    }

    /** @throws ImageRefused if the head has not signed it, or its text is not what was signed */
    public Manifest manifest(VersionRecord version) throws IOException {
        if (!seal.holds(ImageVersion.signedTree(version.name(), version.manifest()), version.signature())) {
            throw new ImageRefused("the signature of " + version.name() + "@" + version.digest()
                    + " is not this head's: nothing of it is used");
        }
        byte[] text;
        try {
            text = Files.readAllBytes(layout.manifest(version.digest()));
        } catch (NoSuchFileException lost) {
            throw new ImageRefused("the store has lost the manifest of " + version.name() + "@" + version.digest());
        }
        var digest = Sha256.digest();
        digest.update(text);
        if (!Sha256.checksum(text.length, digest).equals(version.manifest())) {
            throw new ImageRefused(
                    "the manifest of " + version.name() + "@" + version.digest() + " has rotted in the store");
        }
        return Manifest.parse(text);
    }

    /** The file with the version's manifest, whose digest is the version's; nothing of it is read. */
    public Path manifestFile(String digest) {
        return layout.manifest(digest);
    }

    /** Writes a version's tree. @param to absent, or an empty folder */
    public void checkout(VersionRecord version, Path to, Watch watch) throws IOException {
        TreeWriter.write(posix, manifest(version), blobs, to, watch);
    }

    /** The version as a file system, if one has been made of it and lies there; its bytes are not read. */
    public Optional<RootRecord> madeRoot(VersionRecord version) throws IOException {
        return roots.made(version);
    }

    /**
     * The same, made when it is not there: writes all of the tree and reads it twice.
     *
     * @throws ImageRefused if no job could live in it, it has rotted, this is another user than root, or a program is missing
     */
    public RootRecord root(VersionRecord version, Watch watch) throws IOException, InterruptedException {
        Manifest tree = manifest(version);
        Optional<String> lack = RootNeeds.lack(tree);
        if (lack.isPresent()) {
            throw new ImageRefused(version.name() + "@" + version.digest() + " is no root for jobs: " + lack.get());
        }
        Optional<RootRecord> made = roots.made(version);
        if (made.isPresent()) {
            return made.get();
        }
        if (!Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
            throw new ImageRefused("only root can give a tree its owners; run the head as root");
        }
        Path work = workFolder();
        try {
            TreeWriter.write(posix, tree, blobs, work.resolve("tree"), watch);
            return roots.make(version, work.resolve("tree"), work);
        } finally {
            discard(work);
        }
    }

    /** Reads all of a file system. @return whether it is what was signed; one that is not goes, and is made again */
    public boolean isWhole(RootRecord root) throws IOException {
        return roots.isWhole(root);
    }

    /** @param mounted paths that were not looked into, since something else is mounted there */
    public record Drift(List<Difference> differences, List<String> mounted) {}

    /** Compares a tree with a version, file by file. */
    public Drift drift(VersionRecord version, Path tree, Watch watch) throws IOException {
        Manifest wanted = manifest(version);
        TreeReader.Found found = TreeReader.read(posix, tree, (file, facts) -> SparseCopy.digest(posix, file), watch);
        return new Drift(
                Difference.between(
                        wanted,
                        found.manifest(),
                        path -> found.mounted().stream()
                                .anyMatch(mount -> path.equals(mount) || path.startsWith(mount + "/"))),
                found.mounted());
    }

    /** Reads all of a version in the store. @return what is wrong with it, and will be missing in a checkout */
    public List<String> rotten(VersionRecord version, Watch watch) throws IOException {
        Manifest manifest = manifest(version);
        var wrong = new ArrayList<String>();
        long done = 0;
        for (Entry entry : manifest.entries()) {
            if (entry.kind() == Kind.FILE && entry.size() > 0) {
                try {
                    blobs.copy(posix, entry.content(), -1, "", RawName.shown(entry.path()));
                } catch (ImageRefused rot) {
                    wrong.add(rot.getMessage());
                }
                done += entry.size();
                watch.at(Watch.Phase.READING, done, manifest.bytes());
            }
        }
        return wrong;
    }

    /** A small text file of a version; empty when it is none. */
    public String text(Entry file) throws IOException {
        if (file.kind() != Kind.FILE || file.size() == 0 || file.size() > MOST_LIST_BYTES) {
            return "";
        }
        return Files.readString(blobs.at(file.content()), StandardCharsets.ISO_8859_1);
    }

    /** A new folder for what is made on the way, on the store's disk; the caller removes it by {@link #discard}. */
    public Path workFolder() throws IOException {
        return Files.createTempDirectory(layout.temporary(), "work-");
    }

    /** Removes a folder with all in it. */
    public void discard(Path work) throws IOException {
        Durable.delete(work);
    }

    /** Says which versions no collection removes, with tag or without, in place of those of which that was said before. */
    public void hold(List<Reference> exact) throws IOException {
        String lines = exact.stream()
                .map(one -> one.name() + "@" + one.digest() + "\n")
                .sorted()
                .collect(Collectors.joining());
        Durable.write(layout.held(), lines.getBytes(StandardCharsets.US_ASCII), layout.temporary());
    }

    /**
     * Removes what no version names, and nothing while a build or another user is at work.
     *
     * @param wanted versions that are no less wanted than those with a tag, as far as they are there
     */
    public static Collection collect(Path folder, boolean untagged, List<Reference> wanted, boolean dry)
            throws IOException {
        var layout = new Layout(folder.toAbsolutePath().normalize());
        layout.make();
        try (var posix = new Posix()) {
            int lock = posix.open(Posix.raw(layout.lock()));
            try {
                if (!posix.lock(lock, Posix.Lock.ALONE_NOW)) {
                    throw new ImageRefused("a build, a checkout or a verification uses " + folder
                            + " now; nothing was removed: try again when it is over");
                }
                List<Reference> all = new ArrayList<>(wanted);
                all.addAll(Collection.held(layout));
                return Collection.of(layout, untagged, all, dry);
            } finally {
                posix.close(lock);
            }
        }
    }
}
