package org.spillway.director;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A root file system of this machine's shell, a few programs and their libraries, made without a network. */
public final class SmallTree {
    private static final List<String> PROGRAMS =
            List.of("sh", "env", "id", "cat", "ls", "touch", "mkdir", "readlink", "sleep");

    private SmallTree() {}

    /** Whether file systems of it can be made and mounted here. */
    public static boolean isPossible() {
        return TestNodes.ROOT && Files.isExecutable(Path.of("/usr/bin/mkfs.erofs"));
    }

    /**
     * @param at absent, or an empty folder
     * @param says the text of its {@code /etc/spillway-image}
     * @param stranger a number that another account has there
     */
    public static Path make(Path at, String says, int stranger) throws Exception {
        for (String folder : List.of("bin", "etc", "usr/bin", "opt")) {
            Files.createDirectories(at.resolve(folder));
        }
        for (String program : PROGRAMS) {
            copy(program, at, at.resolve("bin"));
        }
        Files.createSymbolicLink(at.resolve("usr/bin/env"), Path.of("/bin/env"));
        Files.writeString(at.resolve("etc/spillway-image"), says + "\n");
        Files.writeString(
                at.resolve("etc/passwd"), "root:x:0:0::/:/bin/sh\nstranger:x:" + stranger + ":1::/:/bin/sh\n");
        Files.writeString(at.resolve("etc/group"), "root:x:0:\n");
        run("chmod", "-R", "go+rX", at.toString());
        return at;
    }

    /** Adds the programs of sessions, where this machine's packages can say which files are Perl's. */
    public static void withSessions(Path tree) throws Exception {
        for (String program : List.of("perl", "setpriv")) {
            copy(program, tree, tree.resolve("usr/bin"));
        }
        run(
                "sh",
                "-c",
                "dpkg -L perl-base | grep /perl-base/ | while read -r each; do [ -d \"$each\" ] || cp --parents -d -- \"$each\" \"$0\"; done",
                tree.toString());
    }

    private static void copy(String program, Path tree, Path to) throws IOException {
        Path real = real(program);
        Files.copy(real, to.resolve(program));
        for (String library : libraries(real)) {
            Path at = tree.resolve(library.substring(1));
            Files.createDirectories(at.getParent());
            if (!Files.exists(at)) {
                Files.copy(Path.of(library), at);
            }
        }
    }

    private static Path real(String program) throws IOException {
        for (String folder : List.of("/usr/bin", "/bin")) {
            Path file = Path.of(folder, program);
            if (Files.exists(file)) {
                return file.toRealPath();
            }
        }
        throw new IOException(program + " is missing on this machine");
    }

    private static List<String> libraries(Path program) throws IOException {
        Process ldd = new ProcessBuilder("ldd", program.toString()).start();
        String said = new String(ldd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return Stream.of(said.split("\\s+"))
                .filter(word -> word.startsWith("/"))
                .toList();
    }

    static void run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + said);
        }
    }
}
