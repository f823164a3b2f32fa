package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.spillway.cloud.CloudDriver;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.Network;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.cloud.pacing.PacedSite;
import org.spillway.cloud.pacing.Pacing;
import org.spillway.cloud.pacing.Pause;

/** A local cloud that speaks EC2, in a folder of its own, and a site of the driver {@code aws} on it. */
final class EmulatedEc2 implements AutoCloseable {
    /** Instances without a process cost this machine next to nothing. */
    static final String PAPER = "t3.nano";

    static final String REAL = "t3.micro";
    static final String ZONE = "us-east-1a";
    private static final String CATALOGUE = """
            zones: [us-east-1a]
            types:
              - {name: t3.nano, cpus: 2, memoryGiB: 1, process: false, capacity: 20000, bootSeconds: 0.3}
              - {name: t3.micro, cpus: 2, memoryGiB: 1, capacity: 100, bootSeconds: 0.3}
            """;
    private static final Pattern LAUNCH = Pattern.compile("\\b(RunInstances|CreateFleet)\\b");
    /** Done, and not only tried (a dry run is answered with 412). */
    private static final Pattern CHANGE = Pattern.compile(" 200 (?!Describe|Get)[A-Z][A-Za-z]+\\b");

    private static final Duration START = Duration.ofMinutes(2);
    private static final Duration END = Duration.ofSeconds(60);
    private static final long LOOK_MILLIS = 50;

    private final Path folder;
    private final Process process;
    private final Site site;

    private EmulatedEc2(Path folder, Process process, Site site) {
        this.folder = folder;
        this.process = process;
        this.site = site;
    }

    static EmulatedEc2 start(Path launcher) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory(
                "spillway-bench", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Process process = begin(launcher, "ec2", folder, CATALOGUE);
        try {
            Path state = up(process, folder);
            Site site = open(folder, state);
            Network network = site.network().orElseThrow(() -> new IOException("the driver aws makes no network"));
            network.create();
            return new EmulatedEc2(folder, process, site);
        } catch (CloudException failed) {
            remove(process, folder);
            throw new IOException("the region got no network: " + failed.getMessage(), failed);
        } catch (IOException | InterruptedException | RuntimeException failed) {
            remove(process, folder);
            throw failed;
        }
    }

    /** A local cloud that speaks an API, in a folder; see {@link #up}, and {@link #remove}. */
    static Process begin(Path launcher, String api, Path folder, String catalogue) throws IOException {
        Path config = Files.writeString(folder.resolve("catalogue.yaml"), catalogue);
        var builder = new ProcessBuilder(
                        launcher.toString(),
                        "local-cloud",
                        "--api",
                        api,
                        "--state",
                        folder.resolve("cloud").toString(),
                        "--config",
                        config.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("cloud.log").toFile());
        builder.environment().put("SPILLWAY_NO_BUILD", "1");
        return builder.start();
    }

    /** @return its state directory, once it answers */
    static Path up(Process process, Path folder) throws IOException, InterruptedException {
        Path state = folder.resolve("cloud");
        HeadUnderTest.await(
                "the cloud is up", START, () -> Files.exists(state.resolve("endpoint")) || !process.isAlive());
        if (!process.isAlive()) {
            throw new IOException("the cloud does not start: "
                    + Files.readString(folder.resolve("cloud.log"), StandardCharsets.UTF_8));
        }
        return state;
    }

    private static Map<String, String> options(Path state) throws IOException {
        String endpoint = Files.readString(state.resolve("api-endpoint")).strip();
        return Map.of(
                "region", "us-east-1",
                "endpoint", endpoint,
                "pricingEndpoint", endpoint,
                "credentialsFile", state.resolve("api/ec2/credentials").toString(),
                "image", "ami-00000000000000001",
                "types", "t3.*",
                "adminCidr", "127.0.0.0/8",
                "sshPort", "2222",
                "consistencySeconds", "1");
    }

    /** Of a site of this cloud, such as the one that has made the network: cluster {@code bench}, site {@code ec2}. */
    Map<String, String> options() throws IOException {
        return options(folder.resolve("cloud"));
    }

    /** The account under the name of a cluster on demand. */
    Site asGuest(String cluster) throws IOException {
        return driver().open(settings(folder, folder.resolve("cloud")).withCluster(cluster));
    }

    private static SiteSettings settings(Path folder, Path state) throws IOException {
        return SiteSettings.of("bench", "ec2", options(state), folder);
    }

    private static Site open(Path folder, Path state) throws IOException {
        return new PacedSite(
                new LimitlessSite(driver().open(settings(folder, state))),
                Pacing.USUAL,
                InstantSource.system(),
                Pause.REAL,
                () -> ThreadLocalRandom.current().nextLong());
    }

    private static CloudDriver driver() throws IOException {
        for (CloudDriver driver : ServiceLoader.load(CloudDriver.class)) {
            if (driver.name().equals("aws")) {
                return driver;
            }
        }
        throw new IOException("this program carries no driver aws");
    }

    Site site() {
        return site;
    }

    /** A question that is put to a provider until the answer is yes. */
    interface Condition {
        boolean isSo() throws CloudException, IOException;
    }

    static void await(String what, Duration limit, Condition condition)
            throws IOException, CloudException, InterruptedException {
        long begin = System.nanoTime();
        while (!condition.isSo()) {
            if (System.nanoTime() - begin > limit.toNanos()) {
                throw new IOException("waited " + limit.toSeconds() + " s in vain until " + what);
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /** Of a launch, since the cloud was started, as the cloud has logged them. */
    int launchCalls() throws IOException {
        return calls(LAUNCH);
    }

    /** Calls that made, changed or ended something, since the cloud was started, as the cloud has logged them. */
    int changingCalls() throws IOException {
        return calls(CHANGE);
    }

    private int calls(Pattern kind) throws IOException {
        int calls = 0;
        for (String name : List.of("requests.log.1", "requests.log")) {
            Path file = folder.resolve("cloud").resolve(name);
            if (Files.exists(file)) {
                try (var lines = Files.lines(file)) {
                    calls += (int)
                            lines.filter(line -> kind.matcher(line).find()).count();
                }
            }
        }
        return calls;
    }

    @Override
    public void close() throws IOException, InterruptedException {
        try {
            List<String> live = site.compute().list().stream()
                    .filter(instance -> instance.state().isLive())
                    .map(Instance::id)
                    .toList();
            site.compute().terminate(live);
            await("all instances have ended", END, this::isEmpty);
        } catch (CloudException failed) {
            throw new IOException("instances may be left: " + failed.getMessage(), failed);
        } finally {
            site.close();
            remove(process, folder);
        }
    }

    private boolean isEmpty() throws CloudException {
        return site.compute().list().stream().allMatch(instance -> instance.state() == Instance.State.TERMINATED);
    }

    static void remove(Process process, Path folder) throws IOException, InterruptedException {
        process.destroy();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
        List<Path> paths;
        try (var all = Files.walk(folder)) {
            paths = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : paths) {
            Files.deleteIfExists(path);
        }
    }
}
