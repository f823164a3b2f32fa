package org.spillway.scaler.policyhost;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.spillway.policy.check.PolicyCheck;

/** Refusals of a child by looking and asking, without a child for each: {@link NurseryTest} shows those that need one. */
final class LoadedPolicyTest {
    private static final int SEEDS = 30;
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final PolicyCheck.Watch NOBODY = new PolicyCheck.Watch() {
        @Override
        public void asking(String what) {}

        @Override
        public void answered() {}
    };

    private static ChildPlace place;
    private static List<Path> api;

    @TempDir
    private Path work;

    @BeforeAll
    static void open() throws IOException {
        place = ChildPlace.make(Containment.probe());
        try (Stream<Path> jars = Files.list(place.api())) {
            api = jars.sorted().toList();
        }
    }

    @AfterAll
    static void close() throws IOException {
        place.close();
    }

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of(
                        "a class of the head",
                        Sources.policy("night", "", "org.spillway.scaler.Scaler.class.getName();"),
                        "package org.spillway.scaler does not exist"),
                Arguments.of(
                        "a module that it may not see",
                        Sources.policy("night", "java.net.http.HttpClient client;", ""),
                        "package java.net.http is not visible"),
                Arguments.of(
                        "by reflection",
                        Sources.policy(
                                "night",
                                "",
                                "try { Class.forName(\"com.fasterxml.jackson.databind.ObjectMapper\"); }"
                                        + " catch (ReflectiveOperationException e) { throw new IllegalStateException(e.getMessage()); }"),
                        "which a policy may not see"),
                Arguments.of(
                        "a negative count",
                        Sources.policy(
                                "night",
                                "",
                                "if (!now.offerings().isEmpty()) wishes.add(new Wish.Provision(List.of(),"
                                        + " List.of(now.offerings().get(0).id()), -3, \"more\"));"),
                        "a provision wish is for at least one node, not -3"),
                Arguments.of(
                        "null", Sources.policy("night", "", "if (now.now() != null) return null;"), "answered null"),
                Arguments.of(
                        "its own clock",
                        Sources.policy(
                                "night",
                                "",
                                "now.demands().forEach(demand -> wishes.add(new Wish.Hold(demand.shape(),"
                                        + " \"at \" + System.nanoTime())));"),
                        "asked twice the same, it answers differently"),
                Arguments.of(
                        "an order that is none",
                        Sources.policy(
                                "night",
                                "",
                                "if (!now.offerings().isEmpty() && !now.demands().isEmpty())"
                                        + " wishes.add(new Wish.Hold(now.demands().get(0).shape(), \"\" + now.offerings().get(0)));"),
                        "depends on the order of offerings"),
                Arguments.of(
                        "what does not exist",
                        Sources.policy(
                                "night",
                                "",
                                "if (!now.nodes().isEmpty()) wishes.add(new Wish.Release(List.of(\"n99\"), \"x\"));"),
                        "a wish names the node 'n99', which is not in the snapshot"),
                Arguments.of(
                        "a name",
                        Sources.holding("Night Shift", "x"),
                        "its name is 'Night Shift'; allowed: lower-case"),
                Arguments.of(
                        "two of them",
                        Sources.holding("night", "x") + "abstract class Other {}\n"
                                + "final class Second implements ScalingPolicy<Dropped.Settings> {"
                                + " public String name() { return \"b\"; }"
                                + " public Dropped.Settings defaults() { return new Dropped.Settings(1); }"
                                + " public List<Wish> decide(ClusterSnapshot n, Dropped.Settings s, Planner p)"
                                + " { return List.of(); } }",
                        "it has 2 classes that implement ScalingPolicy"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrong")
    void isRefusedWithASentence(String what, String source, String sentence) {
        assertThat(refused(source)).as(what).anySatisfy(one -> assertThat(one).contains(sentence));
    }

    private List<String> refused(String source) {
        Wire.Request.Load file = new Wire.Request.Load(
                "Dropped.java",
                Base64.getEncoder().encodeToString(source.getBytes(StandardCharsets.UTF_8)),
                Map.of(),
                SEEDS,
                PATIENCE.toMillis(),
                PATIENCE.toMillis());
        try {
            return LoadedPolicy.load(file, api, work).check(SEEDS, PATIENCE, System::nanoTime, NOBODY).stream()
                    .toList();
        } catch (NotTaken refused) {
            return refused.findings().stream().map(Finding::toString).toList();
        } catch (IllegalStateException thrown) {
            return List.of(String.valueOf(thrown.getMessage()));
        }
    }
}
