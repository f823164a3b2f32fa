package org.spillway.head.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.head.cli.CliFailure;
import org.spillway.head.config.Installed;
import picocli.CommandLine;

class SimulateCommandTest {
    private static final String HEADER = "timestamp,duration,num_gpus,gpu_time,cluster\n";
    private static final String JOBS = HEADER + """
                    2017-10-09 07:00:00,7200,8,57600,a
                    2017-10-09 07:00:00,7200,8,57600,a
                    2017-10-09 07:10:00,600,8,4800,b
                    2017-10-09 07:20:00,60,1,60,b
                    """;

    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String log, String... more) throws IOException {
        Path file = Files.writeString(folder.resolve("log.csv"), log);
        List<String> arguments = new ArrayList<>(List.of("--log", file.toString()));
        arguments.addAll(List.of(more));
        return new CommandLine(new SimulateCommand(() -> new Installed(Map.of(), Map.of())))
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setExecutionExceptionHandler((failed, line, result) -> {
                    line.getErr().println(failed.getMessage());
                    return ((CliFailure) failed).exitCode();
                })
                .execute(arguments.toArray(String[]::new));
    }

    @Test
    void theTable() throws Exception {
        assertThat(run(JOBS, "--home-nodes", "2", "--policy", "queue-depth")).isZero();

        assertThat(out.toString().replaceAll("[0-9.]+ s\\n$", "0.0 s\n")).isEqualTo("""
                        log.csv (philly): 4 jobs
                        home: 2 node of 64 CPUs, 8 GPUs; clouds: cloud-a, cloud-b; seed 1

                        """ + golden());
    }

    private static String golden() throws IOException {
        try (var in = SimulateCommandTest.class.getResourceAsStream("table.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void brokenLinesAreRefusedAndLenientlyCounted() throws Exception {
        assertThat(run(JOBS + "nonsense\n")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(err.toString()).contains("log.csv:6: 1 columns instead of 5").contains("1 broken line");

        assertThat(run(JOBS + "nonsense\n", "--lenient")).isZero();
        assertThat(out.toString()).contains("1 broken lines skipped, the first: log.csv:6");
    }

    @Test
    void whatContradictsOrIsUnknownIsRefused() throws Exception {
        assertThat(run(JOBS, "--policy", "oracle")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(run(JOBS, "--policy", "queue-depth:idleTime=soon")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(run(JOBS, "--policy", "queue-depth:mood=good")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(run(JOBS, "--home-nodes", "2", "--home-load", "0.5")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(run(JOBS, "--half", "third")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(run(JOBS, "--from", "2018-01-01")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(run(JOBS, "--sites", "spillway.yaml")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(run(JOBS, "--tick", "1ms")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(run(JOBS, "--budget", "-1")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(run(JOBS, "--format", "xml")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(err.toString())
                .contains("there is no policy 'oracle'")
                .contains("idleTime")
                .contains("mood");
    }

    @Test
    void thePageNeedsNothingBesideItAndNamesAreEscaped() throws Exception {
        Path html = folder.resolve("out.html");
        Path json = folder.resolve("out.json");

        assertThat(run(JOBS, "--html", html.toString(), "--json", json.toString(), "--policy", "queue-depth+age"))
                .isZero();

        assertThat(Files.readString(html))
                .contains("<svg")
                .contains("prefers-color-scheme: dark")
                .doesNotContain("http:")
                .doesNotContain("https:")
                .doesNotContain("src=");
        assertThat(Files.readString(json)).contains("\"waitP95Seconds\"").contains("\"seed\" : 1");
    }
}
