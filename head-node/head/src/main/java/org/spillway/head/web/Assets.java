package org.spillway.head.web;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
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
    private final String messageStyle;

    /** @throws IOException if the build is not complete */
    Assets() throws IOException {
        for (var file : List.of("spillway.css", "spillway.js", "spillway.svg")) {
            var bytes = read(file);
            int dot = file.indexOf('.');
            var name = file.substring(0, dot) + "."
                    + HexFormat.of().formatHex(sha256(bytes)).substring(0, HASH_DIGITS) + file.substring(dot);
            var type = Objects.requireNonNull(TYPES.get(file.substring(dot + 1)));
            byName.put(name, new Asset(type, bytes));
            paths.put(file.substring(dot + 1), "/assets/" + name);
        }
        messageStyle = new String(read("message.css"), StandardCharsets.UTF_8);
    }

    private static byte[] read(String file) throws IOException {
        try (var in = Assets.class.getResourceAsStream("assets/" + file)) {
            return Objects.requireNonNull(in, file + " is missing: this is not a complete build")
                    .readAllBytes();
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

    /** The style of a page that stands alone; without a character that is escaped in HTML. */
    String messageStyle() {
        return messageStyle;
    }

    /** As a content security policy wants it. */
    String messageStyleSha256() {
        return Base64.getEncoder().encodeToString(sha256(messageStyle.getBytes(StandardCharsets.UTF_8)));
    }

    /** Changes with any of the files. */
    String version() {
        return HexFormat.of()
                .formatHex(sha256(String.join(" ", byName.keySet()).getBytes(StandardCharsets.UTF_8)))
                .substring(0, HASH_DIGITS);
    }

    private static byte[] sha256(byte[] content) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(content);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }
}
