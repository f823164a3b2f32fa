package org.spillway.cloud.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.cloud.localcloud.LocalCloudProcess.await;

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

/** What the local driver does beyond the contract: its own local-cloud, and instances by the thousand. */
final class LocalDriverTest {
    private static final int MANY = 10_000;

    @TempDir
    private static Path directory;

    private static long cloudPid;

    /** Two sessions of the driver at once: one of them starts the local-cloud, which both use. */
    @BeforeAll
    static void startedByTheFirstCall() throws Exception {
        Files.writeString(directory.resolve("cloud.yaml"), """
                zones: [a]
                types:
                  - {name: paper, process: false, capacity: 20000, bootSeconds: 0}
                faults:
                  - {kind: boots-never, type: paper}
                """);
        try (Site looking = open()) {
            assertThat(looking.diagnostics().check())
                    .singleElement()
                    .extracting(Diagnostics.Finding::verdict)
                    .isEqualTo(Diagnostics.Verdict.WARNING);
            assertThat(directory.resolve("cloud")).doesNotExist();
        }
        try (var both = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<List<Instance>> call = () -> {
                try (Site site = open()) {
                    return site.compute().list();
                }
            };
            for (var answer : both.invokeAll(List.of(call, call))) {
                assertThat(answer.get()).isEmpty();
            }
        }
        cloudPid = pid();
    }

    /** The cloud is nobody's child by then, so its death is seen by its pid. */
    @AfterAll
    static void endTheCloud() throws Exception {
        ProcessHandle cloud = ProcessHandle.of(cloudPid).orElseThrow();
        cloud.destroy();
        cloud.onExit().get(10, TimeUnit.SECONDS);
    }

    private static long pid() throws Exception {
        return Long.parseLong(Files.readString(directory.resolve("cloud/endpoint"))
                .split(" ", -1)[1]
                .strip());
    }

    private static Site open() {
        String config = directory.resolve("cloud.yaml").toString();
        return new LocalDriver()
                .open(new SiteSettings("tests", "here", Map.of("state", "cloud", "config", config), directory));
    }

    private static LaunchRequest request(String intent, int count) {
        return new LaunchRequest(intent, 1, new OfferingId("here", "a", "paper", Market.SPOT), count, "", "", Map.of());
    }

    @Test
    void isFoundByItsName() {
        assertThat(ServiceLoader.load(CloudDriver.class))
                .filteredOn(driver -> driver.name().equals("local"))
                .singleElement()
                .isInstanceOf(LocalDriver.class);
    }

    /** Another JVM, as a head that ends: what it started lives on in a session of its own, and is used again. */
    @Test
    void cloudOutlivesTheProcessThatStartedIt(@TempDir Path other) throws Exception {
        Process head = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Starter.class.getName(),
                        other.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(head.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(head.waitFor(20, TimeUnit.SECONDS)).as(output).isTrue();
        assertThat(head.exitValue()).as(output).isZero();
        String endpoint = Files.readString(other.resolve("cloud/endpoint")).strip();
        ProcessHandle cloud =
                ProcessHandle.of(Long.parseLong(endpoint.split(" ", -1)[1])).orElseThrow();
        try (Site site = new LocalDriver().open(new SiteSettings("tests", "here", Map.of("state", "cloud"), other))) {
            assertThat(site.compute().offerings()).isNotEmpty();
            assertThat(Files.readString(other.resolve("cloud/endpoint")).strip())
                    .isEqualTo(endpoint);
            assertThat(Files.readString(other.resolve("cloud/local-cloud.log")))
                    .doesNotContain(Files.readString(other.resolve("cloud/token")));
        } finally {
            cloud.destroy();
            cloud.onExit().get(10, TimeUnit.SECONDS);
        }
    }

    /** The short life of a head. */
    static final class Starter {
        private Starter() {}

        public static void main(String[] args) throws Exception {
            try (Site site = new LocalDriver()
                    .open(new SiteSettings("tests", "here", Map.of("state", "cloud"), Path.of(args[0])))) {
                new PrintStream(System.out, true, StandardCharsets.UTF_8)
                        .println(site.compute().offerings().size());
            }
        }
    }

    @Test
    void secondCallStartsNoSecondCloud() throws Exception {
        try (Site site = open()) {
            assertThat(site.compute().offerings()).isNotEmpty();
        }
        assertThat(pid()).isEqualTo(cloudPid);
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
