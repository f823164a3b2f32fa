package org.spillway.stage.container;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.tree.ImageName;

/**
 * An image for one platform, as its manifest says.
 *
 * @param hex the manifest's SHA-256
 */
record Image(String hex, Part config, List<Part> layers) {
    static final int MANIFEST_MOST_BYTES = 4 << 20;
    private static final int LAYERS_MOST = 500;
    private static final int CONFIG_MOST_BYTES = 8 << 20;

    /** A blob of it. */
    record Part(String digest, long bytes) {}

    Image {
        layers = List.copyOf(layers);
    }

    /** @param name by its digest, which is that of an index or of a manifest */
    static Image of(Blobs blobs, ImageName name, String platform) throws IOException {
        String digest = name.digest();
        try {
            Map<String, @Nullable Object> manifest = read(blobs, digest);
            if (manifest.containsKey("manifests")) {
                digest = Json.text(fitting(Json.maps(manifest.get("manifests")), platform, name), "digest");
                manifest = read(blobs, digest);
            }
            List<Part> layers = new ArrayList<>();
            for (Map<String, @Nullable Object> layer : Json.maps(manifest.get("layers"))) {
                layers.add(part(layer));
            }
            if (layers.isEmpty() || layers.size() > LAYERS_MOST) {
                throw new ImageRefused(name.text() + ": is no image of up to " + LAYERS_MOST + " layers");
            }
            Part config = part(Json.map(manifest.get("config")));
            if (config.bytes > CONFIG_MOST_BYTES) {
                throw new ImageRefused(name.text() + ": its configuration is too large");
            }
            return new Image(Blobs.hex(digest), config, layers);
        } catch (IllegalArgumentException broken) {
            throw new ImageRefused(name.text() + ": its manifest cannot be read: " + broken.getMessage());
        }
    }

    private static Map<String, @Nullable Object> read(Blobs blobs, String digest) throws IOException {
        return Json.object(new String(blobs.manifest(digest, MANIFEST_MOST_BYTES), StandardCharsets.UTF_8));
    }

    private static Part part(Map<String, @Nullable Object> said) throws ImageRefused {
        String digest = Json.text(said, "digest");
        Blobs.hex(digest);
        long bytes = Json.number(said, "size").orElse(-1);
        if (bytes < 0) {
            throw new ImageRefused("the image does not say how large " + digest + " is");
        }
        return new Part(digest, bytes);
    }

    /** The entry of an index for Linux on that architecture. */
    static Map<String, @Nullable Object> fitting(
            List<Map<String, @Nullable Object>> entries, String architecture, ImageName name) throws ImageRefused {
        for (Map<String, @Nullable Object> entry : entries) {
            if (platform(entry).equals("linux/" + architecture)) {
                return entry;
            }
        }
        String others = entries.stream()
                .map(Image::platform)
                .filter(text -> !text.equals("/") && !text.startsWith("unknown"))
                .distinct()
                .collect(Collectors.joining(", "));
        throw new ImageRefused(name.text() + ": has nothing for linux/" + architecture
                + (others.isEmpty() ? "" : ", but for " + others));
    }

    private static String platform(Map<String, @Nullable Object> entry) {
        Map<String, @Nullable Object> platform = Json.map(entry.get("platform"));
        return Json.text(platform, "os") + "/" + Json.text(platform, "architecture");
    }
}
