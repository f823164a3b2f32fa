package org.spillway.stage.container;

import java.io.BufferedInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.tree.ImageName;

/** An OCI layout among the user's files, as a folder or as a tar file of it, which is read through for each blob. */
record LayoutSource(ImageName.Local image, String platform, Progress progress) implements Source {
    private static final int INDEX_MOST_BYTES = 4 << 20;

    @Override
    public String digest() throws IOException {
        byte[] bytes;
        try (InputStream in = open("index.json")) {
            bytes = in.readNBytes(INDEX_MOST_BYTES);
        }
        try {
            List<Map<String, @Nullable Object>> all = Json.maps(
                    Json.object(new String(bytes, StandardCharsets.UTF_8)).get("manifests"));
            Map<String, @Nullable Object> one = all.size() == 1 ? all.getFirst() : Image.fitting(all, platform, image);
            String digest = Json.text(one, "digest");
            Blobs.hex(digest);
            return digest;
        } catch (IllegalArgumentException broken) {
            throw new ImageRefused(image.text() + ": its index.json cannot be read: " + broken.getMessage());
        }
    }

    @Override
    public byte[] manifest(String digest, int mostBytes) throws IOException {
        try (InputStream in = blob(digest, 0).body()) {
            return in.readNBytes(mostBytes);
        }
    }

    @Override
    public Registry.From blob(String digest, long from) throws IOException {
        return Source.whole(open("blobs/sha256/" + Blobs.hex(digest)));
    }

    private InputStream open(String name) throws IOException {
        Path place = Path.of(image.path());
        try {
            return image.packed() ? packed(place, name) : Files.newInputStream(place.resolve(name));
        } catch (NoSuchFileException none) {
            throw new ImageRefused(image.text() + ": there is no " + name + ": it is no OCI layout, or another by now");
        } catch (AccessDeniedException denied) {
            throw new ImageRefused(denied.getFile() + ": permission denied");
        }
    }

    private InputStream packed(Path archive, String name) throws IOException {
        InputStream in = new BufferedInputStream(Files.newInputStream(archive));
        try {
            LayerReader reader = new LayerReader(in);
            for (LayerReader.Entry entry = reader.next(); entry != null; entry = reader.next()) {
                if (entry.type() == '0'
                        && entry.name().replaceFirst("^\\./", "").equals(name)) {
                    return new Member(in, reader);
                }
                progress.working();
            }
        } catch (IOException | RuntimeException e) {
            in.close();
            throw e;
        }
        in.close();
        throw new NoSuchFileException(name);
    }

    /** Bytes of the entry that a reader is at. */
    private static final class Member extends FilterInputStream {
        private final LayerReader reader;

        Member(InputStream in, LayerReader reader) {
            super(in);
            this.reader = reader;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return reader.read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int at, int length) throws IOException {
            return reader.read(into, at, length);
        }
    }
}
