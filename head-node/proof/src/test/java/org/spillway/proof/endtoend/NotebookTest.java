package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.head.web.Browser;

/** ADR 74: a Jupyter in a job, in a real browser, over a line that is cut and a client that is killed. */
@Tag("processes")
@Timeout(900)
final class NotebookTest {
    private static final String LINK = "http://127\\.0\\.0\\.1:(\\d+)/\\?token=([0-9a-f]{48})";
    private static final Duration WARM = Duration.ofSeconds(15);
    private static final String CALCULATION = """
            {"cells": [{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [], "source": ["6*7"]}],
             "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
             "nbformat": 4, "nbformat_minor": 4}
            """;

    @TempDir
    static Path given;

    private static HeadFixture head;
    private static Browser browser;

    @BeforeAll
    static void start() throws IOException {
        boolean installed = Files.exists(Path.of("/usr/bin/jupyter-notebook")) && Browser.isInstalled();
        if (!installed) {
            System.err.println("NotebookTest is skipped: of Debian's packages jupyter-notebook, chromium and"
                    + " chromium-driver not all are here");
        }
        assumeTrue(installed || "true".equals(System.getenv("CI")), "no jupyter-notebook, chromium or chromium-driver");
        Path target = Files.createDirectories(Path.of("target").toAbsolutePath());
        browser = Browser.start(Files.createTempDirectory(target, "browser-"));
        head = new HeadFixture(given);
        head.start();
    }

    @AfterAll
    static void end() throws IOException {
        if (browser != null) {
            browser.close();
        }
        if (head != null) {
            head.close();
        }
    }

    private static Client client(String name, String... words) throws IOException {
        return new Client(head, Client.words(head, words), name);
    }

    private static int status(String address) throws IOException {
        var connection = (HttpURLConnection) URI.create(address).toURL().openConnection();
        try {
            return connection.getResponseCode();
        } finally {
            connection.disconnect();
        }
    }

    private static void until(String what, Client client, Callable<Boolean> condition) {
        await(what + "; " + client.shown())
                .atMost(HeadFixture.PATIENCE)
                .ignoreExceptions()
                .until(condition);
    }

    /** Runs all cells and waits for a last output. */
    private static void computes(Client client, String source, String result) throws IOException {
        browser.run("const cells = Jupyter.notebook; cells.insert_cell_at_bottom('code').set_text('" + source
                + "'); cells.execute_all_cells();");
        until(
                source + " is " + result,
                client,
                () -> browser.run(
                                "return [...document.querySelectorAll('.output_result')].map(e => e.innerText.trim()).join()")
                        .asText()
                        .endsWith(result));
    }

    private static void saves(Client client) throws IOException {
        browser.run("window.saved = false; Jupyter.notebook.save_notebook().then(() => { window.saved = true; })");
        until("it is saved", client, () -> browser.run("return window.saved").asBoolean());
    }

    private static boolean says(Path file, String text) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).contains(text);
        } catch (IOException unreadable) {
            return false;
        }
    }

    @Test
    void aNotebookLivesInABrowserUntilNobodyUsesIt() throws Exception {
        Path project = Files.createDirectory(head.folder().resolve("my [project]"));
        Path calculation = Files.writeString(project.resolve("calc.ipynb"), CALCULATION);
        Path given = Files.writeString(project.resolve("given.txt"), "given\n");
        String id;
        String port;
        String token;
        try (Client warms = client("warms", "run", "--time", "2m", "true")) {
            assertThat(warms.code()).as(warms.shown()).isZero();
        }
        try (Client client =
                client("first", "notebook", "--dir", "my [project]", "--idle", "1m", "--sync", "5s", "--time", "10m")) {
            id = client.shows("spillway: job (\\S+) is a notebook").group(1);
            long began = System.nanoTime();
            var link = client.shows(LINK);
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            System.err.println("NotebookTest: the link was there " + took.toMillis() + " ms after its job");
            assertThat(took).isLessThan(WARM);
            port = link.group(1);
            token = link.group(2);
            client.shows("costs 0.20 an hour; it ends when nobody has used it for 1 min");

            // Home goes on meanwhile, and what the notebook has not touched does not come back over it.
            Files.writeString(given, "changed at home\n");
            String base = "http://127.0.0.1:" + port;
            assertThat(status(base + "/api/contents")).isEqualTo(403);
            assertThat(status(base + "/api/contents?token=" + "0".repeat(48))).isEqualTo(403);
            assertThat(status(base + "/api/contents?token=" + token)).isEqualTo(200);
            anotherUserIsRefused(base + "/api/contents?token=" + token);

            browser.open(base + "/?token=" + token);
            browser.open(base + "/notebooks/calc.ipynb");
            until(
                    "its kernel",
                    client,
                    () -> browser.run("return Jupyter.notebook.kernel.is_connected()")
                            .asBoolean());
            computes(client, "1+1", "42,2");
            saves(client);
            until("it is at home while it runs", client, () -> says(calculation, "42"));
            assertThat(head.job(id).job().state()).isEqualTo(JobState.RUNNING);

            cut(client);
            computes(client, "40+3", "43");
            saves(client);
        }
        // The client is gone without a word, and the tab is still there.
        try (Client client = client("again", "notebook", "--port", port, id)) {
            client.shows(LINK);
            until(
                    "its kernel again",
                    client,
                    () -> browser.run("return Jupyter.notebook.kernel.is_connected()")
                            .asBoolean());
            computes(client, "40+4", "44");
            saves(client);
            assertThat(secretPlaces(token)).isEmpty();

            // The tab is left open.
            assertThat(client.code()).as(client.shown()).isZero();
            client.shows("nobody used it for 60 s.*its files are in " + Pattern.quote(project.toString()));
        }
        JobDetail ended = head.awaitEnd(id);
        assertThat(ended.job().state()).as(ended.toString()).isEqualTo(JobState.DONE);
        assertThat(Files.readString(calculation)).contains("42", "43", "44");
        assertThat(Files.readString(given)).isEqualTo("changed at home\n");
        try (Stream<Path> all = Files.list(project)) {
            assertThat(all).containsExactlyInAnyOrder(calculation, given);
        }
        assertThat(secretPlaces(token)).isEmpty();
    }

    /** Told when nothing was heard for more than ten seconds. */
    private static void cut(Client client) throws Exception {
        List<Long> directors = BadLuckTest.processes(head, "director");
        assertThat(directors).isNotEmpty();
        for (long pid : directors) {
            TwoHeadsTest.run("kill", "-STOP", Long.toString(pid));
        }
        try {
            client.shows("the line is cut; it is tried again");
        } finally {
            for (long pid : directors) {
                TwoHeadsTest.run("kill", "-CONT", Long.toString(pid));
            }
        }
    }

    private static void anotherUserIsRefused(String address) throws Exception {
        if ("root".equals(System.getProperty("user.name"))) {
            Process other = new ProcessBuilder(
                            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "curl", "-s", address)
                    .redirectErrorStream(true)
                    .start();
            assertThat(other.waitFor(HeadFixture.PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            assertThat(other.inputReader().readLine()).isNull();
            assertThat(other.exitValue()).isNotZero();
        }
    }

    /** Files of head and user, and command lines, that have it; the client's own output apart. */
    private static List<String> secretPlaces(String token) throws IOException {
        try (Stream<Path> files = Files.walk(head.folder());
                Stream<ProcessHandle> processes = ProcessHandle.allProcesses()) {
            List<String> inFiles = files.filter(Files::isRegularFile)
                    .filter(file -> !file.startsWith(head.folder().resolve("cloud")))
                    .filter(file -> !file.getFileName().toString().matches("(first|again)\\.out"))
                    .filter(file -> says(file, token))
                    .map(Path::toString)
                    .toList();
            List<String> inCommands = processes
                    .map(process -> Processes.commandLine(process.pid()))
                    .filter(line -> line.contains(token))
                    // The browser was told.
                    .filter(line -> !line.contains("chrom"))
                    .toList();
            return Stream.concat(inFiles.stream(), inCommands.stream()).toList();
        }
    }

    @Test
    void aNodeWithoutAJupyterSaysSo() throws Exception {
        try (Client client = client("none", "notebook", "--time", "5m", "--setup", "PATH=/nowhere")) {
            assertThat(client.code()).as(client.shown()).isEqualTo(127);
            client.shows("FAILED.*there is no Jupyter on .*jupyter-notebook or jupyter-server in /nowhere");
        }
    }

    @Test
    void anotherJobIsNoNotebook() throws Exception {
        try (Client job = client("another", "run", "--time", "5m", "sh", "-c", "echo up; cat")) {
            String id = job.shows("spillway: job (\\S+)\n.*up").group(1);
            try (Client client = client("refused", "notebook", id)) {
                assertThat(client.code()).as(client.shown()).isEqualTo(2);
                client.shows("job " + id + " is no notebook");
            }
            try (Client client = client("options", "notebook", "--gpus", "1", id)) {
                assertThat(client.code()).as(client.shown()).isEqualTo(2);
                client.shows("'" + id + "' is taken for a notebook that runs, and found --gpus");
            }
            job.keys.close();
            assertThat(job.code()).isZero();
        }
    }
}
