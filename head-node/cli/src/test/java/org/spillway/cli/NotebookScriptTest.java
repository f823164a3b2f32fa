package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The script of a notebook's job, with a program in the place of Jupyter. */
@Timeout(120)
final class NotebookScriptTest {
    /** As much of a server as is looked at: a socket, and answers to whoever has the token. */
    private static final String SERVER = """
            #!/usr/bin/env python3
            import http.server, json, os, socketserver, sys
            options = dict(each[2:].split("=", 1) for each in sys.argv[1:] if "=" in each)
            token = open(os.environ["JUPYTER_TOKEN_FILE"]).read()
            print("the token is " + token, flush=True)
            if "broken" in os.environ:
                sys.exit(3)
            class Answers(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    good = self.headers["Authorization"] == "token " + token
                    body = b"{}" if self.path == "/api" else b"[]"
                    self.send_response(200 if good else 403)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                def log_message(self, *words):
                    pass
            class Server(socketserver.ThreadingUnixStreamServer):
                def get_request(self):
                    return self.socket.accept()[0], ("local", 0)
            old = os.umask(0o177)
            server = Server(options["sock"], Answers)
            os.umask(old)
            server.serve_forever()
            """;

    @TempDir
    Path folder;

    private Process begin(String idle, String setup) throws IOException {
        assumeTrue(Files.exists(Path.of("/usr/bin/python3")), "no python3");
        Path tools = Files.createDirectories(folder.resolve("tools"));
        Files.writeString(tools.resolve("jupyter-lab"), SERVER);
        Files.setPosixFilePermissions(tools.resolve("jupyter-lab"), PosixFilePermissions.fromString("rwxr-xr-x"));
        Path script = Files.writeString(folder.resolve("script"), NotebookScript.text());
        Files.createDirectories(folder.resolve(".spillway"));
        var builder = new ProcessBuilder("/bin/sh", script.toString(), "a folder", idle, setup)
                .directory(folder.toFile())
                .redirectError(folder.resolve("err").toFile())
                .redirectOutput(folder.resolve("out").toFile());
        builder.environment().put("PATH", "/usr/bin:/bin");
        return builder.start();
    }

    private String err() throws IOException {
        return Files.readString(folder.resolve("err"));
    }

    private String setup(String more) {
        return "PATH='" + folder.resolve("tools") + "':$PATH" + more;
    }

    @Test
    void endsWhenNobodyUsesItAndItsSecretsAreItsUsersAlone() throws Exception {
        Process job = begin("1", setup(""));
        assertThat(job.waitFor(100, TimeUnit.SECONDS)).isTrue();
        assertThat(job.exitValue()).as(err()).isZero();
        assertThat(err()).isEqualTo("spillway: nobody used it for 1 s\n");
        Path place = folder.resolve(".spillway/notebook");
        List<String> link = Files.readAllLines(place.resolve("link"));
        assertThat(link.get(0)).startsWith("/tmp/notebook-");
        assertThat(link.get(1)).matches("[0-9a-f]{48}");
        assertThat(link.get(2)).isEqualTo("1");
        assertThat(Path.of(link.get(0)).getParent()).doesNotExist();
        assertThat(Files.readString(place.resolve("end"), StandardCharsets.UTF_8))
                .isEqualTo("nobody used it for 1 s\n");
        assertThat(folder.resolve("a folder")).isDirectory();
        assertThat(folder.resolve(".spillway/since")).exists();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(place)))
                .isEqualTo("rwx------");
        for (String name : List.of("link", "token", "log")) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(place.resolve(name))))
                    .as(name)
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void aJupyterThatFailsIsToldWithoutTheToken() throws Exception {
        Process job = begin("60", setup("; export broken=yes"));
        assertThat(job.waitFor(100, TimeUnit.SECONDS)).isTrue();
        assertThat(job.exitValue()).isEqualTo(1);
        assertThat(err()).contains("does not answer on a UNIX socket", "the token is ...");
    }

    @Test
    void withoutAJupyterItSaysWhatItLookedFor() throws Exception {
        Process job = begin("60", "PATH=/nowhere");
        assertThat(job.waitFor(100, TimeUnit.SECONDS)).isTrue();
        assertThat(job.exitValue()).isEqualTo(127);
        assertThat(err()).contains("jupyter-lab, jupyter-notebook or jupyter-server in /nowhere");
    }

    @Test
    void aSetupThatFailsEndsIt() throws Exception {
        Process job = begin("60", "false");
        assertThat(job.waitFor(100, TimeUnit.SECONDS)).isTrue();
        assertThat(job.exitValue()).isEqualTo(1);
        assertThat(err()).contains("--setup ended with 1: false");
    }
}
