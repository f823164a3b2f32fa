package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.cli.CliFailure;

/** Inputs that a site pulls from a web server of others: no byte of them comes to the head. */
@Tag("processes")
@Timeout(600)
final class OtherEndsTest {
    @TempDir
    static Path folder;

    private static HeadFixture head;
    private static FileServer server;

    @BeforeAll
    static void start() throws IOException {
        server = new FileServer(Files.createDirectories(folder.resolve("server")));
        head = new HeadFixture(Files.createDirectories(folder.resolve("head")));
        server.trustedBy(head);
        head.start();
    }

    @AfterAll
    static void end() throws IOException {
        if (head != null) {
            head.close();
        }
        if (server != null) {
            server.close();
        }
    }

    private static byte[] noise(int bytes, long seed) {
        byte[] noise = new byte[bytes];
        new Random(seed).nextBytes(noise);
        return noise;
    }

    private static String submit(String script, Path result, JobSubmission.Input... inputs) {
        return FileServer.submit(head, script, result, inputs);
    }

    @Test
    void aFileComesFromAServer() throws IOException {
        byte[] file = noise(12_000_000, 1);
        server.files.put("/data/f.bin", file);
        Path result = folder.resolve("one.txt");
        Path home = Files.writeString(folder.resolve("home.txt"), "from home\n");
        String job = submit(
                "#!/bin/sh\nsha256sum <in/g.bin >out.txt; cat home.txt >>out.txt\n",
                result,
                new JobSubmission.Input(server.url("/data/f.bin"), "in/g.bin"),
                new JobSubmission.Input(home.toString(), ""));
        JobDetail end = head.awaitEnd(job);
        assertThat(end.job().state()).as(end + head.tail()).isEqualTo(JobState.DONE);
        assertThat(result).hasContent(FileServer.sha256(file) + "  -\nfrom home\n");
        assertThat(end.transfers().getFirst().what()).contains("2 inputs", server.url("/data/f.bin"));
        assertThat(end.transfers().getFirst().totalBytes()).isGreaterThan(file.length);
        assertThat(server.sent("/data/f.bin")).isEqualTo(file.length);

        String again = submit(
                "#!/bin/sh\nsha256sum <f.bin >out.txt\n",
                result,
                new JobSubmission.Input(server.url("/data/f.bin"), ""));
        assertThat(head.awaitEnd(again).job().state()).isEqualTo(JobState.DONE);
        assertThat(server.sent("/data/f.bin")).as("nothing came again").isEqualTo(file.length);
    }

    @Test
    void aListComesAndSaysWhatDidNot() throws IOException {
        Map<String, byte[]> files =
                IntStream.range(0, 700).boxed().collect(Collectors.toMap(i -> "/list/" + i, i -> noise(1000 + i, i)));
        server.files.putAll(files);
        Path list = folder.resolve("seeds.urls");
        String lines = IntStream.range(0, 700)
                .mapToObj(i -> server.url("/list/" + i) + "\tseeds/" + i + ".dat\t"
                        + FileServer.sha256(files.get("/list/" + i)))
                .collect(Collectors.joining("\n"));
        Files.writeString(
                list, "# seeds\n" + lines + "\n" + server.url("/list/absent") + "?token=hidden\tseeds/absent\n");
        Path result = folder.resolve("list/out.txt");
        Files.createDirectories(result.getParent());
        String script = "#!/bin/sh\nfind in/seeds -type f | wc -l >out.txt; sha256sum <in/seeds/699.dat >>out.txt\n";
        var input = new JobSubmission.Input("urls:" + list, "in");
        String job = submit(script, result, input);
        JobDetail end = head.awaitEnd(job);
        assertThat(end.job().state()).isEqualTo(JobState.FAILED);
        assertThat(end.job().cause().code()).isEqualTo("INPUTS_MISSING");
        assertThat(end.job().reason()).contains("1 of 701 files").doesNotContain("hidden");
        List<String> table = Files.readAllLines(result.resolveSibling("spillway-" + job + ".inputs.tsv"));
        assertThat(table).hasSize(702);
        assertThat(table.getLast())
                .isEqualTo("in/seeds/absent\t" + server.url("/list/absent") + "?...\tabsent\t0\t404");
        assertThat(table.get(1)).startsWith("in/seeds/0.dat\t").endsWith("\tcame\t1000\t");

        long sent = server.sent("/list/");
        Files.writeString(list, lines + "\n");
        JobDetail good = head.awaitEnd(submit(script, result, input));
        assertThat(good.job().state()).as(good.toString()).isEqualTo(JobState.DONE);
        assertThat(result).hasContent("700\n" + FileServer.sha256(files.get("/list/699")) + "  -\n");
        assertThat(server.sent("/list/")).as("nothing came again").isEqualTo(sent);
        assertThat(Files.readString(head.log())).doesNotContain("hidden");
    }

    @Test
    void whatCannotBeHadIsSaidAtOnce() {
        Path result = folder.resolve("never.txt");
        for (Map.Entry<String, String> one : Map.of(
                        "ftp://127.0.0.1/x",
                        "https://HOST/PATH, s3://BUCKET/KEY",
                        "https://me:hunter2@127.0.0.1/x",
                        "a password does not belong into a URL",
                        server.url("/data/absent"),
                        "there is no such file",
                        "https://169.254.169.254/latest",
                        "inputs may not come from 169.254.169.254",
                        "s3://nobody@bucket/key",
                        "profile 'nobody'")
                .entrySet()) {
            String said = "";
            try {
                submit("#!/bin/sh\ntrue\n", result, new JobSubmission.Input(one.getKey(), ""));
            } catch (CliFailure refused) {
                said = String.valueOf(refused.getMessage()) + refused.hint();
            }
            assertThat(said).as(one.getKey()).contains(one.getValue()).doesNotContain("hunter2");
        }
    }

    @Test
    void killsOfHeadAndDirectorCostLittle() throws IOException {
        byte[] file = noise(60_000_000, 9);
        server.files.put("/slow/f.bin", file);
        server.slow("/slow/f.bin", 8_000_000);
        Path result = folder.resolve("killed.txt");
        String job = submit(
                "#!/bin/sh\nsha256sum <f.bin >out.txt\n",
                result,
                new JobSubmission.Input(server.url("/slow/f.bin"), ""));
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> server.sent("/slow/f.bin") > 20_000_000))
                .isTrue();
        assertThat(head.job(job).transfers().getFirst().movedBytes()).isBetween(1L, (long) file.length);
        head.kill();
        Processes.ofInstances(head.folder()).stream()
                .filter(pid -> Processes.commandLine(pid).contains("DirectorMain"))
                .forEach(Processes::kill);
        head.start();
        JobDetail end = head.awaitEnd(job);
        assertThat(end.job().state()).as(end + head.tail()).isEqualTo(JobState.DONE);
        assertThat(result).hasContent(FileServer.sha256(file) + "  -\n");
        assertThat(server.sent("/slow/f.bin")).isLessThan(file.length + (64L << 20) / 2);
    }

    @Test
    void aCancelledJobPullsNoMore() throws IOException {
        byte[] file = noise(60_000_000, 10);
        server.files.put("/cancel/f.bin", file);
        server.slow("/cancel/f.bin", 2_000_000);
        String job = submit(
                "#!/bin/sh\ntrue\n",
                folder.resolve("cancelled.txt"),
                new JobSubmission.Input(server.url("/cancel/f.bin"), ""));
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> server.sent("/cancel/f.bin") > 1_000_000))
                .isTrue();
        head.client().post("/jobs/" + job + "/cancel");
        assertThat(head.awaitEnd(job).job().state()).isEqualTo(JobState.CANCELLED);
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> server.open() == 0))
                .isTrue();
        assertThat(server.sent("/cancel/f.bin")).isLessThan(file.length);
    }
}
