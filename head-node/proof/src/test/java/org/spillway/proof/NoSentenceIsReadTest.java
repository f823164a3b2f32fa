package org.spillway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Sentences are for people: production code asks for causes, and tests and simulations judge by them (ADR 26). A new place
 * here reads words of others, which have no types, or it is a mistake.
 */
final class NoSentenceIsReadTest {
    private static final Pattern COMMENTS = Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*");
    /** Words of which each pattern has one. */
    private static final List<String> WORDS = List.of(
            "startsWith(",
            "endsWith(",
            "contains",
            "equals",
            "matches(",
            "indexOf(",
            "regionMatches(",
            "isEqualTo(",
            "doesNotContain(",
            "extracting(");

    private static final String NAMED = "\\w*?(?:reason|why|message|sentence|obstacle|trouble|remark)s?";
    private static final String ASKED =
            "(?:startsWith|endsWith|contains|equals|equalsIgnoreCase|matches|indexOf|regionMatches)\\((?!')";
    private static final String BETWEEN =
            "(?:\\s*\\.\\s*(?:orElse\\w*|strip|trim|toString|toLowerCase|get)\\([^()]*\\))*";

    /** {@code why.startsWith(}, {@code job.reason().equals(}, {@code String.valueOf(e.getMessage()).contains(}. */
    private static final Pattern OF_A_SENTENCE =
            Pattern.compile("(?i:\\b" + NAMED + ")\\b(?:\\(\\)\\)?)?" + BETWEEN + "\\s*\\.\\s*" + ASKED);

    /** {@code cause.text().contains(}. */
    private static final Pattern OF_A_TEXT = Pattern.compile("\\.text\\(\\)" + BETWEEN + "\\s*\\.\\s*" + ASKED);

    /** {@code "idle".equals(node.reason())}, {@code set.contains(job.reason())}. */
    private static final Pattern WITH_A_SENTENCE =
            Pattern.compile(ASKED + "\\s*(?:\\w+(?:\\(\\))?\\s*\\.\\s*)*(?i:" + NAMED + ")\\(\\)\\s*\\)");

    private static final String TOLD_AGAIN = "whether the same was told already; nothing else follows";
    private static final String SLURM = "what Slurm says, or has kept for the head: Slurm stores words only";
    private static final String SYSTEM = "the operating system's message: the JDK has no type for it";
    private static final String EMULATOR =
            "the emulator's own words and a configuration's names of errors, apart from the head";

    private static final Map<String, String> READERS_OF_OTHERS_WORDS = Map.ofEntries(
            Map.entry("cloud/aws/AwsErrors", "a provider's message: two errors share a code"),
            Map.entry("localcloud/LocalCloud", EMULATOR),
            Map.entry("localcloud/arm/ArmMachines", EMULATOR),
            Map.entry("localcloud/nova/ServerMaker", EMULATOR),
            Map.entry("director/directory/ContentSyncConsumer", TOLD_AGAIN),
            Map.entry("director/directory/NssSource", TOLD_AGAIN),
            Map.entry("cli/ClusterChangeCommands", TOLD_AGAIN),
            Map.entry("cli/HeadClient", SYSTEM),
            Map.entry("head/loop/handover/HandOver", TOLD_AGAIN),
            Map.entry("head/loop/nodes/NodeAction", "an action's name in a request"),
            Map.entry("head/journal/KeptPast", SYSTEM),
            Map.entry("head/journal/JournalFile", "SQLite's message: the driver gives it the code of all errors"),
            Map.entry("head/link/CertificateClock", SYSTEM),
            Map.entry("head/mail/SmtpMailer", "a mail server's answer, which begins with its code"),
            Map.entry("proof/bench/OnDemandBench", "another head's answer, over its client"),
            Map.entry("proof/simulate/LogOptions", "an option's value"),
            Map.entry("stage/worker/Finder", SYSTEM),
            Map.entry("scaler/policyhost/Roster", TOLD_AGAIN));

    private static final String OTHERS = "the words of a policy, a server or a node, as they were given";
    private static final String REFUSAL = "a refusal, which has a code of its own beside it";
    private static final String THE_TEXT = "the text itself is what is tested";

    private static final Map<String, String> TESTS_OF_WORDS = Map.ofEntries(
            Map.entry("head/audit/AuditTest", THE_TEXT),
            Map.entry("head/ondemand/NoticesTest", "a mail server's words"),
            Map.entry("head/rest/SubmitRoutesTest", REFUSAL),
            Map.entry("head/service/BackupDeskTest", THE_TEXT),
            Map.entry("head/service/ChecksTest", THE_TEXT),
            Map.entry("head/service/OperationsTest", REFUSAL),
            Map.entry("head/web/Browser", OTHERS),
            Map.entry("head/web/GateTest", REFUSAL),
            Map.entry("proof/NoSentenceIsReadTest", "what it bites"),
            Map.entry("proof/endtoend/OtherEndsTest", "the text itself: nothing secret is in it"),
            Map.entry("proof/endtoend/OwnKeysTest", "the text itself: nothing secret is in it"),
            Map.entry("proof/endtoend/ReachTest", "the text itself: it says how much is free, and where"),
            Map.entry("proof/faultsim/AllAnswers", THE_TEXT),
            Map.entry("scaler/BuiltInPromisesTest", OTHERS),
            Map.entry("scaler/ScalerPropertyTest", OTHERS),
            Map.entry("scaler/plan/BreakersTest", THE_TEXT),
            Map.entry("scaler/plan/OfferingHealthTest", THE_TEXT),
            Map.entry("proof/endtoend/ContainersTest", OTHERS),
            Map.entry("scaler/policyhost/NurseryTest", OTHERS),
            Map.entry("scaler/policyhost/PolicyHostTest", OTHERS));

    /** {@code assertThat(node.reason()).startsWith("}, {@code assertThat(loop.standing(job).cause().text()).contains("}. */
    private static final Pattern JUDGED = Pattern.compile(
            "assertThat\\((?:[^;]*?)(?:\\.(?:reason|remark|trouble|sentence)\\(\\)"
                    + "|(?i:\\w*(?:cause|obstacle|unusable|trouble|why|waits))\\((?:[^()]|\\([^()]*\\))*\\)\\s*\\.\\s*text\\(\\))\\s*\\)"
                    + "(?:\\s*\\.as\\((?:[^()]|\\([^()]*\\))*\\))?"
                    + "\\s*\\.\\s*(?:contains|startsWith|endsWith|isEqualTo|doesNotContain|containsAnyOf|matches)\\(\\s*\"");

    /** {@code extracting(Transition::reason)}. */
    private static final Pattern TAKEN_OUT = Pattern.compile("extracting\\(\\w+::(?:reason|remark|text)\\)");

    private static boolean isSlurms(String name) {
        return name.startsWith("slurm/");
    }

    @Test
    void productionCodeAsksForCauses() throws IOException {
        Map<String, List<String>> found = in("main", NoSentenceIsReadTest::questions);
        compare(found, READERS_OF_OTHERS_WORDS);
        assertThat(found.keySet()).as(SLURM).anyMatch(NoSentenceIsReadTest::isSlurms);
    }

    @Test
    void testsJudgeByCauses() throws IOException {
        Map<String, List<String>> found = in("test", NoSentenceIsReadTest::judgements);
        // Below the head there are no causes: drivers and nodes say what providers and systems do.
        found.keySet().removeIf(name -> !name.matches("(?:head|proof|scaler|slurm)/.*"));
        compare(found, TESTS_OF_WORDS);
    }

    private static void compare(Map<String, List<String>> found, Map<String, String> allowed) {
        Map<String, List<String>> unknown = new TreeMap<>(found);
        unknown.keySet().removeIf(name -> allowed.containsKey(name) || isSlurms(name));
        assertThat(unknown)
                .as("reads a sentence instead of asking for its cause")
                .isEmpty();
        TreeSet<String> idle = new TreeSet<>(allowed.keySet());
        idle.removeAll(found.keySet());
        assertThat(idle).as("may read sentences and does not any more").isEmpty();
    }

    private static Map<String, List<String>> in(String kind, Function<String, List<String>> asked) throws IOException {
        Map<String, List<String>> found = new TreeMap<>();
        Map<Path, String> sources = new TreeMap<>(HouseSources.of(kind));
        sources.keySet().removeIf(file -> !file.toString().contains("/src/" + kind + "/java/org/spillway/"));
        assertThat(sources).as("of all modules").hasSizeGreaterThan(250);
        sources.forEach((file, text) -> {
            List<String> lines = asked.apply(text);
            if (!lines.isEmpty()) {
                found.put(name(file), lines);
            }
        });
        return found;
    }

    @Test
    void itBites() {
        assertThat(questions("if (node.reason().startsWith(\"powered on\")) {")).hasSize(1);
        assertThat(questions("boolean lost = record.reason()\n    .contains(\"were lost\");"))
                .hasSize(1);
        assertThat(questions("if (!job.reason().equals(ELSEWHERE)) {")).hasSize(1);
        assertThat(questions("if (theirReason.toLowerCase(Locale.ROOT).contains(\"budget\")) {"))
                .hasSize(1);
        assertThat(questions("if (job.cause().text().endsWith(\"time\")) {")).hasSize(1);
        assertThat(questions("if (IDLE.equals(node.reason()) || KNOWN.contains(site.trouble())) {"))
                .hasSize(2);
        assertThat(questions("if (String.valueOf(failed.getMessage()).contains(\"no such\")) {"))
                .hasSize(1);
        assertThat(questions("if (node.cause() == NodeFact.IDLE || why.isEmpty() || cause.equals(why)) {"))
                .isEmpty();
        assertThat(judgements("assertThat(story.waits(\"1\").text()).contains(\"no room\");"))
                .isNotEmpty();
        assertThat(judgements("assertThat(story.job(\"1\").reason())\n    .as(\"its end\").isEqualTo(\"lost\");"))
                .hasSize(1);
        assertThat(judgements("lines.extracting(Transition::reason).contains(\"idle\");"))
                .hasSize(1);
        assertThat(judgements("assertThat(job.cause()).isEqualTo(JobFact.NODE_LOST); say(job.reason());"))
                .isEmpty();
        assertThat(questions("// why.startsWith(x)\n/* its reason().contains(y) */ say(node.reason());"))
                .isEmpty();
    }

    private static List<String> questions(String source) {
        return found(source, OF_A_SENTENCE, OF_A_TEXT, WITH_A_SENTENCE);
    }

    private static List<String> judgements(String source) {
        return found(source, OF_A_SENTENCE, OF_A_TEXT, WITH_A_SENTENCE, JUDGED, TAKEN_OUT);
    }

    private static List<String> found(String source, Pattern... patterns) {
        List<String> lines = new ArrayList<>();
        // A quick look first: most statements ask nothing.
        for (String statement : COMMENTS.matcher(source).replaceAll(" ").split(";\n", -1)) {
            if (WORDS.stream().anyMatch(statement::contains)) {
                for (Pattern pattern : patterns) {
                    pattern.matcher(statement)
                            .results()
                            .forEach(one -> lines.add(one.group().replaceAll("\\s+", " ")));
                }
            }
        }
        return lines;
    }

    /** Below {@code org/spillway}, without its ending. */
    private static String name(Path file) {
        String path = file.toString();
        return path.substring(
                path.lastIndexOf("/org/spillway/") + "/org/spillway/".length(), path.length() - ".java".length());
    }
}
