package org.spillway.stage.container;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.security.DigestInputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;

/** The folder of an image that goes to sites. Of the same image it has the same bytes and times each time. */
record RootFolder(Blobs blobs, Image image, Progress progress) {
    private static final String ARCHIVE = "root.tar.gz";
    private static final String FACTS = "image";
    private static final String ENVIRONMENT = "environment";
    private static final FileTime ALWAYS = FileTime.from(Instant.EPOCH);
    private static final Pattern VARIABLE = Pattern.compile("([A-Za-z_][A-Za-z0-9_]{0,254})=(.*)", Pattern.DOTALL);
    private static final Path ZSTD = Path.of("/usr/bin/zstd");
    private static final int BUFFER = 64 * 1024;

    /** Whether it was made, and is as long as it was then. */
    static boolean isWhole(Path folder) throws IOException {
        Path facts = folder.resolve(FACTS);
        if (!Files.exists(facts) || !Files.exists(folder.resolve(ENVIRONMENT))) {
            return false;
        }
        String[] said = Files.readString(facts).strip().split(" ", -1);
        Path archive = folder.resolve(ARCHIVE);
        return said.length == 3 && Files.exists(archive) && said[1].equals(Long.toString(Files.size(archive)));
    }

    /** @param place where nothing is; all of it is there at once */
    void make(Path place) throws IOException {
        Path part = place.resolveSibling(image.hex() + ".part");
        ImageCache.delete(part);
        Files.createDirectories(part);
        List<Path> layers = new ArrayList<>();
        for (Image.Part layer : image.layers()) {
            layers.add(blobs.blob(layer.digest(), layer.bytes()));
        }
        String text = Files.readString(
                blobs.blob(image.config().digest(), image.config().bytes()));
        Map<String, @Nullable Object> config;
        try {
            config = Json.object(text);
        } catch (IllegalArgumentException broken) {
            throw new ImageRefused("the configuration of the image cannot be read: " + broken.getMessage());
        }
        LayerTree tree = tree(layers, Json.texts(Json.map(config.get("rootfs")).get("diff_ids")));
        Path archive = part.resolve(ARCHIVE);
        long unpacked;
        try (OutputStream file = Files.newOutputStream(archive);
                OutputStream out = new BufferedOutputStream(new Quick(file), BUFFER)) {
            RootArchive root = new RootArchive(out, progress);
            root.write(
                    tree,
                    layers.stream()
                            .<RootArchive.Layer>map(layer -> () -> open(layer))
                            .toList());
            unpacked = root.unpackedBytes();
        }
        Checksum checksum;
        try (InputStream in = Files.newInputStream(archive)) {
            checksum = Sha256.of(in, new Watched());
        }
        Files.writeString(
                part.resolve(ENVIRONMENT),
                environment(Json.texts(Json.map(config.get("config")).get("Env"))));
        Files.writeString(part.resolve(FACTS), checksum.sha256() + " " + checksum.bytes() + " " + unpacked + "\n");
        for (String each : List.of(ARCHIVE, ENVIRONMENT, FACTS)) {
            try (FileChannel channel = FileChannel.open(part.resolve(each), StandardOpenOption.WRITE)) {
                channel.force(true);
            }
            Files.setLastModifiedTime(part.resolve(each), ALWAYS);
        }
        Files.move(part, place, StandardCopyOption.ATOMIC_MOVE);
    }

    private LayerTree tree(List<Path> layers, List<String> digests) throws IOException {
        if (digests.size() != layers.size()) {
            throw new ImageRefused("the image has " + layers.size() + " layers, and digests of " + digests.size());
        }
        LayerTree tree = new LayerTree();
        for (int i = 0; i < layers.size(); i++) {
            try (DigestInputStream in = new DigestInputStream(open(layers.get(i)), Sha256.digest())) {
                LayerReader reader = new LayerReader(in);
                for (LayerReader.Entry entry = reader.next(); entry != null; entry = reader.next()) {
                    tree.add(i, entry);
                    progress.working();
                }
                in.transferTo(OutputStream.nullOutputStream());
                String found = "sha256:"
                        + HexFormat.of().formatHex(in.getMessageDigest().digest());
                if (!found.equals(digests.get(i))) {
                    throw new ImageRefused(
                            "layer " + (i + 1) + " of the image is unpacked " + found + ", and not " + digests.get(i));
                }
            } catch (ZipException broken) {
                throw new ImageRefused("layer " + (i + 1) + " of the image is packed wrongly: " + broken.getMessage());
            }
        }
        tree.settle();
        if (!tree.has("bin/sh")) {
            throw new ImageRefused("the image has no /bin/sh, by which a job is begun in it");
        }
        return tree;
    }

    /** A layer unpacked: its first bytes say how. */
    private static InputStream open(Path layer) throws IOException {
        byte[] magic;
        try (InputStream in = Files.newInputStream(layer)) {
            magic = in.readNBytes(4);
        }
        if (magic.length == 4 && magic[0] == 0x1f && magic[1] == (byte) 0x8b) {
            return new BufferedInputStream(new GZIPInputStream(Files.newInputStream(layer), BUFFER), BUFFER);
        }
        if (magic.length == 4
                && magic[0] == 0x28
                && magic[1] == (byte) 0xb5
                && magic[2] == 0x2f
                && magic[3] == (byte) 0xfd) {
            if (!Files.isExecutable(ZSTD)) {
                throw new ImageRefused("a layer of the image is packed by zstd, and this machine has no " + ZSTD);
            }
            Process unpacking = new ProcessBuilder(ZSTD.toString(), "-dcq", layer.toString())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new BufferedInputStream(unpacking.getInputStream(), BUFFER);
        }
        return new BufferedInputStream(Files.newInputStream(layer), BUFFER);
    }

    /** Shell that sets each variable of the image that is not set. */
    static String environment(List<String> variables) {
        StringBuilder all = new StringBuilder();
        for (String each : variables) {
            Matcher parts = VARIABLE.matcher(each);
            if (parts.matches() && each.indexOf('\0') < 0) {
                all.append("[ -n \"${").append(parts.group(1)).append("+x}\" ] || export ");
                all.append(parts.group(1)).append("='");
                all.append(parts.group(2).replace("'", "'\\''")).append("'\n");
            }
        }
        return all.toString();
    }

    /** As fast as packing is; the same bytes each time. */
    private static final class Quick extends GZIPOutputStream {
        Quick(OutputStream out) throws IOException {
            super(out, BUFFER);
            def.setLevel(1);
        }
    }

    private final class Watched extends OutputStream {
        @Override
        public void write(int one) throws IOException {
            progress.working();
        }

        @Override
        public void write(byte[] some, int from, int length) throws IOException {
            progress.working();
        }
    }
}
