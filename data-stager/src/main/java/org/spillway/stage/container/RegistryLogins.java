package org.spillway.stage.container;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.tree.ImageName;

/**
 * The user's own logins at registries, where {@code podman login}, {@code apptainer registry login} and {@code docker login}
 * put them (containers-auth.json(5)). Each is for its registry only.
 *
 * @param files the first that knows a registry counts
 * @param uid whose they have to be
 */
record RegistryLogins(List<Path> files, int uid) {
    private static final int MOST_BYTES = 1 << 20;

    RegistryLogins {
        files = List.copyOf(files);
    }

    /** Logins of a user. @param home of that user */
    static RegistryLogins of(Path home, int uid) {
        return new RegistryLogins(
                List.of(
                        Path.of("/run/user/" + uid + "/containers/auth.json"),
                        home.resolve(".config/containers/auth.json"),
                        home.resolve(".docker/config.json"),
                        home.resolve(".apptainer/docker-config.json")),
                uid);
    }

    /**
     * The value of a header {@code Authorization} for a repository; empty where nobody has logged in.
     *
     * @throws ImageRefused if a file is open to others, cannot be read, or leaves it to a program
     */
    Optional<String> basic(ImageName.Remote image) throws IOException {
        for (Path file : files) {
            String text = read(file);
            if (text.isEmpty()) {
                continue;
            }
            Map<String, @Nullable Object> known;
            try {
                known = Json.object(text);
            } catch (IllegalArgumentException broken) {
                throw new ImageRefused(file + ": " + broken.getMessage());
            }
            Optional<String> found = basic(file, known, image);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static Optional<String> basic(Path file, Map<String, @Nullable Object> known, ImageName.Remote image)
            throws IOException {
        Map<String, @Nullable Object> logins = Json.map(known.get("auths"));
        for (String place = image.registry() + "/" + image.repository(); !place.isEmpty(); place = above(place)) {
            for (String key : keys(place)) {
                Map<String, @Nullable Object> login = Json.map(logins.get(key));
                String words = Json.text(login, "auth");
                if (!words.isEmpty()) {
                    return Optional.of("Basic " + sound(file, key, words));
                }
                if (!Json.text(login, "identitytoken").isEmpty()
                        || Json.map(known.get("credHelpers")).containsKey(key)
                        || (logins.containsKey(key)
                                && !Json.text(known, "credsStore").isEmpty())) {
                    throw new ImageRefused(file + " leaves the password of " + key
                            + " to a program: log in without one, as 'podman login " + image.registry() + "' does");
                }
            }
        }
        return Optional.empty();
    }

    private static String above(String place) {
        return place.contains("/") ? place.substring(0, place.lastIndexOf('/')) : "";
    }

    private static List<String> keys(String place) {
        return place.equals(ImageName.USUAL_REGISTRY)
                ? List.of(place, "https://index.docker.io/v1/", "index.docker.io")
                : List.of(place, "https://" + place, "https://" + place + "/");
    }

    private static String sound(Path file, String key, String words) throws ImageRefused {
        try {
            if (new String(Base64.getDecoder().decode(words), StandardCharsets.UTF_8).contains(":")) {
                return words;
            }
        } catch (IllegalArgumentException broken) {
            // The text is half of a secret.
        }
        throw new ImageRefused(file + ": 'auth' of " + key + " is no login: log in anew");
    }

    /** Empty when there is none. */
    private String read(Path file) throws IOException {
        try {
            Path real = file.toRealPath();
            int mode = (int) Files.getAttribute(real, "unix:mode");
            if ((int) Files.getAttribute(real, "unix:uid") != uid || (mode & 077) != 0) {
                throw new ImageRefused(file + ": others may read it, or it is another's: run 'chmod 600 " + file + "'");
            }
            if (Files.size(real) > MOST_BYTES) {
                throw new ImageRefused(file + ": is too large");
            }
            return Files.readString(real);
        } catch (NoSuchFileException | NotDirectoryException | AccessDeniedException none) {
            return "";
        }
    }
}
