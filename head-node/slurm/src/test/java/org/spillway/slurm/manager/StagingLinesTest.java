package org.spillway.slurm.manager;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.head.journal.JobSpec.Input;
import org.spillway.head.journal.JobSpec.Output;
import org.spillway.head.staging.BundlePlaces;
import org.spillway.slurm.manager.StagingLines.Numbers;
import org.spillway.slurm.manager.StagingLines.Result;
import org.spillway.slurm.settings.JobFiles;
import org.spillway.slurm.settings.Unnamed;

final class StagingLinesTest {
    private static final String FOLDER = "/home/alice/job";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // A file comes to the same place below the folder.
                "in=data.csv|/home/alice/job/data.csv|/home/alice/job/data.csv|data.csv",
                "in=data/train/x.csv|/home/alice/job/data/train/x.csv|/home/alice/job/data/train/x.csv|data/train/x.csv",
                "in=./data//|/home/alice/job/data|/home/alice/job/data/a/b|data/a/b",
                "in=/home/alice/job/data|/home/alice/job/data|/home/alice/job/data/a|data/a",
                "in='data/*.csv'|/home/alice/job/data/*.csv|/home/alice/job/data/x.csv|data/x.csv",
                "in=data/**/x?.csv|/home/alice/job/data/**/x?.csv|/home/alice/job/data/a/b/x1.csv|data/a/b/x1.csv",
                "in={a,b}/x|/home/alice/job/{a,b}/x|/home/alice/job/b/x|b/x",
                "in=*|/home/alice/job/*|/home/alice/job/a/b|a/b",
                // A file that lies elsewhere comes to the folder itself.
                "in=../shared/model.pt|/home/alice/shared/model.pt|/home/alice/shared/model.pt|model.pt",
                "in=/data/set|/data/set|/data/set/a/b|set/a/b",
                "in=/data/set/*.bin|/data/set/*.bin|/data/set/1.bin|1.bin",
                // Or where it is told to.
                "in=/data/set:in|/data/set|/data/set/a|in/set/a",
                "in=/data/*.bin:in/raw/|/data/*.bin|/data/1.bin|in/raw/1.bin",
                "in=data/x.csv:.|/home/alice/job/data/x.csv|/home/alice/job/data/x.csv|x.csv",
                "in='a\\:b'|/home/alice/job/a\\:b|/home/alice/job/a:b|a:b",
                "in='two words'|/home/alice/job/two words|/home/alice/job/two words|two words",
                "in=$HOME/x|/home/alice/job/$HOME/x|/home/alice/job/$HOME/x|$HOME/x",
            })
    void anInputComesToItsPlace(String word, String pattern, String path, String place) {
        var input = read("#SPILLWAY " + word).inputs().getFirst();
        assertThat(input.pattern()).isEqualTo(pattern);
        assertThat(BundlePlaces.of(input, path)).isEqualTo(place);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "out=result.txt|result.txt|/home/alice/job/result.txt|false|false",
                "out!=result.txt|result.txt|/home/alice/job/result.txt|false|true",
                "out=a/b.txt:b.txt|a/b.txt|/home/alice/job/b.txt|false|false",
                "out=a/b.txt:old/|a/b.txt|/home/alice/job/old/b.txt|false|false",
                "out=a/b.txt:/results|a/b.txt|/results|false|false",
                "out!=a/b.txt:/results/|a/b.txt|/results/b.txt|false|true",
                "out=models/|models|/home/alice/job/models|true|false",
                "out=models/:/results/run%j|models|/results/run4711|true|false",
                "out=logs/*.log|logs/*.log|/home/alice/job/logs|true|false",
                "out=*.log:old|*.log|/home/alice/job/old|true|false",
                "out=**/part-%a.bin|**/part-7.bin|/home/alice/job|true|false",
            })
    void anOutputComesHome(String word, String pattern, String destination, boolean tree, boolean strict) {
        var read = (Result.Read)
                StagingLines.parse("#SPILLWAY " + word, FOLDER, "", "", "", new Numbers("4711", "4700", "7"));
        assertThat(read.data().outputs()).containsExactly(new Output(pattern, destination, tree, strict));
    }

    @Test
    void linesStandAtTheTopAndHaveSeveralWords() {
        var data = read("""
                #!/bin/sh
                #SBATCH -p west

                #SPILLWAY in=a in=b:in   out=c # out=not
                  # a comment
                #SPILLWAY
                #SPILLWAY	out!=d/\r
                echo begins
                #SPILLWAY in=late
                """);
        assertThat(data.inputs()).containsExactly(new Input(FOLDER + "/a", ""), new Input(FOLDER + "/b", "in/"));
        assertThat(data.outputs())
                .containsExactly(
                        new Output("c", FOLDER + "/c", false, false), new Output("d", FOLDER + "/d", true, true));
        assertThat(data.folder()).isEqualTo(FOLDER);
    }

    @Test
    void whatSlurmWritesComesHomeWhenItLiesBelowTheFolder() {
        var streams = FOLDER + "/logs/slurm-[1].out";
        assertThat(streams(streams, FOLDER + "/x.err"))
                .containsExactly(
                        new Output("logs/slurm-\\[1\\].out", streams, false, false),
                        new Output("x.err", FOLDER + "/x.err", false, false));
        assertThat(streams(streams, streams)).hasSize(1);
        assertThat(streams("/dev/null", "/home/alice/elsewhere.err")).isEmpty();
        assertThat(streams("", FOLDER)).isEmpty();
        assertThat(streams(FOLDER + "/logs/x-%N_%5j%%.out", FOLDER + "/100%%"))
                .containsExactly(
                        new Output("logs/x-*_*%.out", FOLDER + "/logs", true, false),
                        new Output("100%", FOLDER + "/100%", false, false));
        assertThat(streams(FOLDER + "/err-(null).out", ""))
                .as("of 26.05, before the job has a node")
                .containsExactly(new Output("err-*.out", FOLDER, true, false));
        assertThat(streams(FOLDER + "/%N/x", "")).containsExactly(new Output("*/x", FOLDER, true, false));
    }

    @Test
    void aFolderMayHaveAnyName() {
        var folder = "/home/alice/{a,b} [1]*\\";
        var read = (Result.Read) StagingLines.parse("#SPILLWAY in=x out=y", folder, "", "");
        var input = read.data().inputs().getFirst();
        assertThat(BundlePlaces.of(input, folder + "/x")).isEqualTo("x");
        assertThat(read.data().outputs().getFirst().destination()).isEqualTo(folder + "/y");
        assertThat(((Result.Refused) StagingLines.parse("", "/", "", "")).sentence())
                .isEqualTo("line 1: /: the job's folder must be an absolute path other than /");
    }

    /** Every mistake that a user can make, with the sentence that stands on their terminal. */
    @Test
    void everyMistakeIsToldWithItsPlace() throws IOException {
        var said = new ArrayList<String>();
        for (var script : resource("mistakes.in").split("\n--\n", -1)) {
            var lines = script.replace("@NUL@", "\0").replace("@ESC@", "\u001b").replace("@LONG@", "x".repeat(5000));
            said.add(script);
            said.add("=> " + ((Result.Refused) StagingLines.parse(lines, FOLDER, "", "")).sentence());
        }
        assertThat(String.join("\n", said) + "\n").isEqualTo(resource("mistakes.txt"));
    }

    @Test
    void thereAreBounds() {
        var many = "#SPILLWAY" + " in=x".repeat(101);
        assertThat(refusal(many)).contains("line 1: in=x: more than 100 patterns");
        assertThat(refusal("#SPILLWAY in=" + "x".repeat(4000) + "\n"
                        + ("#SPILLWAY in=" + "y".repeat(4000) + "\n").repeat(12)))
                .contains("line 11: in=yyy")
                .contains("too long; allowed: 4096 bytes, and 40960 in all lines");
        assertThat(refusal("#" + "x".repeat(StagingLines.MOST_BYTES)))
                .isEqualTo("line 1: the lines have more than 64 KiB");
        assertThat(((Result.Refused) StagingLines.parse("#SPILLWAY x\n".repeat(1000), FOLDER, "", "")).mistakes())
                .hasSize(20);
    }

    @Test
    void nothingThatIsTypedBreaksIt() {
        long seed = 20261121;
        var random = new Random(seed);
        var pieces = List.of(
                "in=",
                "out=",
                "out!=",
                "..",
                "/",
                "*",
                "{a,",
                "}",
                "[",
                "]",
                "\\",
                ":",
                "'",
                "\"",
                " ",
                "\n",
                "x",
                "%a",
                "#SPILLWAY ",
                "é");
        for (int round = 0; round < 20_000; round++) {
            var text = new StringBuilder("#SPILLWAY ");
            for (int i = random.nextInt(12); i >= 0; i--) {
                text.append(pieces.get(random.nextInt(pieces.size())));
            }
            if (StagingLines.parse(text.toString(), FOLDER, "", "") instanceof Result.Read read) {
                assertThat(read.data().outputs()).as("seed %s: %s", seed, text).allSatisfy(output -> {
                    assertThat(output.pattern()).doesNotStartWith("/");
                    assertThat(List.of(output.pattern().split("/", -1))).doesNotContain("..");
                    assertThat(output.destination()).startsWith("/").doesNotContain("/../");
                });
                assertThat(read.data().inputs()).as("seed %s: %s", seed, text).allSatisfy(input -> {
                    assertThat(input.pattern()).startsWith("/").doesNotContain("/../");
                    assertThat(input.target()).doesNotStartWith("/");
                    assertThat(List.of(input.target().split("/", -1))).doesNotContain("..");
                });
            }
        }
    }

    private static List<Output> streams(String stdout, String stderr) {
        return ((Result.Read) StagingLines.parse("", FOLDER, stdout, stderr))
                .data()
                .outputs();
    }

    private static org.spillway.head.journal.JobSpec.Data read(String lines) {
        var result = StagingLines.parse(lines, FOLDER, "", "");
        assertThat(result).isInstanceOf(Result.Read.class);
        return ((Result.Read) result).data();
    }

    @Test
    void outputElsewhereBelowHomeComesHomeToItsPlaceBehindTheLink() {
        var read = (Result.Read) StagingLines.parse(
                "", "/home/ann/job", "/home/ann", "/home/ann/logs/7.out", "/home/ann/logs/%N.err", Numbers.UNKNOWN);
        assertThat(read.data().outputs())
                .containsExactly(
                        new Output(".spillway-home/logs/7.out", "/home/ann/logs/7.out", false, false),
                        new Output(".spillway-home/logs/*.err", "/home/ann/logs", true, false));
        assertThat(read.data().streams().stdout()).isEqualTo("/home/ann/logs/7.out");
        for (String other :
                List.of("/home/bob/7.out", "/tmp/7.out", "/home/ann", "/home/ann/../bob/7.out", "/home/anna/x")) {
            var not = (Result.Read) StagingLines.parse("", "/home/ann/job", "/home/ann", other, "", Numbers.UNKNOWN);
            assertThat(not.data().outputs()).as(other).isEmpty();
        }
        var rooted = (Result.Read) StagingLines.parse("", "/job", "/", "/tmp/7.out", "", Numbers.UNKNOWN);
        assertThat(rooted.data().outputs()).as("a home that is everything").isEmpty();
    }

    private static String refusal(String lines) {
        return ((Result.Refused) StagingLines.parse(lines, FOLDER, "", "")).sentence();
    }

    private static String resource(String name) throws IOException {
        try (var in = StagingLinesTest.class.getResourceAsStream("staging/" + name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void whatLiesInASharedFolderIsInItsPlace() {
        var shared = new JobFiles(Unnamed.HOME, List.of("/elsewhere", FOLDER.substring(0, FOLDER.lastIndexOf('/'))));
        var plain = (Result.Read) StagingLines.parse("", FOLDER, FOLDER + "/slurm-7.out", "");
        assertThat(PlainFiles.with(plain, shared, "7").outputs()).isEmpty();
        var lines = "#SPILLWAY in=a in=b/c in='d/*.csv' in='*.png' in=e:other in=/models/m in='/models/*:x'\n"
                + "#SPILLWAY out=r/ out='*.txt' out!=s out=m:/models/new/\n";
        var named = (Result.Read) StagingLines.parse(lines, FOLDER, FOLDER + "/slurm-7.out", "");
        var left = PlainFiles.with(named, shared, "7");
        assertThat(left.inputs())
                .as("copies that somebody wants elsewhere")
                .containsExactly(
                        new Input(FOLDER + "/e", "other/"), new Input("/models/m", ""), new Input("/models/*", "x/"));
        assertThat(left.outputs())
                .as("what has to be there, and what goes elsewhere")
                .containsExactly(
                        new Output("s", FOLDER + "/s", false, true), new Output("m", "/models/new/m", false, false));
        var beside = new JobFiles(Unnamed.HOME, List.of(FOLDER + "2", FOLDER + "/below"));
        assertThat(PlainFiles.with(plain, beside, "7").outputs()).hasSize(3);
    }

    @Test
    void filesOfAJobThatNamesNoOutputComeHomeBesideWhatIsThere() {
        var plain = (Result.Read) StagingLines.parse("#SPILLWAY in=x", FOLDER, FOLDER + "/slurm-7.out", "");
        assertThat(PlainFiles.with(plain, JobFiles.of(Unnamed.HOME), "7").outputs())
                .containsExactly(
                        new Output("slurm-7.out", FOLDER + "/slurm-7.out", false, false),
                        new Output(".spillway-home", FOLDER + "/spillway-7/HOME", true, false),
                        new Output("**", FOLDER + "/spillway-7", true, false));
        assertThat(PlainFiles.with(plain, JobFiles.of(Unnamed.LEAVE), "7")).isEqualTo(plain.data());
        var named = (Result.Read) StagingLines.parse("#SPILLWAY out=x", FOLDER, FOLDER + "/slurm-7.out", "");
        assertThat(PlainFiles.with(named, JobFiles.of(Unnamed.HOME), "7")).isEqualTo(named.data());
    }
}
