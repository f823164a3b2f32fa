package org.spillway.image.store;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.image.ImageRefused;

/** Programs that make one file of a tree. The same tree gives the same bytes, by the same release of them. */
final class RootWriter {
    /** Part of each file: a drawn one would make another file of each build. */
    private static final String ID = "5b1c9f04-3c39-4d3e-9d34-7d6d1e6c2a01";

    private static final int BLOCK_BYTES = 4096;
    private static final int LINES_TOLD = 25;
    private static final Pattern ROOT_HASH = Pattern.compile("Root hash:[^0-9a-f]*([0-9a-f]{64})");

    private RootWriter() {}

    /** @throws ImageRefused if this is another user than root, or mkfs.erofs is missing or fails */
    static void write(Path tree, Path file) throws IOException, InterruptedException {
        // A tree on the disk is what mkfs.erofs of Debian 12 reads, and owners are root's to give.
        run(
                List.of(
                        "mkfs.erofs",
                        "--quiet",
                        "-zlz4hc,9",
                        "-C65536",
                        "-T0",
                        "-U" + ID,
                        file.toString(),
                        tree.toString()),
                "mkfs.erofs",
                "erofs-utils");
        if (Files.size(file) % BLOCK_BYTES != 0) {
            throw new ImageRefused("mkfs.erofs has made a file that ends within a block");
        }
    }

    /** Puts the tree of hashes behind the file system. @return its root hash; empty where veritysetup is not installed */
    static Optional<String> addHashes(Path file, String salt) throws IOException, InterruptedException {
        if (!isInstalled("veritysetup")) {
            return Optional.empty();
        }
        long data = Files.size(file);
        String said = run(
                List.of(
                        "veritysetup",
                        "format",
                        "--salt=" + salt,
                        "--uuid=" + ID,
                        "--data-blocks=" + data / BLOCK_BYTES,
                        "--hash-offset=" + data,
                        file.toString(),
                        file.toString()),
                "veritysetup",
                "cryptsetup-bin");
        Matcher hash = ROOT_HASH.matcher(said);
        if (!hash.find()) {
            throw new ImageRefused("veritysetup did not say a root hash: " + said);
        }
        return Optional.of(hash.group(1));
    }

    private static boolean isInstalled(String program) {
        return List.of((System.getenv().getOrDefault("PATH", "") + ":/usr/sbin:/sbin").split(":")).stream()
                .anyMatch(folder -> !folder.isEmpty() && Files.isExecutable(Path.of(folder, program)));
    }

    private static String run(List<String> command, String program, String where)
            throws IOException, InterruptedException {
        if (!isInstalled(program)) {
            throw new ImageRefused(program + " is not installed here; apt install " + where);
        }
        var builder = new ProcessBuilder(new ArrayList<>(command)).redirectErrorStream(true);
        builder.redirectInput(ProcessBuilder.Redirect.from(new java.io.File("/dev/null")));
        builder.environment().merge("PATH", "/usr/sbin:/sbin", (path, system) -> path + ":" + system);
        Process process = builder.start();
        var last = new ArrayDeque<String>();
        try (var lines =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.ISO_8859_1))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                last.addLast(line.replaceAll("\\p{Cntrl}", "?"));
                if (last.size() > LINES_TOLD) {
                    last.removeFirst();
                }
            }
            if (process.waitFor() != 0) {
                throw new ImageRefused(program + " ended with " + process.exitValue() + ": " + String.join("; ", last));
            }
        } finally {
            process.destroyForcibly();
        }
        return String.join("\n", last);
    }
}
