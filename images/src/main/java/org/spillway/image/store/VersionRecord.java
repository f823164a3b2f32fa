package org.spillway.image.store;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.spillway.image.ImageRefused;
import org.spillway.image.ImageVersion;
import org.spillway.stage.Checksum;

/**
 * A version of an image: a name, and the tree that its manifest's digest says.
 *
 * @param signature over {@link ImageVersion#signedTree}, base64
 * @param made when, for people; nothing is decided by it
 * @param recipe digest of all that it was made of, by which an unchanged one is found
 */
public record VersionRecord(String name, Checksum manifest, String signature, Instant made, String recipe) {
    private static final String HEAD = "spillway-version-1";

    /** The manifest's SHA-256, by which a version is known. */
    public String digest() {
        return manifest.sha256();
    }

    byte[] text() {
        return String.join(
                        "\n",
                        HEAD,
                        "name " + name,
                        "digest " + manifest.sha256(),
                        "bytes " + manifest.bytes(),
                        "signature " + signature,
                        "made " + made,
                        "recipe " + recipe,
                        "")
                .getBytes(StandardCharsets.US_ASCII);
    }

    static VersionRecord parse(String text, String file) throws ImageRefused {
        List<String> lines = text.lines().toList();
        Map<String, String> values = new HashMap<>();
        lines.stream()
                .skip(1)
                .map(line -> line.split(" ", 2))
                .filter(words -> words.length == 2)
                .forEach(words -> values.put(words[0], words[1]));
        try {
            if (lines.isEmpty() || !lines.getFirst().equals(HEAD)) {
                throw new ImageRefused(file + " is no record of a version");
            }
            return new VersionRecord(
                    values.getOrDefault("name", ""),
                    new Checksum(Long.parseLong(values.getOrDefault("bytes", "")), values.getOrDefault("digest", "")),
                    values.getOrDefault("signature", ""),
                    Instant.parse(values.getOrDefault("made", "")),
                    values.getOrDefault("recipe", ""));
        } catch (IllegalArgumentException | DateTimeParseException malformed) {
            throw new ImageRefused(file + " is no record of a version: " + malformed.getMessage());
        }
    }
}
