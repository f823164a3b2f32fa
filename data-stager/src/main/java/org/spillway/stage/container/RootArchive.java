package org.spillway.stage.container;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.container.LayerTree.Kind;
import org.spillway.stage.container.LayerTree.Node;

/**
 * The one tar file of an image that nodes unpack with a user's rights: folders, files, their further names, and links at the
 * end, so that nothing is ever written through one. Without owners, set-user-id bits, devices and attributes.
 */
final class RootArchive {
    private static final int BLOCK = 512;
    private static final int SHORT = 100;
    private static final long OCTAL_MOST = 0_77777777777L;

    /** Opens a layer's tar, as often as it is asked. */
    @FunctionalInterface
    interface Layer {
        InputStream open() throws IOException;
    }

    private final OutputStream out;
    private final Progress progress;
    private long unpacked;

    RootArchive(OutputStream out, Progress progress) {
        this.out = out;
        this.progress = progress;
    }

    /** Bytes on a disk, about and not too few. */
    long unpackedBytes() {
        return unpacked;
    }

    /** @param tree of these layers */
    void write(LayerTree tree, List<Layer> layers) throws IOException {
        @Nullable String[] first = new String[tree.contents()];
        for (Map.Entry<String, Node> each : tree.nodes().entrySet()) {
            Node node = each.getValue();
            unpacked += 4096 + node.bytes();
            if (node.kind() == Kind.FOLDER) {
                header(each.getKey() + "/", '5', node, 0, "");
            } else if (node.content() >= 0 && first[node.content()] == null) {
                first[node.content()] = each.getKey();
            }
        }
        int content = 0;
        for (Layer layer : layers) {
            try (InputStream in = layer.open()) {
                content = files(tree, new LayerReader(in), first, content);
            }
        }
        for (Map.Entry<String, Node> each : tree.nodes().entrySet()) {
            Node node = each.getValue();
            if (node.kind() == Kind.FILE && node.content() < 0) {
                header(each.getKey(), '0', node, 0, "");
            } else if (node.kind() == Kind.FILE && !each.getKey().equals(first[node.content()])) {
                header(each.getKey(), '1', node, 0, String.valueOf(first[node.content()]));
            }
        }
        for (Map.Entry<String, Node> each : tree.nodes().entrySet()) {
            if (each.getValue().kind() == Kind.LINK) {
                header(each.getKey(), '2', each.getValue(), 0, each.getValue().link());
            }
        }
        out.write(new byte[2 * BLOCK]);
    }

    private int files(LayerTree tree, LayerReader reader, @Nullable String[] first, int from) throws IOException {
        int content = from;
        byte[] buffer = new byte[64 * 1024];
        for (LayerReader.Entry entry = reader.next(); entry != null; entry = reader.next()) {
            if (!LayerTree.hasContent(entry)) {
                continue;
            }
            String path = first[content++];
            Node node = path == null ? null : tree.nodes().get(path);
            if (path == null || node == null) {
                continue;
            }
            header(path, '0', node, entry.bytes(), "");
            for (int n = reader.read(buffer, 0, buffer.length); n >= 0; n = reader.read(buffer, 0, buffer.length)) {
                out.write(buffer, 0, n);
                progress.working();
            }
            out.write(new byte[(int) (-entry.bytes() & (BLOCK - 1))]);
        }
        return content;
    }

    private void header(String name, char type, Node node, long bytes, String link) throws IOException {
        if (link.length() > SHORT) {
            extension('K', link);
        }
        if (name.length() > SHORT) {
            extension('L', name);
        }
        block(name, type, node.mode(), bytes, node.modified(), link);
    }

    private void extension(char type, String text) throws IOException {
        block("././@LongLink", type, 0644, text.length() + 1L, 0, "");
        out.write(text.getBytes(StandardCharsets.ISO_8859_1));
        out.write(new byte[1 + (int) (-(text.length() + 1L) & (BLOCK - 1))]);
    }

    private void block(String name, char type, int mode, long bytes, long modified, String link) throws IOException {
        byte[] block = new byte[BLOCK];
        put(block, 0, name);
        octal(block, 100, 7, mode);
        octal(block, 108, 7, 0);
        octal(block, 116, 7, 0);
        if (bytes > OCTAL_MOST) {
            for (int i = 0; i < 8; i++) {
                block[124 + 11 - i] = (byte) (bytes >>> (8 * i));
            }
            block[124] = (byte) 0x80;
        } else {
            octal(block, 124, 11, bytes);
        }
        octal(block, 136, 11, Math.clamp(modified, 0, OCTAL_MOST));
        put(block, 148, "        ");
        block[156] = (byte) type;
        put(block, 157, link);
        put(block, 257, "ustar  ");
        int sum = 0;
        for (byte each : block) {
            sum += each & 0xff;
        }
        octal(block, 148, 6, sum);
        block[154] = 0;
        out.write(block);
    }

    private static void put(byte[] block, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        System.arraycopy(bytes, 0, block, at, Math.min(bytes.length, SHORT));
    }

    private static void octal(byte[] block, int at, int digits, long value) {
        put(block, at, String.format("%0" + digits + "o", value));
    }
}
