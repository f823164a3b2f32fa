package org.spillway.image.recipe;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.spillway.image.ImageRefused;
import org.spillway.image.posix.Posix;
import org.spillway.image.recipe.Recipe.Base;
import org.spillway.image.store.VersionRecord;
import org.spillway.image.store.VersionStore;
import org.spillway.image.store.VersionStore.Captured;
import org.spillway.image.store.Watch;
import org.spillway.stage.Sha256;

/** Makes a version of a recipe. What fails half-way leaves neither a version nor a moved tag. */
public final class ImageBuild {
    private static final String DOWNLOAD = "/usr/lib/apt/apt-helper";

    private final VersionStore store;
    private final Watch watch;
    private final Instant now;

    public ImageBuild(VersionStore store, Watch watch, Instant now) {
        this.store = store;
        this.watch = watch;
        this.now = now;
    }

    /** @param made whether it is new; else the one that the same recipe had made before */
    public record Built(VersionRecord version, boolean made) {}

    /**
     * Builds it, unless a version is there that was made of the same.
     *
     * @param again to build it in any case
     * @param tags to move to it, when all is well
     */
    public Built build(Recipe recipe, boolean again, List<String> tags) throws IOException, InterruptedException {
        Path work = store.workFolder();
        try {
            Built built;
            if (recipe.base() instanceof Base.Folder folder) {
                try (Captured base = store.capture(folder.tree(), true, now, watch)) {
                    String made = digest(recipe, base.manifest().checksum().sha256());
                    Optional<VersionRecord> before = again ? Optional.empty() : store.madeOf(recipe.name(), made);
                    if (before.isPresent()) {
                        built = new Built(before.get(), false);
                    } else if (recipe.isBaseAlone()) {
                        built = new Built(tested(recipe, base, folder.tree(), made), true);
                    } else {
                        Path tree = work.resolve("tree");
                        watch.at(Watch.Phase.RUNNING, 0, steps(recipe));
                        Inside.run(
                                List.of(
                                        "cp",
                                        "-R",
                                        "--no-dereference",
                                        "--sparse=auto",
                                        "--reflink=auto",
                                        "--preserve=mode,ownership,timestamps,links,xattr",
                                        folder.tree() + "/.",
                                        tree.toString()),
                                "cp of the base " + folder.tree());
                        built = new Built(changed(recipe, tree, made), true);
                    }
                }
            } else {
                built = debian(recipe, (Base.Debian) recipe.base(), work, again);
            }
            for (String tag : tags) {
                store.tag(built.version(), tag);
            }
            return built;
        } finally {
            store.discard(work);
        }
    }

    private Built debian(Recipe recipe, Base.Debian base, Path work, boolean again)
            throws IOException, InterruptedException {
        String made = digest(recipe, release(base, work));
        Optional<VersionRecord> before = again ? Optional.empty() : store.madeOf(recipe.name(), made);
        if (before.isPresent()) {
            return new Built(before.get(), false);
        }
        Path tree = work.resolve("tree");
        var command = new ArrayList<>(List.of(
                "setpriv",
                "--pdeathsig",
                "KILL",
                "mmdebstrap",
                "--quiet",
                "--mode=root",
                "--format=directory",
                "--variant=" + base.variant()));
        if (!base.packages().isEmpty()) {
            command.add("--include=" + String.join(",", base.packages()));
        }
        command.addAll(List.of(base.suite(), tree.toString(), base.mirror()));
        watch.at(Watch.Phase.RUNNING, 0, steps(recipe));
        Inside.run(command, "mmdebstrap (Debian's package of that name) of " + base.suite());
        return new Built(changed(recipe, tree, made), true);
    }

    private static int steps(Recipe recipe) {
        return 1
                + recipe.files().size()
                + (recipe.packages().isEmpty() ? 0 : 1)
                + recipe.scripts().size();
    }

    private VersionRecord changed(Recipe recipe, Path tree, String made) throws IOException, InterruptedException {
        int done = 1;
        int all = steps(recipe);
        try (var posix = new Posix()) {
            for (var addition : recipe.files()) {
                Additions.put(posix, tree, addition);
                watch.at(Watch.Phase.RUNNING, done++, all);
            }
        }
        if (!recipe.packages().isEmpty()) {
            Inside.run(tree, Inside.Kind.PACKAGES, String.join(" ", recipe.packages()), "apt-get in the tree");
            watch.at(Watch.Phase.RUNNING, done++, all);
        }
        int number = 0;
        for (String script : recipe.scripts()) {
            Inside.run(tree, Inside.Kind.SCRIPT, script, "script " + ++number + " of the recipe");
            watch.at(Watch.Phase.RUNNING, done++, all);
        }
        try (Captured captured = store.capture(tree, false, now, watch)) {
            return tested(recipe, captured, tree, made);
        }
    }

    private VersionRecord tested(Recipe recipe, Captured captured, Path tree, String made)
            throws IOException, InterruptedException {
        for (String command : recipe.smoke()) {
            Inside.run(tree, Inside.Kind.SMOKE, command, "the smoke command '" + command.strip() + "'");
        }
        return store.keep(captured, recipe.name(), made, now, watch);
    }

    /** The state of a mirror, so that an upgrade of a package is a change; a new one each time where nobody can say. */
    private static String release(Base.Debian base, Path work) throws IOException, InterruptedException {
        Path file = work.resolve("InRelease");
        try {
            Inside.run(
                    List.of(
                            DOWNLOAD,
                            "download-file",
                            base.mirror().replaceAll("/+$", "") + "/dists/" + base.suite() + "/InRelease",
                            file.toString()),
                    "the look at the mirror");
            return sha256(file);
        } catch (ImageRefused unknown) {
            return UUID.randomUUID().toString();
        }
    }

    /** All that the version comes of, as one digest. */
    private static String digest(Recipe recipe, String base) throws IOException {
        var digest = Sha256.digest();
        add(digest, "spillway-recipe-1", recipe.name(), base);
        if (recipe.base() instanceof Base.Debian debian) {
            add(digest, debian.suite(), debian.mirror(), debian.variant(), String.join(" ", debian.packages()));
        }
        for (var file : recipe.files()) {
            add(digest, "file", file.to(), file.mode() + " " + file.uid() + " " + file.gid());
            for (Path one : Additions.all(file.from())) {
                boolean regular = Files.isRegularFile(one, java.nio.file.LinkOption.NOFOLLOW_LINKS);
                String link =
                        Files.isSymbolicLink(one) ? Files.readSymbolicLink(one).toString() : "";
                String mode =
                        String.valueOf(Files.getAttribute(one, "unix:mode", java.nio.file.LinkOption.NOFOLLOW_LINKS));
                add(digest, file.from().relativize(one).toString(), mode, link, regular ? sha256(one) : "");
            }
        }
        add(digest, "packages", String.join(" ", recipe.packages()));
        recipe.scripts().forEach(script -> add(digest, "script", script));
        recipe.smoke().forEach(command -> add(digest, "smoke", command));
        return Sha256.checksum(0, digest).sha256();
    }

    private static String sha256(Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            return Sha256.of(in, java.io.OutputStream.nullOutputStream()).sha256();
        }
    }

    private static void add(MessageDigest digest, String... words) {
        for (String word : words) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
            digest.update(bytes);
        }
    }
}
