package org.spillway.head.web;

import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The page's own few files, each under a name with its content's hash, so that a browser never shows an old one. */
final class Assets {
    private static final int HASH_DIGITS = 16;
    private static final Map<String, String> TYPES =
            Map.of("css", "text/css; charset=utf-8", "js", "text/javascript; charset=utf-8", "svg", "image/svg+xml");

    private final Map<String, String> paths = new LinkedHashMap<>();
    private final Map<String, Asset> byName = new LinkedHashMap<>();

    /** @throws IOException if the build is not complete */
    Assets() throws IOException {
        for (var file : List.of("spillway.css", "spillway.js", "spillway.svg")) {
            try (var in = Assets.class.getResourceAsStream("assets/" + file)) {
                var bytes = Objects.requireNonNull(in, file + " is missing: this is not a complete build")
                        .readAllBytes();
                int dot = file.indexOf('.');
                var name = file.substring(0, dot) + "." + hash(bytes) + file.substring(dot);
                var type = Objects.requireNonNull(TYPES.get(file.substring(dot + 1)));
                byName.put(name, new Asset(type, bytes));
                paths.put(file.substring(dot + 1), "/assets/" + name);
            }
        }
    }

    /** A file as it is sent. */
    record Asset(String contentType, byte[] content) {}

    /** Path of the style sheet, the script and the icon, by {@code css}, {@code js} and {@code svg}. */
    Map<String, String> paths() {
        return Map.copyOf(paths);
    }

    Optional<Asset> named(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** Changes with any of the files. */
    String version() {
        return hash(String.join(" ", byName.keySet()).getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    private static String hash(byte[] content) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(content))
                    .substring(0, HASH_DIGITS);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }
}
