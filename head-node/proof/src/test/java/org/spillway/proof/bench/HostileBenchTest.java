package org.spillway.proof.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.spillway.api.HealthView;
import org.spillway.cli.HeadClient;
import org.spillway.head.rest.FakeHead;
import org.spillway.head.rest.RestServer;

/** The hostile users of {@code bench hostile} and the memory of {@code bench limits}, and what they say of it. */
final class HostileBenchTest {

    private static Samples samples(double first) {
        return Samples.of(IntStream.range(0, 100).mapToObj(i -> first + i).toList());
    }

    @Test
    void figuresSayHowMuchLongerItTakes() {
        List<Figure> figures = HostileBench.figures(samples(1), samples(101));
        assertThat(figures).hasSize(9);
        assertThat(figures.get(0).value()).isEqualTo(50.5);
        assertThat(figures.get(2).value()).isEqualTo(99);
        assertThat(figures.get(4).verdict()).isEqualTo("missed");
        assertThat(figures.get(7).value()).isEqualTo(195.0 / 95);
    }

    @Test
    void theHistogramsLastLineIsRead() throws IOException {
        assertThat(LimitsBench.mebibytes("   1:  2  3  [B\nTotal         12345       2097152\n"))
                .isEqualTo(2);
        assertThatThrownBy(() -> LimitsBench.mebibytes("no such process")).hasMessageContaining("no such process");
    }

    /** H1: on 7b3e1e2 their bodies had all threads of the server, and root waited for half a minute. */
    @Test
    @Timeout(600)
    void rootIsAnsweredBesideEightHostileUsers() throws Exception {
        assumeTrue(
                HostileBench.missing().isEmpty(), () -> HostileBench.missing().orElse(""));
        Path place = Files.createTempDirectory("spw");
        Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwx--x--x"));
        try (var ignored = RestServer.start(place.resolve("s"), "666", new FakeHead())) {
            var root = new HeadClient(place.resolve("s"));
            assertThat(root.get("/health", HealthView.class)).isNotNull();
            besideUsers(place.resolve("s"), root);
        }
        try (var left = Files.walk(place)) {
            for (Path path : left.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static void besideUsers(Path socket, HeadClient root) throws IOException {
        try (var users = HostileBench.Users.begin(socket)) {
            users.await();
            for (int i = 0; i < 20; i++) {
                long begin = System.nanoTime();
                assertThat(root.get("/health", HealthView.class)).isNotNull();
                assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
            }
        }
    }
}
