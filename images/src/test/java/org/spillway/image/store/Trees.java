package org.spillway.image.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.spillway.image.posix.Posix;

/** Trees with every kind of file, by their bytes. */
final class Trees {
    /** Bytes that are no UTF-8, a newline, a space, a backslash. */
    static final String ODD = "odd \n\\ \u00ff\u00fe name";

    static final long HOLE_BYTES = 8L * 1024 * 1024;

    private Trees() {}

    static boolean isRoot() {
        return System.getProperty("user.name").equals("root");
    }

    /** A value of {@code security.capability}: cap_net_raw, permitted and effective. */
    static String capability() {
        var bytes = ByteBuffer.allocate(20).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(0x02000001).putInt(1 << 13).putInt(0).putInt(0).putInt(0);
        return new String(bytes.array(), StandardCharsets.ISO_8859_1);
    }

    /** An access list: owner rwx, user 1234 r-x, group r-x, mask r-x, others none. */
    static String accessList(int user) {
        var bytes = ByteBuffer.allocate(4 + 5 * 8).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(2);
        int[][] entries = {{1, 7, -1}, {2, 5, user}, {4, 5, -1}, {16, 5, -1}, {32, 0, -1}};
        for (int[] one : entries) {
            bytes.putShort((short) one[0]).putShort((short) one[1]).putInt(one[2]);
        }
        return new String(bytes.array(), StandardCharsets.ISO_8859_1);
    }

    static void file(Posix posix, Path root, String name, String text, int mode, long uid, long gid)
            throws IOException {
        String file = Posix.raw(root) + "/" + name;
        Path beside = Files.createTempFile("content", "");
        Files.writeString(beside, text, StandardCharsets.ISO_8859_1);
        int to = posix.create(file);
        SparseCopy.copy(posix, Posix.raw(beside), to, file);
        posix.close(to);
        Files.delete(beside);
        posix.owner(file, uid, gid);
        posix.mode(file, mode);
    }

    /** All kinds in one tree; as root. */
    static void everyKind(Posix posix, Path root) throws IOException {
        Files.createDirectories(root);
        String raw = Posix.raw(root);
        for (String folder : List.of("bin", "dev", "etc", "shared", "deep", "var")) {
            posix.folder(raw + "/" + folder);
            posix.mode(raw + "/" + folder, 0755);
        }
        file(posix, root, "bin/su", "setuid\n", 04755, 0, 0);
        file(posix, root, "bin/ping", "capable\n", 0755, 0, 0);
        posix.setAttribute(raw + "/bin/ping", "security.capability", capability());
        file(posix, root, "bin/write", "setgid\n", 02755, 0, 5);
        file(posix, root, "etc/shadow", "secret\n", 0640, 0, 42);
        file(posix, root, "etc/empty", "", 0600, 65534, 65534);
        file(posix, root, "etc/listed", "acl\n", 0750, 0, 0);
        posix.setAttribute(raw + "/etc/listed", "system.posix_acl_access", accessList(1234));
        posix.setAttribute(raw + "/etc/listed", "user.note", "any\u0000bytes\u00ff");
        posix.setAttribute(raw + "/shared", "system.posix_acl_default", accessList(1234));
        posix.mode(raw + "/shared", 03777);
        file(posix, root, "shared/inside", "with what it inherits\n", 0640, 7, 7);
        posix.special(raw + "/dev/null", Posix.CHARACTER, 1, 3);
        posix.special(raw + "/dev/far", Posix.BLOCK, 259, 70_000);
        posix.special(raw + "/dev/pipe", Posix.PIPE, 0, 0);
        posix.special(raw + "/dev/socket", Posix.SOCKET, 0, 0);
        posix.mode(raw + "/dev/null", 0666);
        posix.hardLink(raw + "/bin/su", raw + "/bin-su");
        posix.hardLink(raw + "/bin/su", raw + "/deep/su");
        posix.hardLink(raw + "/dev/null", raw + "/dev/none");
        posix.symbolicLink("/etc/shadow", raw + "/etc/absolute");
        posix.symbolicLink("../nowhere//twice/", raw + "/etc/dangling");
        posix.owner(raw + "/etc/dangling", 12, 34);
        file(posix, root, "etc/" + ODD, "odd\n", 0644, 0, 0);
        posix.symbolicLink(ODD, raw + "/etc/to-odd");
        try (var sparse =
                FileChannel.open(root.resolve("var/sparse"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            sparse.write(ByteBuffer.wrap(new byte[] {1}), HOLE_BYTES / 2);
            sparse.write(ByteBuffer.wrap(new byte[] {0}), HOLE_BYTES - 1);
        }
        posix.mode(raw, 0751);
    }

    /** A small tree, drawn: names, kinds, modes, owners, links. */
    static void drawn(Posix posix, Path root, Random random) throws IOException {
        Files.createDirectories(root);
        String raw = Posix.raw(root);
        var folders = new ArrayList<>(List.of(""));
        var files = new ArrayList<String>();
        int count = 5 + random.nextInt(60);
        for (int i = 0; i < count; i++) {
            String path = folders.get(random.nextInt(folders.size())) + "/" + name(random) + i;
            switch (random.nextInt(8)) {
                case 0, 1 -> {
                    posix.folder(raw + path);
                    folders.add(path);
                }
                case 2 -> posix.symbolicLink(name(random), raw + path);
                case 3 -> posix.special(raw + path, Posix.CHARACTER, random.nextInt(4000), random.nextInt(1 << 20));
                case 4 -> {
                    if (!files.isEmpty()) {
                        posix.hardLink(raw + files.get(random.nextInt(files.size())), raw + path);
                    }
                }
                default -> {
                    content(posix, raw + path, random);
                    files.add(path);
                }
            }
        }
        for (String path : files) {
            if (random.nextInt(4) == 0) {
                posix.setAttribute(raw + path, "user." + random.nextInt(3), name(random));
            }
            posix.owner(raw + path, random.nextInt(3) * 1000L, random.nextInt(3));
            posix.mode(raw + path, random.nextInt(010000));
        }
        for (String path : folders) {
            posix.mode(raw + path, 0700 | random.nextInt(010000));
        }
    }

    private static void content(Posix posix, String file, Random random) throws IOException {
        Path beside = Files.createTempFile("drawn", "");
        byte[] bytes = new byte[random.nextInt(3) == 0 ? 0 : random.nextInt(200_000)];
        if (random.nextBoolean()) {
            random.nextBytes(bytes);
        }
        Files.write(beside, bytes);
        int to = posix.create(file);
        SparseCopy.copy(posix, Posix.raw(beside), to, file);
        posix.close(to);
        Files.delete(beside);
    }

    /** Any bytes but 0 and the slash. */
    private static String name(Random random) {
        var text = new StringBuilder();
        for (int i = 1 + random.nextInt(6); i > 0; i--) {
            char one = (char) (1 + random.nextInt(255));
            text.append(one == '/' ? '_' : one);
        }
        return text.toString();
    }
}
