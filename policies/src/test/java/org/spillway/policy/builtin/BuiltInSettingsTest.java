package org.spillway.policy.builtin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.spillway.policy.SettingTexts;

/** Every setting of every built-in policy and of the rules: its default, its mapping, its rejection, its line in the docs. */
class BuiltInSettingsTest {
    private static final Path DOCS = Path.of("..", "docs", "policies-built-in.md");

    private static Record defaultsOf(String name) {
        return name.equals("rules")
                ? HouseRules.NONE
                : BuiltInPolicies.find(name).orElseThrow().policy().defaults();
    }

    private static String shown(Record settings, String key) {
        return SettingTexts.describe(settings).stream()
                .filter(setting -> setting.key().equals(key))
                .map(SettingTexts.Described::standard)
                .findFirst()
                .orElseThrow(() -> new AssertionError(key + " is no setting of " + settings));
    }

    private static <S extends Record> S with(S defaults, String key, String text) {
        return SettingTexts.with(defaults, Map.of(key, text));
    }

    /** A line for each setting: its default, another value that is taken as it stands, and one that is refused. */
    private static final String LINES =
            """
            queue-depth        idleTime               300s  60s    -1s
            queue-depth        maxNodesPerTick        1000  1      0
            age                queueLengthThreshold   0     7      -1
            age                ageThreshold           0s    90s    x
            age                workloadsPerNode       0     4      1001
            age                extraNodes             0     2      1001
            age                idleTime               300s  0s     5
            age                maxNodesPerTick        1000  3      0
            deadline           slack                  600s  0s     -5s
            deadline           patience               1800s 60s    soon
            deadline           idleTime               300s  60s    y
            deadline           maxNodesPerTick        1000  5      0
            cost-first         valueOfHour            %s    0.25   -1
            cost-first         runPercent             %s    50     0
            cost-first         mostWait               0s    60s    z
            cost-first         idleTime               300s  60s    z
            cost-first         maxNodesPerTick        1000  5      0
            spot-then-on-demand nextTypeAfter         300s  60s    601s
            spot-then-on-demand onDemandAfter         600s  900s   299s
            spot-then-on-demand nextSiteAfter         1200s 3600s  599s
            spot-then-on-demand skipShort             true  false  yes
            spot-then-on-demand idleTime              300s  60s    z
            spot-then-on-demand maxNodesPerTick       1000  5      0
            schedule           idleTime               300s  60s    z
            schedule           maxNodesPerTick        1000  5      0
            budget-capped      slice                  hour  day    week
            budget-capped      headStartPercent       10    0      101
            budget-capped      idleTime               300s  60s    z
            budget-capped      maxNodesPerTick        1000  5      0
            rules              neverTerminateNodes    -     n1,n2  a,,b
            rules              neverTerminateSites    -     east   a,a
            rules              keepRunning            -     east=2 east
            rules              wholeTime              0s    3600s  179s
            rules              stoppingAllowance      180s  60s    z
            rules              mixLocations           true  false  no
            rules              ageFactor              0     1      -1
            rules              externalPriorityFactor 0     1      1000001
            rules              engineFactor           0     1      -1
            rules              queuePriorities        -     a=5    a=x
            """.formatted(CostFirstSettings.DEFAULTS.valueOfHour(), CostFirstSettings.DEFAULTS.runPercent());

    private record Line(String policy, String key, String standard, String other, String wrong) {}

    static List<Line> lines() {
        return LINES.lines()
                .map(line -> line.strip().split("\\s+"))
                .map(words -> new Line(words[0], words[1], words[2].equals("-") ? "" : words[2], words[3], words[4]))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("lines")
    void hasItsDefaultItsMappingAndItsRejection(Line line) {
        Record defaults = defaultsOf(line.policy());
        assertThat(shown(defaults, line.key())).isEqualTo(line.standard());
        assertThat(shown(with(defaults, line.key(), line.other()), line.key())).isEqualTo(line.other());
        assertThatIllegalArgumentException()
                .isThrownBy(() -> with(defaults, line.key(), line.wrong()))
                .withMessageMatching("(?s).*(" + line.key() + "|allowed).*");
    }

    @Test
    void noSettingIsWithoutALineHere() {
        Set<String> here = lines().stream()
                .map(line -> line.policy() + "." + line.key())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(here).isEqualTo(all());
    }

    private static Set<String> all() {
        Set<String> all = new TreeSet<>();
        for (BuiltInPolicies.Entry entry : BuiltInPolicies.all()) {
            if (!entry.policy().name().equals(ChainPolicy.NAME)) {
                SettingTexts.describe(entry.policy().defaults())
                        .forEach(setting -> all.add(entry.policy().name() + "." + setting.key()));
            }
        }
        SettingTexts.describe(HouseRules.NONE).forEach(setting -> all.add("rules." + setting.key()));
        return all;
    }

    @Test
    void everySettingSaysWhatItDoes() {
        for (BuiltInPolicies.Entry entry : BuiltInPolicies.all()) {
            assertThat(entry.description()).isNotBlank();
            assertThat(SettingTexts.describe(entry.policy().defaults()))
                    .allSatisfy(setting -> assertThat(setting.effect()).isNotBlank());
        }
        assertThat(SettingTexts.describe(HouseRules.NONE))
                .allSatisfy(setting -> assertThat(setting.effect()).isNotBlank());
    }

    /** The tables of the docs are generated from the code; a line that differs is shown. */
    @Test
    void theDocsListEverySettingWithItsDefaultAndEffect() throws IOException {
        String docs = Files.readString(DOCS);
        List<String> missing = new ArrayList<>();
        for (BuiltInPolicies.Entry entry : BuiltInPolicies.all()) {
            assertThat(docs).contains("## `" + entry.policy().name() + "`");
            if (!entry.policy().name().equals(ChainPolicy.NAME)) {
                missing.addAll(
                        missing(docs, entry.policy().name(), entry.policy().defaults()));
            }
        }
        missing.addAll(missing(docs, "rules", HouseRules.NONE));
        assertThat(missing).as("lines that docs/policies-built-in.md lacks").isEmpty();
    }

    private static List<String> missing(String docs, String section, Record defaults) {
        int begin = docs.indexOf("## `" + section + "`");
        int end = docs.indexOf("\n## ", begin + 1);
        String part = begin < 0 ? "" : docs.substring(begin, end < 0 ? docs.length() : end);
        return SettingTexts.describe(defaults).stream()
                .map(setting -> "| `" + setting.key() + "` | "
                        + (setting.standard().isEmpty() ? "" : "`" + setting.standard() + "`") + " | "
                        + setting.allowed() + " | " + setting.effect() + " |")
                .filter(line -> !part.contains(line))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "queue-depth|queue-depth,a chain has queue-depth twice",
        "budget-capped,a chain needs a member that buys",
        "chain,a chain has 'chain'",
        "nobody,a chain has 'nobody'"
    })
    void aChainRefusesWhatIsNone(String names, String why) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ChainPolicy.Settings(
                        List.of(names.split("\\|", -1)).stream()
                                .map(name -> new ChainPolicy.Member(name, Map.of()))
                                .toList(),
                        HouseRules.NONE))
                .withMessageContaining(why);
    }

    @Test
    void aChainKnowsItsMembersSettings() {
        ChainPolicy.Settings settings = new ChainPolicy.Settings(
                List.of(
                        ChainPolicy.Member.of("age", with(AgeSettings.DEFAULTS, "idleTime", "20m")),
                        new ChainPolicy.Member("queue-depth", Map.of("idleTime", "60s"))),
                HouseRules.NONE);
        assertThat(settings.longestIdle()).contains(Duration.ofMinutes(20));
    }
}
