package org.spillway.cloud.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.localcloud.LocalCloudProcess.await;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.cloud.CloudDriver;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;

/** The local driver beyond the contract: its own local-cloud, and instances by the thousand. */
final class LocalDriverTest {
    private static final int MANY = 10_000;

    @TempDir
    private static Path directory;

    private static long cloudPid;

    /** Another JVM, as a head that ends: what it started lives on in a session of its own. */
    @BeforeAll
    static void startedByAHeadThatHasEnded() throws Exception {
        Files.writeString(directory.resolve("cloud.yaml"), """
                zones: [a]
                types:
                  - {name: paper, process: false, capacity: 20000, bootSeconds: 0}
                faults:
                  - {kind: boots-never, type: paper}
                """);
        Process head = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Head.class.getName(),
                        directory.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(head.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(head.waitFor(180, TimeUnit.SECONDS)).as(output).isTrue();
        assertThat(output).isEqualTo("WARNING, not there yet, 2 offerings, 2 offerings\n");
        cloudPid = pid();
    }

    /** Looks, which starts nothing; then two calls at once, of which one starts the local-cloud. */
    static final class Head {
        private Head() {}

        public static void main(String[] args) throws Exception {
            Path home = Path.of(args[0]);
            try (Site looking = open(home);
                    var both = Executors.newVirtualThreadPerTaskExecutor()) {
                String found = looking.diagnostics().check(Diagnostics.Needs.NONE).stream()
                        .map(finding -> finding.verdict().name())
                        .collect(Collectors.joining());
                found += Files.exists(home.resolve("cloud")) ? "" : ", not there yet";
                Callable<Integer> call = () -> {
                    try (Site site = open(home)) {
                        return site.compute().offerings().size();
                    }
                };
                for (var answer : both.invokeAll(List.of(call, call))) {
                    found += ", " + answer.get() + " offerings";
                }
                new PrintStream(System.out, true, StandardCharsets.UTF_8).println(found);
            }
        }
    }

    /** The cloud is nobody's child by then, so its death is seen by its pid. */
    @AfterAll
    static void endTheCloud() throws Exception {
        ProcessHandle cloud = ProcessHandle.of(cloudPid).orElseThrow();
        cloud.destroy();
        cloud.onExit().get(180, TimeUnit.SECONDS);
    }

    private static long pid() throws Exception {
        return Long.parseLong(Files.readString(directory.resolve("cloud/endpoint"))
                .split(" ", -1)[1]
                .strip());
    }

    private static Site open() {
        return open(directory);
    }

    private static Site open(Path home) {
        String config = home.resolve("cloud.yaml").toString();
        return new LocalDriver()
                .open(SiteSettings.of("tests", "here", Map.of("state", "cloud", "config", config), home));
    }

    private static LaunchRequest request(String intent, int count) {
        return LaunchRequest.of(intent, 1, new OfferingId("here", "a", "paper", Market.SPOT), count);
    }

    @Test
    void isFoundByItsName() {
        assertThat(ServiceLoader.load(CloudDriver.class))
                .filteredOn(driver -> driver.name().equals("local"))
                .singleElement()
                .isInstanceOf(LocalDriver.class);
    }

    @Test
    void nextHeadUsesTheSameCloud() throws Exception {
        try (Site site = open()) {
            assertThat(site.compute().offerings()).isNotEmpty();
            assertThat(site.diagnostics().check(Diagnostics.Needs.NONE))
                    .allSatisfy(finding -> assertThat(finding.verdict()).isEqualTo(Diagnostics.Verdict.GOOD));
        }
        assertThat(pid()).isEqualTo(cloudPid);
        assertThat(Files.readString(directory.resolve("cloud/local-cloud.log")))
                .contains("local-cloud: 127.0.0.1:")
                .doesNotContain(Files.readString(directory.resolve("cloud/token")));
    }

    /** The first instance boots never, by the configuration's fault; ten thousand others do. */
    @Test
    void listsTenThousandWhileOneBootsNever() throws Exception {
        try (Site site = open()) {
            String never = site.compute()
                    .launch(request("never", 1))
                    .instances()
                    .getFirst()
                    .id();
            long begin = System.nanoTime();
            assertThat(site.compute().launch(request("many", MANY)).outcome())
                    .isEqualTo(new LaunchOutcome.Launched(MANY));
            long launched = System.nanoTime();
            List<Instance> all = await(
                    () -> site.compute().list(),
                    list -> list.stream()
                                    .filter(i -> i.state() == Instance.State.RUNNING)
                                    .count()
                            == MANY);
            long listed = System.nanoTime();
            assertThat(all)
                    .hasSize(MANY + 1)
                    .allSatisfy(i -> assertThat(i.state())
                            .isEqualTo(i.id().equals(never) ? Instance.State.PENDING : Instance.State.RUNNING));
            site.compute().terminate(all.stream().map(Instance::id).toList());
            await(
                    () -> site.compute().list(),
                    list -> list.stream().noneMatch(i -> i.state() != Instance.State.TERMINATED));
            System.out.printf(
                    "%d instances: launch %d ms, list %d ms, end %d ms%n",
                    MANY,
                    Duration.ofNanos(launched - begin).toMillis(),
                    Duration.ofNanos(listed - launched).toMillis(),
                    Duration.ofNanos(System.nanoTime() - listed).toMillis());
        }
    }
}
