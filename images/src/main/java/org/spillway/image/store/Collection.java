package org.spillway.image.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.spillway.image.tree.Entry;
import org.spillway.image.tree.Entry.Kind;
import org.spillway.image.tree.Manifest;

/**
 * The end of what nothing names any more.
 *
 * @param versions that had no tag, as {@code NAME@DIGEST}; only where that was asked for
 * @param contents how many
 * @param bytes of these contents, and of file systems of versions that are gone
 */
public record Collection(List<String> versions, long contents, long bytes) {
    /** Names in a folder, sorted; none when there is no such folder. */
    static List<String> names(Path folder) throws IOException {
        var names = new ArrayList<String>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            files.forEach(file -> names.add(String.valueOf(file.getFileName())));
        } catch (NoSuchFileException none) {
            return names;
        }
        names.sort(null);
        return names;
    }

    static void removeUnfinished(Layout layout) throws IOException {
        for (String name : names(layout.temporary())) {
            Path left = layout.temporary().resolve(name);
            if (Files.isDirectory(left, java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
                Durable.delete(left);
            } else {
                Files.deleteIfExists(left);
            }
        }
    }

    /** With the store's lock. A version goes before its contents: what a kill leaves is collected the next time. */
    static Collection of(Layout layout, boolean untagged, List<Reference> wanted, boolean dry) throws IOException {
        if (!dry) {
            removeUnfinished(layout);
        }
        var gone = new ArrayList<String>();
        Set<String> digests = new HashSet<>();
        for (String name : names(layout.folder().resolve("versions"))) {
            Set<String> tagged = new HashSet<>();
            for (String tag : names(layout.tags(name))) {
                tagged.add(Files.readString(layout.tags(name).resolve(tag), StandardCharsets.US_ASCII)
                        .strip());
            }
            for (String digest : names(layout.versions(name))) {
                if (untagged && !tagged.contains(digest) && !isWanted(name, digest, wanted)) {
                    gone.add(name + "@" + digest);
                    remove(layout.versions(name).resolve(digest), dry);
                } else {
                    digests.add(digest);
                }
            }
        }
        var contents = new HashSet<String>();
        for (String digest : digests) {
            Manifest manifest = Manifest.parse(Files.readAllBytes(layout.manifest(digest)));
            for (Entry entry : manifest.entries()) {
                if (entry.kind() == Kind.FILE) {
                    contents.add(entry.content());
                }
            }
        }
        for (String digest : names(layout.folder().resolve("manifests"))) {
            if (!digests.contains(digest)) {
                remove(layout.manifest(digest), dry);
            }
        }
        Collection collected = removeContents(new Blobs(layout.folder()), contents, gone, dry);
        return new Collection(collected.versions, collected.contents, collected.bytes + removeRoots(layout, dry));
    }

    static List<Reference> held(Layout layout) throws IOException {
        var held = new ArrayList<Reference>();
        if (Files.exists(layout.held())) {
            for (String line : Files.readAllLines(layout.held(), StandardCharsets.US_ASCII)) {
                held.add(Reference.parse(line));
            }
        }
        return held;
    }

    private static boolean isWanted(String name, String digest, List<Reference> wanted) {
        return wanted.stream()
                .anyMatch(one -> one.name().equals(name) && !one.digest().isEmpty() && digest.startsWith(one.digest()));
    }

    /** File systems of versions that are gone, or have lost their facts. @return their bytes */
    private static long removeRoots(Layout layout, boolean dry) throws IOException {
        long bytes = 0;
        List<String> names = names(layout.roots());
        for (String file : names) {
            String facts = file.replaceAll("\\.erofs$", "");
            String[] words = facts.split("@", 2);
            boolean known = words.length == 2
                    && names.contains(facts)
                    && Files.exists(layout.versions(words[0]).resolve(words[1]));
            if (!known) {
                bytes += Files.size(layout.roots().resolve(file));
                remove(layout.roots().resolve(file), dry);
            }
        }
        return bytes;
    }

    private static Collection removeContents(Blobs blobs, Set<String> named, List<String> gone, boolean dry)
            throws IOException {
        long count = 0;
        long bytes = 0;
        for (String sha256 : blobs.all()) {
            if (!named.contains(sha256)) {
                count++;
                bytes += Files.size(blobs.at(sha256));
                remove(blobs.at(sha256), dry);
            }
        }
        return new Collection(List.copyOf(gone), count, bytes);
    }

    private static void remove(Path file, boolean dry) throws IOException {
        if (!dry) {
            Files.deleteIfExists(file);
        }
    }
}
