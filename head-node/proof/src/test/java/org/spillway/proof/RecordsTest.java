package org.spillway.proof;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Records have at most ten components. Who else may have more is said here. */
final class RecordsTest {
    private static final int MOST = 10;
    private static final Pattern RECORD = Pattern.compile("\\brecord (\\w+)\\s*(?:<[^(]*>)?\\(");

    /** A row as a wire, a journal, a listing or a page has it: such a row may get another column. */
    private static final Set<String> ROWS = Set.of(
            "AwsLaunchCall",
            "AwsType",
            "CheckView",
            "ClusterOrder",
            "ClusterRecord",
            "ClusterSnapshot",
            "ClusterView",
            "DelegatedRecord",
            "Demand",
            "DemoReport.JobPart",
            "Directive",
            "InstanceRecord",
            "JobOrder",
            "JobSpec",
            "JobSubmission",
            "JobView",
            "LeaseText.Job",
            "LoggedJob",
            "NodeRecord",
            "NodeView",
            "OfferingView",
            "RecoveryView.Machine",
            "Report",
            "Report.JobReport",
            "SiteView",
            "SlurmJob",
            "SlurmNode",
            "Wire.Launch");

    /** A section of a configuration, component by key. */
    private static final Set<String> SECTIONS = Set.of(
            "AwsSettings", "AzureSettings", "HeadConfig", "HeadConfig.Site", "OpenStackSettings", "PolicyHostSettings");

    /** Rows that are made and changed by the names of their parts, outside of their own files and inside of tests, too. */
    private static final Set<String> BY_NAME = Set.of(
            "ClusterSnapshot",
            "DecisionView",
            "Demand",
            "JobSpec",
            "JobSubmission",
            "NodeRecord",
            "PlanView.StepView",
            "Purchase");

    @Test
    void noRecordGrowsBeyondTenOrBeyondWhatItHas() throws IOException {
        Map<String, Integer> grown = new TreeMap<>();
        for (Map.Entry<Path, String> source : HouseSources.of("main").entrySet()) {
            String file = source.getKey().getFileName().toString().replace(".java", "");
            of(file, source.getValue()).forEach((name, count) -> {
                if (count > allowed(name)) {
                    grown.put(name, count);
                }
            });
        }
        assertThat(grown).isEmpty();
    }

    @Test
    void wideRowsAreBuiltByName() throws IOException {
        Pattern positional = Pattern.compile("new (" + String.join("|", new TreeSet<>(BY_NAME)) + ")\\(");
        Set<String> found = new TreeSet<>();
        for (String part : List.of("main", "test")) {
            for (Map.Entry<Path, String> source : HouseSources.of(part).entrySet()) {
                String file = source.getKey().getFileName().toString().replace(".java", "");
                Matcher made = positional.matcher(HouseSources.code(source.getValue()));
                while (made.find()) {
                    if (!made.group(1).equals(file)) {
                        found.add(file + ": " + made.group());
                    }
                }
            }
        }
        assertThat(found).isEmpty();
    }

    /**
     * A constructor that leaves out what it fills in itself takes at most three: from four on nobody sees which is meant.
     * What may be left out is said by its name.
     */
    @Test
    void noConstructorOfARecordTelescopes() throws IOException {
        Set<String> found = new TreeSet<>();
        for (Map.Entry<Path, String> source : HouseSources.of("main").entrySet()) {
            String file = source.getKey().getFileName().toString().replace(".java", "");
            found.addAll(telescopes(file, HouseSources.code(source.getValue())));
        }
        assertThat(found).isEmpty();
        assertThat(telescopes("A", "record A(int a, int b) { A(int a, Map<B, C> b, int c, D<E> d) { this(a, 1); } }"))
                .containsExactly("A 4");
        assertThat(telescopes("A", "record A(int a, int b) { A(int a, int b, int c) { this(a, 1); } }"))
                .isEmpty();
    }

    private static Set<String> telescopes(String file, String code) {
        Set<String> found = new TreeSet<>();
        Matcher record = RECORD.matcher(code);
        while (record.find()) {
            String name = record.group(1);
            Matcher made = Pattern.compile("\\b" + name + "\\(((?:[^()]++|\\([^()]*+\\))*+)\\)\\s*\\{\\s*this\\(")
                    .matcher(code);
            while (made.find()) {
                int count = components(made.group(1) + ")", 0);
                if (count > 3) {
                    found.add((name.equals(file) ? name : file + "." + name) + " " + count);
                }
            }
        }
        return found;
    }

    @Test
    void countsComponentsAndNotWhatIsInThem() {
        assertThat(
                        of(
                                "A",
                                "record A(int a, Map<String, int[]> b, @Said(\"a, b\") @Most(1L << 20) int c) { record B() {} }"))
                .containsExactlyInAnyOrderEntriesOf(Map.of("A", 3, "A.B", 0));
    }

    private static int allowed(String name) {
        return ROWS.contains(name) || SECTIONS.contains(name) ? Integer.MAX_VALUE : MOST;
    }

    private static Map<String, Integer> of(String file, String text) {
        Map<String, Integer> found = new TreeMap<>();
        // A shift in an annotation closes no bracket.
        String code = HouseSources.code(text).replace("<<", "");
        Matcher record = RECORD.matcher(code);
        while (record.find()) {
            String name = record.group(1).equals(file) ? file : file + "." + record.group(1);
            found.put(name, components(code, record.end()));
        }
        return found;
    }

    private static int components(String code, int from) {
        int depth = 1;
        int commas = 0;
        boolean any = false;
        for (int i = from; depth > 0; i++) {
            char c = code.charAt(i);
            if (c == '(' || c == '<' || c == '[') {
                depth++;
            } else if (c == ')' || c == '>' || c == ']') {
                depth--;
            } else if (c == ',' && depth == 1) {
                commas++;
            }
            any |= depth > 0 && !Character.isWhitespace(c);
        }
        return any ? commas + 1 : 0;
    }
}
