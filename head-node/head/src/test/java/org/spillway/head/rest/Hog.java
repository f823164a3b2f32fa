package org.spillway.head.rest;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** A process of another uid that begins requests and does not end them, and asks others beside them. Needs root. */
final class Hog implements AutoCloseable {
    private static final String PROGRAM = """
            import java.nio.ByteBuffer;
            import java.nio.channels.*;
            import java.nio.file.Path;
            import java.util.*;
            SocketChannel open(String socket, String request) throws Exception {
                var channel = SocketChannel.open(java.net.UnixDomainSocketAddress.of(Path.of(socket)));
                channel.write(ByteBuffer.wrap(request.replace("\\n", "\\r\\n").getBytes()));
                return channel;
            }
            void main(String[] args) throws Exception {
                var held = new ArrayList<SocketChannel>();
                var begun = "POST /api/v1/jobs HTTP/1.1\\nHost: x\\nContent-Length: 100\\n\\n{";
                for (int i = 0; i < Integer.parseInt(args[1]); i++) {
                    held.add(open(args[0], begun));
                }
                for (var line = IO.readln(); line != null; line = IO.readln()) {
                    if (line.equals("let go")) {
                        for (var one : held) {
                            one.close();
                        }
                    } else if (line.equals("hold")) {
                        held.add(open(args[0], begun));
                    } else {
                        try (var one = open(args[0], "GET /api/v1/health HTTP/1.1\\nHost: x\\nConnection: close\\n\\n")) {
                            var answer = new String(Channels.newInputStream(one).readAllBytes());
                            IO.println(answer.replace("\\r\\n", " "));
                        }
                    }
                }
            }
            """;

    private final Path program;
    private final Process process;
    private final BufferedReader answers;
    private final Writer commands;

    /** @param count how many it begins */
    Hog(Path socket, Path directory, int uid, int count) throws IOException {
        program = Files.writeString(directory.resolve("Hog" + uid + ".java"), PROGRAM);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rw-r--r--"));
        process = new ProcessBuilder(List.of(
                        "setpriv",
                        "--reuid=" + uid,
                        "--regid=" + uid,
                        "--clear-groups",
                        System.getProperty("java.home") + "/bin/java",
                        "-XX:TieredStopAtLevel=1",
                        program.toString(),
                        socket.toString(),
                        Integer.toString(count)))
                .directory(directory.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        commands = process.outputWriter(StandardCharsets.UTF_8);
    }

    /** The head's answer to one more request. */
    String ask() throws IOException {
        command("ask");
        return String.valueOf(answers.readLine());
    }

    /** As {@link #ask}, for another thread. */
    String answer() {
        try {
            return ask();
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }

    /** Begins one more. */
    void hold() throws IOException {
        command("hold");
    }

    void letGo() throws IOException {
        command("let go");
    }

    private void command(String line) throws IOException {
        commands.write(line + "\n");
        commands.flush();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.delete(program);
    }
}
