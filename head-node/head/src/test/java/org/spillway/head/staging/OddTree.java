package org.spillway.head.staging;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.spillway.stage.Sha256;

/** A tree of files as nobody makes it on purpose, and what of it has to arrive. */
final class OddTree {
    private static final List<String> NAMES = List.of(
            "plain",
            "Plain",
            "PLAIN",
            "-rf",
            "--checkpoint-action=exec=sh",
            "a b",
            " ",
            "line\nbreak",
            "tab\t",
            "'quoted\"",
            "back\\slash",
            "*",
            "[a-z]?{x,y}",
            "#",
            "~",
            ".hidden",
            "...",
            "grün",
            "💾",
            "e\u0301",
            "\u00e9",
            "%s%n$HOME",
            "|",
            "NUL",
            "\u202etxt.exe");
    private static final List<String> MODES =
            List.of("rw-r--r--", "rwxr-xr-x", "rw-------", "r--------", "rwx------", "r-xr-xr-x", "rw-rw-rw-");

    /** A file as it arrives. @param modifiedSeconds -1 where that does not travel */
    record Facts(long bytes, String sha256, boolean executable, long modifiedSeconds) {}

    private final Random random;
    private final List<Path> folders = new ArrayList<>();
    private final List<Path> files = new ArrayList<>();

    private OddTree(Path folder, Random random) {
        this.random = random;
        folders.add(folder);
    }

    /** Makes one; at least one file is in it. */
    static void grow(Path folder, Random random) throws IOException {
        OddTree tree = new OddTree(Files.createDirectories(folder), random);
        tree.file();
        for (int i = 2 + random.nextInt(30); i > 0; i--) {
            switch (random.nextInt(10)) {
                case 0 -> tree.folder();
                case 1 -> tree.link();
                default -> tree.file();
            }
        }
        // Folders last: what is put into one changes it.
        for (Path file : tree.files) {
            Files.setLastModifiedTime(
                    file,
                    FileTime.from(Instant.ofEpochSecond(1 + random.nextLong(1L << 30), random.nextInt(1_000_000_000))));
            Files.setPosixFilePermissions(
                    file, PosixFilePermissions.fromString(MODES.get(random.nextInt(MODES.size()))));
        }
    }

    private Path free() {
        Path folder = folders.get(random.nextInt(folders.size()));
        String name = NAMES.get(random.nextInt(NAMES.size()));
        while (Files.exists(folder.resolve(name), LinkOption.NOFOLLOW_LINKS)) {
            name = random.nextInt(4) == 0 ? longest() : name + random.nextInt(10);
        }
        return folder.resolve(name);
    }

    /** 255 bytes, some of them in letters of two. */
    private String longest() {
        StringBuilder name = new StringBuilder(random.nextBoolean() ? "ü" : "-x");
        while (name.toString().getBytes(StandardCharsets.UTF_8).length < 255) {
            name.append((char) ('a' + random.nextInt(26)));
        }
        return name.toString();
    }

    private void folder() throws IOException {
        folders.add(Files.createDirectory(free()));
    }

    private void file() throws IOException {
        Path file = free();
        if (!files.isEmpty() && random.nextInt(8) == 0) {
            Files.createLink(file, files.get(random.nextInt(files.size())));
            return;
        }
        if (!files.isEmpty() && random.nextInt(8) == 0) {
            Files.copy(files.get(random.nextInt(files.size())), file);
        } else if (random.nextInt(6) == 0) {
            sparse(file);
        } else {
            byte[] bytes =
                    new byte[random.nextInt(5) == 0 ? 0 : random.nextInt(random.nextInt(4) == 0 ? 400_000 : 3000)];
            random.nextBytes(bytes);
            Files.write(file, bytes);
        }
        files.add(file);
    }

    /** Holes, and a few bytes among them; now and then of more than one piece. */
    private void sparse(Path file) throws IOException {
        long length = random.nextInt(12) == 0 ? 9L << 20 : 1 + random.nextInt(1 << 20);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            for (int i = random.nextInt(4); i >= 0; i--) {
                channel.write(ByteBuffer.wrap("x".getBytes(StandardCharsets.UTF_8)), random.nextLong(length));
            }
            channel.write(ByteBuffer.allocate(1), length - 1);
        }
    }

    private void link() throws IOException {
        Path link = free();
        Path to = switch (random.nextInt(4)) {
            case 0 -> Path.of("nothing there");
            case 1 -> folders.get(random.nextInt(folders.size()));
            default -> files.get(random.nextInt(files.size()));
        };
        Files.createSymbolicLink(link, to);
    }

    /** Something happens to a file while others read. @return whether there was any */
    static boolean change(Path folder, Random random) throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(folder)) {
            all = walk.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .sorted()
                    .toList();
        }
        if (all.size() < 2) {
            return false;
        }
        Path file = all.get(random.nextInt(all.size()));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        switch (random.nextInt(4)) {
            case 0 -> Files.write(file, new byte[1 + random.nextInt(2000)], StandardOpenOption.APPEND);
            case 1 -> Files.write(file, new byte[random.nextInt(10)]);
            case 2 -> {
                byte[] bytes = Files.readAllBytes(file);
                random.nextBytes(bytes);
                Files.write(file, bytes);
            }
            default -> Files.delete(file);
        }
        return true;
    }

    /** The files that are there, and links to such as what they lead to; names as they are below the folder. */
    static TreeMap<String, Facts> of(Path folder, boolean times) throws IOException {
        TreeMap<String, Facts> all = new TreeMap<>();
        try (Stream<Path> walk = Files.walk(folder)) {
            for (Path file : walk.filter(Files::isRegularFile).toList()) {
                try (InputStream in = Files.newInputStream(file)) {
                    var sum = Sha256.of(in, OutputStream.nullOutputStream());
                    long seconds = Files.getLastModifiedTime(file).toInstant().getEpochSecond();
                    boolean executable = PosixFilePermissions.toString(Files.getPosixFilePermissions(file))
                                    .charAt(2)
                            == 'x';
                    all.put(
                            folder.relativize(file).toString(),
                            new Facts(sum.bytes(), sum.sha256(), executable, times ? seconds : -1));
                }
            }
        }
        return all;
    }
}
