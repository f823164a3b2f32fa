package org.spillway.scaler.policyhost;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Wish;
import org.spillway.policy.check.SnapshotGenerator;

/** Real children, each with a policy that is good, wrong or hostile. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("processes")
final class NurseryTest {
    private static final List<String> SAID = new CopyOnWriteArrayList<>();
    private static final Duration GENEROUS = Duration.ofSeconds(20);
    private static Nursery nursery;

    @BeforeAll
    static void open() {
        Containment containment = Containment.probe();
        System.out.println("plugins: " + containment.description());
        nursery = new Nursery(containment, 64, GENEROUS, Duration.ofSeconds(1), SAID::add);
    }

    @AfterAll
    static void close() throws IOException {
        nursery.close();
    }

    private static Nursery.Grown grow(String source) throws NotTaken {
        return nursery.grow("Dropped.java", source.getBytes(StandardCharsets.UTF_8), Map.of(), 30, null);
    }

    private static List<Finding> refused(String source) {
        return catchThrowableOfType(NotTaken.class, () -> grow(source)).findings();
    }

    private static ClusterSnapshot waiting() {
        for (long seed = 0; ; seed++) {
            ClusterSnapshot now = new SnapshotGenerator(seed).snapshot();
            if (!now.demands().isEmpty() && !now.offerings().isEmpty()) {
                return now;
            }
        }
    }

    @Test
    void aSourceFileIsCompiledCheckedAndAsked() throws Exception {
        Nursery.Grown grown = grow(Sources.holding("night", "it is night"));
        try (ChildProcess child = grown.child()) {
            assertThat(grown.name()).isEqualTo("night");
            assertThat(grown.settings())
                    .containsExactly(new SettingDescription("most", "a whole number", "5", "how many at most"));
            ClusterSnapshot now = waiting();
            assertThat(Nursery.decide(child, now, GENEROUS))
                    .hasSameSizeAs(now.demands())
                    .allMatch(wish -> wish.reason().equals("it is night"));
        }
    }

    @Test
    void everythingThatThereIsArrivesAsItIs() throws Exception {
        for (long seed = 0; seed < 300; seed++) {
            ClusterSnapshot now = new SnapshotGenerator(seed).snapshot();
            byte[] written = PolicyJson.MAPPER.writeValueAsBytes(
                    new Wire.RequestFrame(Wire.SCHEMA, seed, new Wire.Request.Decide(now, 100)));
            assertThat(PolicyJson.MAPPER
                            .readValue(written, Wire.RequestFrame.class)
                            .request())
                    .as("seed %d", seed)
                    .isEqualTo(new Wire.Request.Decide(now, 100));
        }
        List<Wish> all = List.of(
                new Wish.Provision(
                        List.of("s"), List.of(waiting().offerings().getFirst().id()), 2, "a"),
                new Wish.Release(List.of("n1"), "b"),
                new Wish.Power(List.of("n1"), true, "c"),
                new Wish.Repurpose(List.of("n1"), "gpu", "d"),
                new Wish.Overlay(List.of("n1"), "o", false, "e"),
                new Wish.Hold("s", "f"));
        byte[] written = PolicyJson.MAPPER.writeValueAsBytes(
                new Wire.AnswerFrame(Wire.SCHEMA, 1, new Wire.Answer.Wishes(all, 7)));
        assertThat(PolicyJson.MAPPER.readValue(written, Wire.AnswerFrame.class).answer())
                .isEqualTo(new Wire.Answer.Wishes(all, 7));
    }

    @Test
    void aMistakeIsShownWhereItIs() {
        assertThat(refused(Sources.policy("night", "", "int a = \"two\";")))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.line()).isEqualTo(29);
                    assertThat(finding.column()).isEqualTo(17);
                    assertThat(finding.toString())
                            .isEqualTo(
                                    "Dropped.java:29:17: incompatible types: java.lang.String cannot be converted to int");
                });
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of(
                        "a throw",
                        Sources.policy(
                                "night",
                                "",
                                "if (now.demands().size() > 2) throw new IllegalStateException(\"oh no\");"),
                        "oh no (Dropped.java:29)"),
                Arguments.of("exit", Sources.policy("night", "", "System.exit(7);"), "ended itself with status 7"),
                Arguments.of(
                        "memory",
                        Sources.policy(
                                "night",
                                "",
                                "List<long[]> all = new ArrayList<>(); while (now != null) all.add(new long[100_000]);"),
                        "used up its 64m of memory"),
                Arguments.of(
                        "native memory",
                        Sources.policy(
                                "night",
                                "",
                                "List<java.nio.ByteBuffer> all = new ArrayList<>();"
                                        + " while (now != null) all.add(java.nio.ByteBuffer.allocateDirect(1 << 20));"),
                        "memory"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrong")
    void isRefusedWithASentence(String what, String source, String sentence) {
        assertThat(refused(source))
                .isNotEmpty()
                .anySatisfy(one -> assertThat(one.toString()).contains(sentence));
    }

    @Test
    void anEndlessDecisionIsShownAtItsLine() {
        assertThat(refused(Sources.policy("night", "", "while (now != null) { }"))
                        .getFirst())
                .satisfies(finding -> assertThat(finding.line()).isEqualTo(29))
                .satisfies(finding -> assertThat(finding.message()).contains("did not end within"));
    }

    /** A wait of its own accord is its own time, as computing is. */
    @Test
    void whoSleepsInACheckIsFoundAtItsLineToo() {
        String sleeps = "while (now != null) { java.util.concurrent.locks.LockSupport.parkNanos(1_000_000_000L); }";
        assertThat(refused(Sources.policy("night", "", sleeps)).getFirst())
                .satisfies(finding -> assertThat(finding.line()).isEqualTo(29))
                .satisfies(finding -> assertThat(finding.message()).contains("did not end within"));
    }

    /** H5: the example as it is was refused on a busy machine, where a child gets a core now and then only. */
    @Test
    void theExampleIsTakenWhereItGetsACoreNowAndThen() throws Exception {
        Containment containment = Containment.probe();
        byte[] content = PolicyTrial.example("night").getBytes(StandardCharsets.UTF_8);
        AtomicBoolean done = new AtomicBoolean();
        try (Nursery strict = new Nursery(containment, 64, Duration.ofMillis(100), SAID::add)) {
            Thread load = Thread.ofVirtual().start(() -> Stopped.nowAndThen(strict.folder(), done));
            try (ChildProcess child =
                    strict.grow("Night.java", content, Map.of(), 80, waiting()).child()) {
                assertThat(child.isAlive()).isTrue();
            } finally {
                done.set(true);
                load.join();
            }
        }
    }

    /** H5: so was one that decides, after three such answers. */
    @Test
    void anAnswerIsWaitedForThatTheMachineKeepsBack() throws Exception {
        Nursery.Grown grown = grow(Sources.holding("night", "x"));
        Duration deadline = Duration.ofMillis(100);
        try (ChildProcess child = grown.child()) {
            Stopped stopped = Stopped.of(child.pid());
            Thread later = Thread.ofVirtual().start(() -> stopped.goOnAfter(deadline.multipliedBy(10)));
            assertThat(Nursery.decide(child, waiting(), deadline)).isNotEmpty();
            later.join();
        }
    }

    @Test
    void whatItPrintsDoesNotDisturbTheAnswers() throws Exception {
        Nursery.Grown grown = grow(Sources.policy("night", "", "System.out.println(\"hello\\u0007 there\");"));
        try (ChildProcess child = grown.child()) {
            assertThat(Nursery.decide(child, waiting(), GENEROUS)).isEmpty();
        }
        assertThat(SAID.stream().filter("Dropped.java prints: hello? there"::equals))
                .hasSizeBetween(1, 60);
    }

    @Test
    void whoWritesOnTheWireIsFoundOut() throws Exception {
        Nursery.Grown grown = grow(Sources.badAbout(
                "night",
                "wire",
                "try { new java.io.FileOutputStream(java.io.FileDescriptor.out).write(new byte[] {0, 0, 0, 2, '{', '}'}); }"
                        + " catch (java.io.IOException e) { }"));
        try (ChildProcess child = grown.child()) {
            assertThatThrownBy(() -> Nursery.decide(child, about("wire"), GENEROUS))
                    .isInstanceOf(ChildFailure.class)
                    .hasMessageContaining("answer");
        }
    }

    @Test
    void thereIsNoNetworkNoEnvironmentAndAnEmptyFolder() throws Exception {
        Nursery.Grown grown = grow(Sources.badAbout(
                "night",
                "look",
                "try { var found = new java.util.TreeMap<String, Object>();"
                        + " try { found.put(\"links\", java.util.Collections.list(java.net.NetworkInterface.getNetworkInterfaces())"
                        + ".stream().filter(one -> { try { return one.isUp(); } catch (Exception e) { return true; } }).count()); }"
                        + " catch (java.net.SocketException none) { found.put(\"links\", 0); }"
                        + " found.put(\"environment\", new java.util.TreeSet<>(System.getenv().keySet()).toString());"
                        + " found.put(\"files\", new java.io.File(\".\").list().length);"
                        + " found.put(\"uid\", java.nio.file.Files.getAttribute(java.nio.file.Path.of(\"/proc/self\"), \"unix:uid\"));"
                        + " wishes.add(new Wish.Hold(now.demands().get(0).shape(), found.toString())); return wishes; }"
                        + " catch (Exception e) { throw new IllegalStateException(e); }"));
        try (ChildProcess child = grown.child()) {
            String found =
                    Nursery.decide(child, about("look"), GENEROUS).getFirst().reason();
            System.out.println("a plugin sees: " + found);
            assertThat(found).contains("environment=[LC_ALL, PATH]").contains("files=0");
            if (!Containment.probe().description().contains("WITH NETWORK")) {
                assertThat(found).contains("links=0");
            }
            if (Containment.probe().unprivileged()) {
                assertThat(found).contains("uid=" + Containment.NOBODY);
            }
        }
    }

    /** I8: a policy "without network" reached the head's socket, which is a file. */
    @Test
    void thereIsNoSocketAndNoFolderButItsOwn() throws Exception {
        assumeTrue(Containment.probe().description().contains("no folder but its own"));
        Path socket =
                Path.of("/tmp", "spillway-probe-" + ProcessHandle.current().pid());
        Nursery.Grown grown = grow(
                Sources.badAbout(
                        "night",
                        "reach",
                        "var found = new java.util.TreeMap<String, Object>();"
                                + " for (String path : java.util.List.of(\"" + socket
                                + "\", \"/tmp\", \"/run\", \"/var\", \"/home\","
                                + " \"/root\", \"/srv\", \"/etc/passwd\")) {"
                                + " String[] names = new java.io.File(path).list();"
                                + " if (new java.io.File(path).exists())"
                                + " found.put(path, names == null ? \"\" : String.join(\" \", names)); }"
                                + " try (var channel = java.nio.channels.SocketChannel.open("
                                + "java.net.UnixDomainSocketAddress.of(\"" + socket
                                + "\"))) { found.put(\"reached\", true); }"
                                + " catch (java.io.IOException refused) { found.put(\"refused\", true); }"
                                + " wishes.add(new Wish.Hold(now.demands().get(0).shape(), found.toString())); return wishes;"));
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
                ChildProcess child = grown.child()) {
            server.bind(UnixDomainSocketAddress.of(socket));
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rwxrwxrwx"));
            String found =
                    Nursery.decide(child, about("reach"), GENEROUS).getFirst().reason();
            assertThat(found).matches("\\{/tmp=" + Leftovers.PREFIX + "[^ ,]*, refused=true}");
        } finally {
            Files.deleteIfExists(socket);
        }
    }

    /** Some cluster with a demand of this queue. */
    static ClusterSnapshot about(String queue) throws IOException {
        // By way of its text: whatever is added to a demand, this needs no change.
        String text = PolicyJson.MAPPER
                .writeValueAsString(waiting())
                .replace("\"queue\":\"q\"", "\"queue\":\"" + queue + "\"");
        return PolicyJson.MAPPER.readValue(text, ClusterSnapshot.class);
    }

    @Test
    void whatItStartedEndsWithIt() throws Exception {
        Nursery.Grown grown = grow(Sources.badAbout(
                "night",
                "fork",
                "try { Process p = new ProcessBuilder(\"sleep\", \"77.125\").start();"
                        + " wishes.add(new Wish.Hold(now.demands().get(0).shape(), \"\" + p.pid())); return wishes; }"
                        + " catch (Exception e) { throw new IllegalStateException(e); }"));
        try (ChildProcess child = grown.child()) {
            Nursery.decide(child, about("fork"), GENEROUS);
            assertThat(sleepers()).isNotZero();
        }
        long until = System.nanoTime() + GENEROUS.toNanos();
        while (sleepers() > 0 && System.nanoTime() < until) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(sleepers()).isZero();
    }

    private static long sleepers() {
        return ProcessHandle.allProcesses()
                .filter(one -> one.info().commandLine().orElse("").contains("sleep 77.125"))
                .count();
    }

    @Test
    void aJarWithAServiceFileIsTaken() throws Exception {
        String source = Sources.holding("jarred", "from a jar").replace("public final class", "final class");
        Map<String, byte[]> classes = PolicyCompiler.compile("Dropped.java", source, classPath());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(bytes)) {
            for (Map.Entry<String, byte[]> entry : classes.entrySet()) {
                jar.putNextEntry(new JarEntry(entry.getKey() + ".class"));
                jar.write(entry.getValue());
            }
            jar.putNextEntry(new JarEntry("META-INF/services/org.spillway.policy.ScalingPolicy"));
            jar.write("# ours\nDropped\n".getBytes(StandardCharsets.UTF_8));
        }
        Nursery.Grown grown = nursery.grow("night.jar", bytes.toByteArray(), Map.of(), 30, null);
        try (ChildProcess child = grown.child()) {
            assertThat(grown.name()).isEqualTo("jarred");
            assertThat(child.isAlive()).isTrue();
        }
    }

    private static List<java.nio.file.Path> classPath() {
        return Stream.of(System.getProperty("java.class.path").split(java.io.File.pathSeparator, -1))
                .map(java.nio.file.Path::of)
                .toList();
    }

    @Test
    void settingsAreTheAdministrators() throws Exception {
        String source = Sources.policy(
                "night",
                "",
                "now.demands().forEach(demand -> wishes.add(new Wish.Hold(demand.shape(), \"most \" + settings.most())));");
        byte[] content = source.getBytes(StandardCharsets.UTF_8);
        try (ChildProcess child = nursery.grow("Dropped.java", content, Map.of("night", Map.of("most", "7")), 10, null)
                .child()) {
            assertThat(Nursery.decide(child, waiting(), GENEROUS).getFirst().reason())
                    .isEqualTo("most 7");
        }
        try (ChildProcess child = nursery.grow("Dropped.java", content, Map.of("day", Map.of("most", "7")), 10, null)
                .child()) {
            assertThat(Nursery.decide(child, waiting(), GENEROUS).getFirst().reason())
                    .as("those of another are not its own")
                    .isEqualTo("most 5");
        }
        assertThatThrownBy(() -> nursery.grow("Dropped.java", content, Map.of("", Map.of("most", "0")), 10, null))
                .hasMessageContaining("most is less than 1: 0");
        assertThatThrownBy(() -> nursery.grow("Dropped.java", content, Map.of("night", Map.of("mots", "3")), 10, null))
                .hasMessageContaining("unknown setting mots; allowed: most");
    }
}
