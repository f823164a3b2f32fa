package org.spillway.head.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.spillway.api.BreakerView;
import org.spillway.api.CauseView;
import org.spillway.api.HealthView;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.api.SpendView;
import org.spillway.head.cause.RolloutCause.RolloutFact;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.Reclaimed;
import org.spillway.head.journal.RolloutRecord;
import org.spillway.head.loop.Samples;
import org.spillway.head.loop.TickTimes;
import org.spillway.head.loop.TicksOfTest;
import org.spillway.head.rollout.DriftWord;
import org.spillway.head.rollout.Rollout;
import org.spillway.head.rollout.Terms;
import org.spillway.head.rollout.Version;
import org.spillway.policy.Money;
import org.spillway.stage.Checksum;

/** The text is read as a collector reads it, and {@code docs/metrics.md} has every metric. */
final class MetricsTextTest {
    private static final Pattern SAMPLE = Pattern.compile(
            "([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{((?:[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\n]|\\\\[\\\\n\"])*\",?)*)})? (-?[0-9]+(?:\\.[0-9]+)?)");
    private static final String UNITS =
            "_(seconds|bytes|money|money_per_hour|info|open|troubled)|_(jobs|nodes|directors|connections)";
    private static final String ODD = "pool:ea\"st\\x\nz";

    private static HeadFacts facts() {
        JobRun staged = JobRun.NONE
                .at("east")
                .withStaged(new JobRun.Staged("s", 1, new Checksum(1L << 40, "0".repeat(64)), "listing", 0, null));
        JobRun taken = staged.withReclaimed(
                new Reclaimed(2, 90_500, new Money(700), 2, "east", "s", List.of(), Reclaimed.Way.REGION));
        JobRun own = JobRun.NONE
                .at("east")
                .withStaged(new JobRun.Staged("s", 1, new Checksum(5, "1".repeat(64)), null, 0, null));
        Map<String, HeadFacts.Site> sites = new LinkedHashMap<>();
        sites.put("east", new HeadFacts.Site(Samples.NOW, Samples.NOW.minusSeconds(5), false, 3));
        sites.put("west", new HeadFacts.Site(null, null, true, 0));
        return new HeadFacts(
                new HealthView("lab", "0.1.0", 7, Instant.parse("2026-01-05T09:00:00Z"), false),
                List.of(
                        Samples.queued("1", 1),
                        Samples.job("2", 1, "", JobState.RUNNING, staged),
                        Samples.job("3", 1, "", JobState.RUNNING, taken),
                        Samples.job("4", 1, "", JobState.RUNNING, own)),
                List.of(
                        Samples.node("n1", NodeState.READY),
                        Samples.node("n2", NodeState.STOPPED).stoppedAt(Money.parse("0.04"), Samples.NOW),
                        Samples.node("n3", NodeState.TERMINATED)),
                sites,
                new SpendView(
                        "EUR",
                        "day",
                        Samples.NOW,
                        Money.parse("50"),
                        Money.parse("1.234567"),
                        Money.parse("2"),
                        Money.parse("-0.5"),
                        Money.ZERO,
                        Money.ZERO),
                List.of(
                        new BreakerView(ODD, true, "", Samples.NOW, "", CauseView.NONE),
                        new BreakerView("fleet:west", false, "", Samples.NOW, "", CauseView.NONE)),
                new TickTimes(),
                List.of(halted()),
                Map.of("east", Map.of(DriftWord.Kind.DIFFERS, 2L)),
                true);
    }

    private static RolloutRecord halted() {
        var old = new Version("compute", "a".repeat(64));
        var bad = new Version("compute", "b".repeat(64));
        var halted = new Rollout(
                old,
                bad,
                Terms.USUAL,
                Rollout.Phase.UNDONE,
                false,
                RolloutFact.IMAGE_MOVED,
                Samples.NOW,
                1,
                List.of(),
                1);
        return RolloutRecord.first("ml", old).with(halted);
    }

    /** As the format's description has it: HELP and TYPE before the first sample, all samples of a metric together. */
    private static Map<String, BigDecimal> parsed(String text) {
        assertThat(text).endsWith("\n");
        Map<String, BigDecimal> samples = new LinkedHashMap<>();
        List<String> families = new ArrayList<>();
        String kind = "";
        String help = "";
        for (String line : text.lines().toList()) {
            String[] words = line.split(" ", 4);
            if (line.startsWith("# HELP ")) {
                help = words[2];
            } else if (line.startsWith("# TYPE ")) {
                assertThat(words[2]).as("HELP before TYPE").isEqualTo(help);
                families.add(words[2]);
                kind = words[3];
                assertThat(kind).isIn("gauge", "counter", "summary");
            } else {
                Matcher sample = SAMPLE.matcher(line);
                assertThat(sample.matches()).as(line).isTrue();
                String family = families.getLast();
                assertThat(sample.group(1))
                        .isIn(
                                kind.equals("summary")
                                        ? List.of(family, family + "_sum", family + "_count")
                                        : List.of(family));
                String labels = Objects.requireNonNullElse(sample.group(2), "");
                assertThat(samples.put(
                                sample.group(1) + (labels.isEmpty() ? "" : "{" + labels + "}"),
                                new BigDecimal(sample.group(3))))
                        .as("twice: %s", line)
                        .isNull();
            }
        }
        assertThat(families).doesNotHaveDuplicates();
        return samples;
    }

    @Test
    void aCollectorReadsWhatTheHeadKnows() {
        Map<String, BigDecimal> samples = parsed(MetricsText.of(facts()));
        assertThat(samples)
                .containsEntry("spillway_build_info{cluster=\"lab\",version=\"0.1.0\"}", BigDecimal.ONE)
                .containsEntry("spillway_jobs{state=\"QUEUED\"}", BigDecimal.ONE)
                .containsEntry("spillway_jobs{state=\"RUNNING\"}", BigDecimal.valueOf(3))
                .containsEntry("spillway_jobs{state=\"HELD\"}", BigDecimal.ZERO)
                .containsEntry("spillway_nodes{site=\"east\",state=\"READY\"}", BigDecimal.ONE)
                .containsEntry("spillway_nodes{site=\"east\",state=\"STOPPED\"}", BigDecimal.ONE)
                .containsEntry("spillway_nodes{site=\"west\",state=\"READY\"}", BigDecimal.ZERO)
                .containsEntry("spillway_directors{site=\"east\",state=\"READY\"}", BigDecimal.ZERO)
                .containsEntry("spillway_spent_money{currency=\"EUR\"}", new BigDecimal("1.234567"))
                .containsEntry("spillway_budget_left_money{currency=\"EUR\"}", new BigDecimal("-0.500000"))
                .containsEntry("spillway_money_per_hour{currency=\"EUR\",site=\"east\"}", new BigDecimal("3.640000"))
                .containsEntry("spillway_breakers_open", BigDecimal.ONE)
                .containsEntry("spillway_rollout_failed_nodes{category=\"ml\",phase=\"UNDONE\"}", BigDecimal.ONE)
                .containsEntry("spillway_breaker_open{breaker=\"pool:ea\\\"st\\\\x\\nz\"}", BigDecimal.ONE)
                .containsEntry("spillway_breaker_open{breaker=\"fleet:west\"}", BigDecimal.ZERO)
                .containsEntry("spillway_service_connections{site=\"east\"}", BigDecimal.valueOf(3))
                .containsEntry("spillway_site_troubled{site=\"west\"}", BigDecimal.ONE)
                .containsEntry("spillway_tick_duration_seconds_count", BigDecimal.ZERO)
                .containsEntry("spillway_staging_bytes{site=\"east\"}", BigDecimal.valueOf((1L << 40) + 5))
                .containsEntry("spillway_notice_saved_seconds{site=\"east\"}", new BigDecimal("90.500"))
                .containsEntry("spillway_notice_saved_seconds{site=\"west\"}", new BigDecimal("0.000"))
                .containsEntry(
                        "spillway_listing_timestamp_seconds{site=\"east\"}",
                        BigDecimal.valueOf(Samples.NOW.toEpochMilli(), 3))
                .doesNotContainKey("spillway_listing_timestamp_seconds{site=\"west\"}")
                .doesNotContainKey("spillway_jobs{state=\"DONE\"}");
    }

    @Test
    void aTickCountsForItsWholeLife() {
        HeadFacts facts = facts();
        TickTimes ticks = facts.ticks();
        for (int i = 0; i < 250; i++) {
            TicksOfTest.add(ticks, Duration.ofMillis(20));
        }
        assertThat(parsed(MetricsText.of(facts)))
                .containsEntry("spillway_tick_duration_seconds_count", BigDecimal.valueOf(250))
                .containsEntry("spillway_tick_duration_seconds_sum", new BigDecimal("5.000000000"))
                .containsEntry("spillway_tick_duration_seconds{quantile=\"0.95\"}", new BigDecimal("0.020000000"));
    }

    @Test
    void namesSayTheirUnitLast() {
        assertThat(HeadMetrics.ALL).allSatisfy(family -> {
            assertThat(family.name()).matches("spillway(_[a-z]+)*(" + UNITS + ")");
            assertThat(family.help()).doesNotContain("\n").isNotBlank();
        });
    }

    /** Written anew by {@code -Dgolden.update=true}. */
    @Test
    void thePageHasEveryMetric() throws IOException {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("docs/config.md"))) {
            folder = folder.getParent();
        }
        Path page = folder.resolve("docs/metrics.md");
        StringBuilder table = new StringBuilder("| metric | kind | |\n|---|---|---|\n");
        HeadMetrics.ALL.forEach(family -> table.append("| `")
                .append(family.name())
                .append("` | ")
                .append(family.kind().text())
                .append(" | ")
                .append(family.help())
                .append(" |\n"));
        String text = Files.readString(page);
        int from = text.indexOf("| metric |");
        int to = text.indexOf("\n\n", from) + 1;
        String made = text.substring(0, from) + table + text.substring(to);
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(page, made);
        }
        assertThat(page).hasContent(made);
    }
}
