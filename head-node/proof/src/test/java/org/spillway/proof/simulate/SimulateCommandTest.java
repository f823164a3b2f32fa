package org.spillway.proof.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobState;
import org.spillway.cli.CliFailure;
import org.spillway.head.cause.Cause;
import org.spillway.head.config.FakeDriver;
import org.spillway.head.config.Installed;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.SqliteJournalStore;
import org.spillway.policy.Resources;
import org.spillway.policy.builtin.BuiltInPolicies;
import org.spillway.scaler.policyhost.PolicyTrial;
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
        return new CommandLine(new SimulateCommand(() -> new Installed(Map.of(), Map.of(), Map.of())))
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
                        home: 2 x node of 64 CPUs, 8 GPUs; clouds: cloud-a, cloud-b; seed 1

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

    /** H6: policies from files could not be simulated. */
    @Test
    void onesOwnPolicyIsHeldAgainstThoseThatAreBuiltIn() throws Exception {
        Path own = Files.writeString(folder.resolve("NightShift.java"), PolicyTrial.example("night-shift"));
        Path json = folder.resolve("own.json");

        assertThat(run(JOBS, "--home-nodes", "2", "--policy", own.toString(), "--json", json.toString()))
                .as("%s", err)
                .isZero();
        JsonNode policies = JsonMapper.builder().build().readTree(json.toFile()).path("policies");
        assertThat(policies.findValuesAsText("policy")).containsExactly("night-shift", "queue-depth", "cost-first");
        assertThat(policies.get(0).path("finished").asInt()).isEqualTo(4);
        assertThat(policies.get(0).path("failures").asInt()).isZero();
        assertThat(policies.get(0).path("launched").asInt()).isPositive();
        assertThat(out.toString()).contains("night-shift  ");

        String settings = ":idleTime=10m";
        assertThat(run(JOBS, "--policies", folder.toString(), "--policy", "night-shift" + settings, "--policy", "age"))
                .as("%s", err)
                .isZero();
        assertThat(out.toString()).contains("night-shift:idleTime=10m");
    }

    @Test
    void onesOwnPolicyIsRefusedAndFailsWithFileAndLine() throws Exception {
        String good = PolicyTrial.example("night-shift");
        Path wrong = Files.writeString(
                folder.resolve("Wrong.java"),
                good.replace("NightShift", "Wrong").replaceFirst("List<Wish> wishes", "List<Wish> wish"));
        assertThat(run(JOBS, "--policy", wrong.toString())).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(err.toString()).containsPattern("Wrong\\.java:[0-9]+:[0-9]+: ");

        assertThat(run(JOBS, "--policy", "nobodys.java")).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(err.toString()).contains("there is no file nobodys.java");

        // Random clusters are in 2026, the log is of 2017.
        String throwing = "if (now.now().toString().startsWith(\"2017\")) { throw new IllegalStateException(\"no\"); }";
        Path late = Files.writeString(
                folder.resolve("Late.java"),
                good.replace("NightShift", "Late")
                        .replaceFirst("(public List<Wish> decide\\([^{]*\\{)", "$1 " + throwing));
        assertThat(run(JOBS, "--policy", late.toString(), "--home-nodes", "2"))
                .as("%s", err)
                .isEqualTo(CliFailure.FAILED);
        assertThat(err.toString())
                .contains("policy night-shift gave no answer to ")
                .containsPattern("threw .*no \\(Late\\.java:[0-9]+\\)")
                .contains("was asked no more");
    }

    private static final String SITES = """
            cluster: demo
            budget: { limit: 5000.00, period: month }
            directory: { source: nss }
            image: { name: base, tree: . }
            queues: { a: { sites: [east] } }
            sites: { east: { driver: local, maxNodes: 9, director: { type: gpu8 } } }
            """;

    private static final String SOLD = """
            {"offerings": [{"site": "east", "zone": "z", "type": "gpu8", "market": "on-demand", "cpus": 48,
            "memoryBytes": 549755813888, "gpus": 8, "gpuModel": "", "gpuMemoryBytes": 0, "localDiskBytes": 0,
            "fabric": "", "architecture": "x86_64", "features": [], "pricePerHour": "10", "health": "good",
            "retryAt": null}]}
            """;

    private JsonNode onSites(Path log, String limits) throws IOException {
        Path config = Files.writeString(folder.resolve("spillway.yaml"), SITES + limits);
        Path sold = Files.writeString(folder.resolve("offerings.json"), SOLD);
        Path json = folder.resolve("out.json");
        Map<String, Record> policies = new HashMap<>();
        BuiltInPolicies.byName().forEach((name, policy) -> policies.put(name, policy.defaults()));
        int code = new CommandLine(
                        new SimulateCommand(() -> new Installed(Map.of("local", new FakeDriver()), policies, Map.of())))
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setExecutionExceptionHandler((failed, line, result) -> {
                    line.getErr().println(failed.getMessage());
                    return failed instanceof CliFailure told ? told.exitCode() : 99;
                })
                .execute(
                        "--log",
                        log.toString(),
                        "--sites",
                        config.toString(),
                        "--offerings",
                        sold.toString(),
                        "--home-nodes",
                        "1",
                        "--policy",
                        "queue-depth",
                        "--json",
                        json.toString());
        assertThat(code).as("%s", err).isZero();
        return JsonMapper.builder()
                .build()
                .readTree(Files.readAllBytes(json))
                .path("policies")
                .path(0);
    }

    /** A head's own journal, its own sites, and their limits. */
    @Test
    void aJournalOnTheSitesOfAConfigurationWithItsLimits() throws Exception {
        Path state = Files.createDirectories(folder.resolve("state"));
        try (SqliteJournalStore store = SqliteJournalStore.open(state)) {
            Journal journal = new Journal(store, Instant.EPOCH);
            for (int i = 0; i < 5; i++) {
                ended(journal, "j" + i, Instant.parse("2026-11-02T08:00:00Z").plusSeconds(600L * i));
            }
        }
        Path log;
        try (var files = Files.list(state)) {
            log = files.filter(file -> file.toString().endsWith(".db"))
                    .findFirst()
                    .orElseThrow();
        }
        JsonNode free = onSites(log, "");
        JsonNode limited = onSites(log, "limits: [ { user: ada, gpus: 8 } ]\n");
        assertThat(free.path("jobs").asInt()).isEqualTo(5);
        assertThat(limited.path("finished").asInt()).isEqualTo(5);
        assertThat(free.path("waitP95Seconds").asDouble()).isLessThan(3600);
        assertThat(limited.path("waitP95Seconds").asDouble())
                .as("one at a time beside the one at home")
                .isGreaterThan(3600);
    }

    private static void ended(Journal journal, String id, Instant submitted) {
        JobSpec spec = JobSpec.of(draft -> {
            draft.name = id;
            draft.owner = new JobSpec.Owner("ada", 1000, 1000);
            draft.queue = "a";
            draft.sites = List.of("east");
            draft.program = new JobSpec.Program("#!/bin/sh\n", List.of(), Map.of());
            draft.need = new JobSpec.Need(Resources.of(8, 1L << 30, 8), 1, Duration.ofHours(2));
            draft.data = new JobSpec.Data(List.of(), List.of(), "/home/ada");
            draft.idempotencyKey = JobSpec.Key.of(id);
            draft.submittedAt = submitted;
        });
        JobRun.End end = JobRun.End.of(submitted, submitted.plusSeconds(3600), 0, Cause.NONE, true, "s", null);
        JobRun run = JobRun.NONE.at("east").startedOn(List.of("n"), 0).ended("n", end);
        JobRecord job = new JobRecord(id, spec, JobState.SUBMITTED, Cause.NONE, submitted, JobRun.NONE);
        Instant over = submitted.plusSeconds(3700);
        for (JobState state : List.of(JobState.STAGING_IN, JobState.QUEUED, JobState.RUNNING, JobState.STAGING_OUT)) {
            journal.commit(submitted, job);
            job = job.with(run).to(state, Cause.NONE, over);
        }
        journal.commit(over, job);
        journal.commit(over, job.to(JobState.DONE, Cause.NONE, over));
    }
}
