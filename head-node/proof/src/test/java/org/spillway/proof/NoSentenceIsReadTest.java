package org.spillway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Sentences are for people: production code asks for causes (ADR 26). A new place here reads words of others, which have no
 * types, or it is a mistake.
 */
final class NoSentenceIsReadTest {
    private static final Path ROOT = Path.of("../..");

    private static final String NAMED = "\\w*?(?:reason|why|message|sentence|obstacle|trouble|remark)s?";
    private static final String ASKED =
            "(?:startsWith|endsWith|contains|equals|equalsIgnoreCase|matches|indexOf|regionMatches)\\(";
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
            Map.entry("localcloud/ec2/StateReason", EMULATOR),
            Map.entry("localcloud/nova/ServerMaker", EMULATOR),
            Map.entry("director/directory/NssSource", TOLD_AGAIN),
            Map.entry("cli/ClusterChangeCommands", TOLD_AGAIN),
            Map.entry("cli/HeadClient", SYSTEM),
            Map.entry("head/loop/handover/HandOver", TOLD_AGAIN),
            Map.entry("head/loop/nodes/NodeAction", "an action's name in a request"),
            Map.entry("head/mail/SmtpMailer", "a mail server's answer, which begins with its code"),
            Map.entry("proof/bench/OnDemandBench", "another head's answer, over its client"),
            Map.entry("proof/simulate/LogOptions", "an option's value"),
            Map.entry("stage/worker/Finder", SYSTEM),
            Map.entry("scaler/policyhost/Roster", TOLD_AGAIN),
            Map.entry("scaler/simulate/Decider", "steps of a plan have no causes yet"));

    private static boolean isSlurms(String name) {
        return name.startsWith("slurm/");
    }

    @Test
    void productionCodeAsksForCauses() throws IOException {
        Map<String, List<String>> found = new TreeMap<>();
        for (Path file : sources()) {
            List<String> lines = questions(Files.readString(file));
            if (!lines.isEmpty()) {
                found.put(name(file), lines);
            }
        }
        Map<String, List<String>> unknown = new TreeMap<>(found);
        unknown.keySet().removeIf(name -> READERS_OF_OTHERS_WORDS.containsKey(name) || isSlurms(name));
        assertThat(unknown)
                .as("reads a sentence instead of asking for its cause")
                .isEmpty();
        TreeSet<String> idle = new TreeSet<>(READERS_OF_OTHERS_WORDS.keySet());
        idle.removeAll(found.keySet());
        assertThat(idle).as("may read sentences and does not any more").isEmpty();
        assertThat(found.keySet()).as(SLURM).anyMatch(NoSentenceIsReadTest::isSlurms);
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
        assertThat(questions("// why.startsWith(x)\n/* its reason().contains(y) */ say(node.reason());"))
                .isEmpty();
    }

    private static List<String> questions(String source) {
        String code = source.replaceAll("(?s)/\\*.*?\\*/|//[^\\n]*", " ");
        List<String> lines = new ArrayList<>();
        for (Pattern pattern : List.of(OF_A_SENTENCE, OF_A_TEXT, WITH_A_SENTENCE)) {
            pattern.matcher(code).results().forEach(one -> lines.add(one.group().replaceAll("\\s+", " ")));
        }
        return lines;
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> all = Files.walk(ROOT)) {
            List<Path> sources = all.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> file.toString().contains("/src/main/java/"))
                    .toList();
            assertThat(sources).as("of all modules").hasSizeGreaterThan(600);
            return sources;
        }
    }

    /** Below {@code org/spillway}, without its ending. */
    private static String name(Path file) {
        String path = file.toString();
        return path.substring(
                path.indexOf("/org/spillway/") + "/org/spillway/".length(), path.length() - ".java".length());
    }
}
