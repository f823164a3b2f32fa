package org.spillway.stage.container;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;

/** An image of a few files, made by hand: layers, configuration, manifest. */
public final class TinyImage {
    private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";

    private final Map<String, byte[]> blobs = new LinkedHashMap<>();
    private final List<String> layers = new ArrayList<>();
    private final List<String> contents = new ArrayList<>();
    private String manifest = "";

    /** A layer that is being made. */
    public static final class Layer {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        public Layer file(String name, String text) {
            return file(name, text.getBytes(StandardCharsets.UTF_8), 0644);
        }

        public Layer file(String name, byte[] bytes, int mode) {
            return add(name, '0', mode, bytes, "");
        }

        public Layer folder(String name) {
            return add(name + "/", '5', 0755, new byte[0], "");
        }

        public Layer link(String name, String to) {
            return add(name, '2', 0777, new byte[0], to);
        }

        /** A further name of a file. */
        public Layer same(String name, String as) {
            return add(name, '1', 0644, new byte[0], as);
        }

        public Layer add(String name, char type, int mode, byte[] bytes, String link) {
            byte[] block = new byte[512];
            put(block, 0, name);
            put(block, 100, String.format("%07o", mode));
            put(block, 108, "0001750");
            put(block, 116, "0001750");
            put(block, 124, String.format("%011o", bytes.length));
            put(block, 136, String.format("%011o", 1_700_000_000L));
            put(block, 148, "        ");
            block[156] = (byte) type;
            put(block, 157, link);
            put(block, 257, "ustar");
            put(block, 263, "00");
            int sum = 0;
            for (byte each : block) {
                sum += each & 0xff;
            }
            put(block, 148, String.format("%06o", sum));
            block[154] = 0;
            out.writeBytes(block);
            out.writeBytes(bytes);
            out.writeBytes(new byte[-bytes.length & 511]);
            return this;
        }

        public byte[] tar() {
            byte[] all = out.toByteArray();
            byte[] ended = new byte[all.length + 1024];
            System.arraycopy(all, 0, ended, 0, all.length);
            return ended;
        }

        private static void put(byte[] block, int at, String text) {
            byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
            System.arraycopy(bytes, 0, block, at, bytes.length);
        }
    }

    /** Of Debian's static busybox, with a program {@code hello}. */
    public static TinyImage ofBusybox() throws IOException {
        Layer base = new Layer()
                .folder("usr")
                .folder("usr/bin")
                .folder("etc")
                .folder("tmp")
                .link("bin", "usr/bin");
        base.file("usr/bin/busybox", Files.readAllBytes(Path.of("/bin/busybox")), 0755);
        for (String each : List.of("sh", "cat", "id", "env", "grep", "sleep", "touch", "rm", "ls", "head")) {
            base.link("usr/bin/" + each, "busybox");
        }
        base.file("etc/os-release", "ID=tiny\n").file("etc/gone", "gone");
        Layer top = new Layer();
        top.file("bin/hello", "#!/bin/sh\necho \"hello: $GREETING\"\n".getBytes(StandardCharsets.UTF_8), 0755);
        top.file("etc/.wh.gone", "");
        return new TinyImage()
                .with(base)
                .with(top)
                .saying("\"PATH=/opt/own:/usr/bin:/bin\", \"GREETING=it's here\", \"HOME=/nowhere\"");
    }

    public TinyImage with(Layer layer) {
        byte[] tar = layer.tar();
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(tar);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        contents.add("\"" + Blobs.digest(tar) + "\"");
        layers.add(part(packed.toByteArray(), "application/vnd.oci.image.layer.v1.tar+gzip"));
        return this;
    }

    /** Done. @param environment JSON texts, with commas */
    public TinyImage saying(String environment) {
        String config = part(
                ("{\"architecture\":\"" + ImageCache.ownPlatform() + "\",\"os\":\"linux\",\"config\":{\"Env\":["
                                + environment + "]},\"rootfs\":{\"type\":\"layers\",\"diff_ids\":["
                                + String.join(",", contents) + "]}}")
                        .getBytes(StandardCharsets.UTF_8),
                "application/vnd.oci.image.config.v1+json");
        byte[] text = ("{\"schemaVersion\":2,\"mediaType\":\"" + MANIFEST + "\",\"config\":" + config + ",\"layers\":["
                        + String.join(",", layers) + "]}")
                .getBytes(StandardCharsets.UTF_8);
        manifest = Blobs.digest(text);
        blobs.put(manifest, text);
        return this;
    }

    private String part(byte[] bytes, String kind) {
        String digest = Blobs.digest(bytes);
        blobs.put(digest, bytes);
        return "{\"mediaType\":\"" + kind + "\",\"digest\":\"" + digest + "\",\"size\":" + bytes.length + "}";
    }

    public String digest() {
        return manifest;
    }

    public byte[] manifest() {
        return blob(manifest);
    }

    /** Digest of the first layer as it is packed. */
    public String firstLayer() {
        return blobs.keySet().iterator().next();
    }

    public byte[] blob(String digest) {
        byte[] bytes = blobs.get(digest);
        if (bytes == null) {
            throw new IllegalArgumentException(digest);
        }
        return bytes;
    }

    public boolean has(String digest) {
        return blobs.containsKey(digest);
    }

    /** As an OCI layout. */
    public Path layout(Path folder) throws IOException {
        Path place = Files.createDirectories(folder.resolve("blobs/sha256"));
        for (Map.Entry<String, byte[]> each : blobs.entrySet()) {
            Files.write(place.resolve(each.getKey().substring("sha256:".length())), each.getValue());
        }
        Files.writeString(folder.resolve("oci-layout"), "{\"imageLayoutVersion\":\"1.0.0\"}");
        Files.writeString(
                folder.resolve("index.json"),
                "{\"schemaVersion\":2,\"manifests\":[{\"mediaType\":\"" + MANIFEST + "\",\"digest\":\"" + manifest
                        + "\",\"size\":" + manifest().length + "}]}");
        return folder;
    }

    /** Into a real registry. @param base such as {@code http://127.0.0.1:5000/v2/lab/tiny/} */
    public void push(URI base, String tag, String authorization) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            for (Map.Entry<String, byte[]> each : blobs.entrySet()) {
                HttpResponse<Void> begun = client.send(
                        HttpRequest.newBuilder(base.resolve("blobs/uploads/"))
                                .header("Authorization", authorization)
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .build(),
                        HttpResponse.BodyHandlers.discarding());
                String place = begun.headers().firstValue("location").orElseThrow();
                URI to = base.resolve(place + (place.contains("?") ? "&" : "?") + "digest=" + each.getKey());
                put(client, to, each.getValue(), "application/octet-stream", authorization);
            }
            put(client, base.resolve("manifests/" + tag), manifest(), MANIFEST, authorization);
        }
    }

    private static void put(HttpClient client, URI to, byte[] bytes, String kind, String authorization)
            throws IOException, InterruptedException {
        HttpResponse<String> reply = client.send(
                HttpRequest.newBuilder(to)
                        .header("Authorization", authorization)
                        .header("Content-Type", kind)
                        .PUT(HttpRequest.BodyPublishers.ofByteArray(bytes))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        if (reply.statusCode() != 201) {
            throw new IOException(to + " answers " + reply.statusCode() + ": " + reply.body());
        }
    }
}
