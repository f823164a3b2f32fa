package org.spillway.image.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.spillway.image.tree.Manifest;
import org.spillway.image.tree.RootNeeds;

/** A look at a store without its lock and its key: enough to say that somebody has mistyped a name. */
public final class VersionLook {
    private VersionLook() {}

    /**
     * @param store a store's folder
     * @return why jobs cannot live in the version, such as {@code there is no image 'base'}; empty when they can, or this user
     *     may not look
     */
    public static Optional<String> problem(Path store, Reference reference) {
        var layout = new Layout(store);
        try {
            if (Files.isDirectory(store) && !Files.isReadable(store)) {
                return Optional.empty();
            }
            List<String> all = Collection.names(layout.versions(reference.name()));
            if (all.isEmpty()) {
                return Optional.of("there is no image '" + reference.name() + "' in " + store);
            }
            String digest = reference.digest();
            if (digest.isEmpty()) {
                Path tag = layout.tags(reference.name()).resolve(reference.tag());
                if (!Files.isRegularFile(tag)) {
                    return Optional.of("the image " + reference.name() + " has no tag '" + reference.tag() + "'");
                }
                digest = Files.readString(tag, StandardCharsets.ISO_8859_1).strip();
            }
            String wanted = digest;
            List<String> found =
                    all.stream().filter(one -> one.startsWith(wanted)).toList();
            if (found.size() != 1) {
                return Optional.of("the image " + reference.name() + " has "
                        + (found.isEmpty() ? "no version" : "several versions") + " whose digest begins with "
                        + wanted);
            }
            return RootNeeds.lack(Manifest.parse(Files.readAllBytes(layout.manifest(found.getFirst()))))
                    .map(lack ->
                            "of " + reference.name() + "@" + found.getFirst().substring(0, 12) + ": " + lack);
        } catch (IOException unreadable) {
            return Optional.of("it cannot be read: " + unreadable.getMessage());
        }
    }
}
