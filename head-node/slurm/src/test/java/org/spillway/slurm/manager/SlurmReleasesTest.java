package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The same jobs and nodes ({@code labs/slurm/experiments/golden.sh}) mean the same, whichever release tells of them. */
final class SlurmReleasesTest {
    private static final String NONCE = "0123456789abcdef";

    /** All of a job that depends on neither the day nor the release's defaults. */
    private record Asked(
            long id,
            long array,
            List<String> partitions,
            String state,
            int minNodes,
            int processes,
            int cpus,
            int cpusPerTask,
            List<List<Gres>> gres,
            String features,
            List<String> licences,
            String dependency,
            Optional<Duration> limit,
            String account,
            String reservation,
            boolean exclusive,
            boolean requeue,
            String requiredNodes,
            String nodes) {
        static Asked of(SlurmJob job) {
            return new Asked(
                    job.id(),
                    job.array(),
                    job.partitions(),
                    job.state(),
                    job.minNodes(),
                    job.processes(),
                    // Later releases count what --cpus-per-gpu asks for.
                    job.gresPerJob().isEmpty() ? job.cpus() : 0,
                    job.cpusPerTask(),
                    List.of(job.gresPerJob(), job.gresPerNode(), job.gresPerSocket(), job.gresPerTask()),
                    job.features(),
                    job.licences(),
                    job.dependency(),
                    job.limit(),
                    job.account(),
                    job.reservation(),
                    job.exclusive(),
                    job.requeue(),
                    job.requiredNodes(),
                    job.nodes());
        }
    }

    @Test
    void jobsMeanTheSame() throws UnreadableAnswer {
        List<Asked> first = asked("22.05", Dialect.FIRST);

        assertThat(asked("24.11", new Dialect(Dialect.EACH, Dialect.OVERSUBSCRIBE)))
                .containsExactlyInAnyOrderElementsOf(first);
        assertThat(asked("26.05", new Dialect(Dialect.EACH, Dialect.EXCLUSIVE)))
                .containsExactlyInAnyOrderElementsOf(first);
    }

    private static List<Asked> asked(String release, Dialect dialect) throws UnreadableAnswer {
        SlurmListing<SlurmJob> listing = SlurmListing.jobs(golden(release, "squeue"), "", NONCE, dialect);
        assertThat(listing.unread()).as("the account of two lines").hasSize(1);
        SlurmJob array = listing.found().stream()
                .filter(job -> job.id() == 6)
                .findFirst()
                .orElseThrow();
        // squeue --array forgets the last of some arrays with steps, until it stands alone.
        assertThat(array.tasks()).isEqualTo(dialect.apart().equals(Dialect.EACH) ? 249 : 250);
        return listing.found().stream().map(Asked::of).toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"24.11", "26.05"})
    void nodesMeanTheSame(String release) throws UnreadableAnswer {
        assertThat(SlurmListing.nodes(golden(release, "sinfo"), "", NONCE))
                .isEqualTo(SlurmListing.nodes(golden("22.05", "sinfo"), "", NONCE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"24.11", "26.05"})
    void licencesMeanTheSame(String release) throws UnreadableAnswer {
        assertThat(SlurmListing.licences(golden(release, "licenses")))
                .isEqualTo(SlurmListing.licences(golden("22.05", "licenses")));
    }

    private static String golden(String release, String name) {
        try (var in = SlurmReleasesTest.class.getResourceAsStream(release + "/" + name + ".txt")) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
