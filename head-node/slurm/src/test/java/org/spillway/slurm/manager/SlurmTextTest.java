package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.slurm.settings.PendingReason;
import org.spillway.slurm.settings.PendingReasons;

/** Slurm's ways to write numbers, and those of releases that the lab does not have. */
final class SlurmTextTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"3|1", "1-499:2%10|250", "1,5,7-9|5", "N/A|1", "0-9999|10000", "1-3,...|3", "5-5%1|1"})
    void arraysAreCounted(String text, int tasks) {
        assertThat(SlurmText.arrayTasks(text)).isEqualTo(tasks);
    }

    @ParameterizedTest
    @CsvSource({"10:00,600", "5:00,300", "1:30:00,5400", "1-02:04:00,93840", "0:30,30", "15,900"})
    void limitsAreRead(String text, long seconds) {
        assertThat(SlurmText.limit(text)).contains(Duration.ofSeconds(seconds));
    }

    @Test
    void slurmctldSaysWhenItWasStarted() throws Exception {
        assertThat(SlurmText.started(
                        "AuthType                = auth/munge\nBOOT_TIME               = 2026-11-21T22:28:56\n"))
                .isEqualTo(Instant.parse("2026-11-21T22:28:56Z"));
        assertThatThrownBy(() -> SlurmText.started("AuthType = auth/munge\n")).isInstanceOf(UnreadableAnswer.class);
        assertThatThrownBy(() -> SlurmText.started("BOOT_TIME = yesterday\n")).isInstanceOf(UnreadableAnswer.class);
    }

    @Test
    void noLimitIsNoLimit() {
        assertThat(SlurmText.limit("UNLIMITED")).isEmpty();
        assertThat(SlurmText.limit("N/A")).isEmpty();
        assertThatThrownBy(() -> SlurmText.limit("1-02")).isInstanceOf(NumberFormatException.class);
    }

    @Test
    void timesAreRead() {
        assertThat(SlurmText.time("2026-11-22T07:26:05")).contains(Instant.parse("2026-11-22T07:26:05Z"));
        assertThat(SlurmText.time("2028-02-29T23:59:59")).contains(Instant.parse("2028-02-29T23:59:59Z"));
        assertThat(SlurmText.time("N/A")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "soon",
                "2026-11-22",
                "2026-11-22T07:26",
                "2026-11-22 07:26:05",
                "2026-11-22T07:26:05Z",
                "2026-13-22T07:26:05",
                "2026-02-29T07:26:05",
                "2026-11-22T24:00:00",
                "+026-11-22T07:26:05",
                "2026-11-22T07:26:\u0665\u0665"
            })
    void whatIsNoTimeIsSaid(String text) {
        assertThatThrownBy(() -> SlurmText.time(text)).isInstanceOf(DateTimeException.class);
    }

    @ParameterizedTest
    @CsvSource({"500M,524288000", "2G,2147483648", "0,0", "1000,1048576000", "1.50T,1649267441664", "4Gc,4294967296"})
    void sizesAreBytes(String text, long bytes) {
        assertThat(SlurmText.bytes(text)).isEqualTo(bytes);
    }

    @Test
    void anAbsurdSizeDoesNotWrapAround() {
        assertThatThrownBy(() -> SlurmText.bytes("999999999999999T")).isInstanceOf(ArithmeticException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "gres:gpu:h100:2|gpu|h100|2",
                "gres:gpu:8|gpu||8",
                "gpu:h100:4(S:0-1)|gpu|h100|4",
                "gres/gpu:h100=4|gpu|h100|4",
                "gres/gpu=3|gpu||3",
                "gres:gpu|gpu||1",
                "gres:gpu:A100|gpu|a100|1",
                "gres:craynetwork:1K|craynetwork||1024"
            })
    void genericResourcesAreRead(String text, String name, String model, int count) {
        assertThat(Gres.list(text)).containsExactly(new Gres(name, model == null ? "" : model, count));
    }

    @Test
    void listsOfGenericResourcesAreSplitOutsideParentheses() {
        assertThat(Gres.list("gpu:h100:2(S:0,2),gpu:a100:1"))
                .containsExactly(new Gres("gpu", "h100", 2), new Gres("gpu", "a100", 1));
        assertThat(Gres.list("cpu=N/A")).isEmpty();
        assertThat(Gres.list("(null)")).isEmpty();
        assertThatThrownBy(() -> Gres.list("gpu:h100:two:3")).isInstanceOf(NumberFormatException.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Resources|SCALES",
                "ReqNodeNotAvail, Reserved for maintenance|SCALES",
                "ReqNodeNotAvail, May be reserved for other job|SCALES",
                "ReqNodeNotAvail(Unavailable:west[1-4])|SCALES",
                "Priority|SCALES",
                "priority|SCALES",
                "PartitionConfig|SCALES_WITHOUT_NODES",
                "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions|SCALES_WITHOUT_NODES",
                "BurstBufferStageIn|STAGING",
                "burst_buffer/lua: slurm_bb_data_in: may not read /home/alice/in|NEVER",
                "Licenses|NEVER",
                "QOSMaxCpuPerUserLimit|NEVER",
                "AssocGrpNodeLimit|NEVER",
                "MaxMemPerLimit|NEVER",
                "JobArrayTaskLimit|NEVER",
                "Resources please|NEVER",
                "something new|NEVER"
            })
    void reasonsAreClassified(String reason, PendingReason meaning) {
        assertThat(PendingReasons.STANDARD.of(reason)).isEqualTo(meaning);
    }
}
