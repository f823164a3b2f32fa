package org.spillway.image;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** Writes a tree as a tar in which nothing depends on the machine, the user or the time. */
final class CanonicalTar {
    /** Lengths that fit into the fields of a header, in bytes. */
    private static final int NAME_BYTES_MAX = 100;

    private static final int BLOCK_BYTES = 10_240;
    private static final int BUFFER_BYTES = 256 * 1024;

    private CanonicalTar() {}

    static void write(Path tree, List<TreeScan.Entry> entries, OutputStream out) throws IOException {
        try (TarArchiveOutputStream tar = new TarArchiveOutputStream(out, BLOCK_BYTES, "UTF-8")) {
            tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_STAR);
            // The library would put the user's name into the headers that it makes for long names: we make them.
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_TRUNCATE);
            byte[] buffer = new byte[BUFFER_BYTES];
            for (TreeScan.Entry entry : entries) {
                putHeaders(tar, entry);
                if (entry.type() == TreeScan.Type.FILE) {
                    copy(tree.resolve(entry.path()), entry.bytes(), tar, buffer);
                }
                tar.closeArchiveEntry();
            }
        }
    }

    private static void putHeaders(TarArchiveOutputStream tar, TreeScan.Entry entry) throws IOException {
        String name = entry.type() == TreeScan.Type.FOLDER ? entry.path() + "/" : entry.path();
        byte[] extended = extended(name, entry.link());
        if (extended.length > 0) {
            TarArchiveEntry header = header("PaxHeader", TarConstants.LF_PAX_EXTENDED_HEADER_LC, 0644);
            header.setSize(extended.length);
            tar.putArchiveEntry(header);
            tar.write(extended);
            tar.closeArchiveEntry();
        }
        TarArchiveEntry header = switch (entry.type()) {
            case FOLDER -> header(name, TarConstants.LF_DIR, 0755);
            case FILE -> header(name, TarConstants.LF_NORMAL, entry.executable() ? 0755 : 0644);
            case LINK -> header(name, TarConstants.LF_SYMLINK, 0777);
        };
        header.setLinkName(entry.link());
        header.setSize(entry.bytes());
        tar.putArchiveEntry(header);
    }

    private static TarArchiveEntry header(String name, byte type, int mode) {
        TarArchiveEntry header = new TarArchiveEntry(name, type, true);
        header.setMode(mode);
        header.setModTime(0);
        header.setIds(0, 0);
        header.setUserName("");
        header.setGroupName("");
        return header;
    }

    private static byte[] extended(String name, String link) throws IOException {
        ByteArrayOutputStream records = new ByteArrayOutputStream();
        addRecord(records, "path", name);
        addRecord(records, "linkpath", link);
        return records.toByteArray();
    }

    /** A pax record is "LENGTH KEY=VALUE\n", where the length counts its own digits. */
    private static void addRecord(ByteArrayOutputStream records, String key, String value) throws IOException {
        byte[] rest = (" " + key + "=" + value + "\n").getBytes(StandardCharsets.UTF_8);
        if (value.getBytes(StandardCharsets.UTF_8).length <= NAME_BYTES_MAX) {
            return;
        }
        int length = rest.length;
        while (length != rest.length + Integer.toString(length).length()) {
            length = rest.length + Integer.toString(length).length();
        }
        records.write(Integer.toString(length).getBytes(StandardCharsets.US_ASCII));
        records.write(rest);
    }

    private static void copy(Path file, long bytes, OutputStream tar, byte[] buffer) throws IOException {
        long left = bytes;
        try (InputStream in = Files.newInputStream(file, NOFOLLOW_LINKS)) {
            for (int n = in.read(buffer); n >= 0 && left >= 0; n = in.read(buffer)) {
                left -= n;
                if (left >= 0) {
                    tar.write(buffer, 0, n);
                }
            }
        }
        if (left != 0) {
            throw new ImageRefused(file + " changed while the image was built; build it again");
        }
    }
}
