package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.JobOrder.Foreign;
import org.spillway.director.wire.Report.JobReport.Phase;
import org.spillway.stage.tree.Glob;

/** Jobs of a Slurm on a node: their files, their users, and how they are ended. */
@Tag("processes")
final class NodeSlurmJobsTest extends NodeSlurmLab {

    @Test
    void aUserWhoCameLaterHasANameBeforeTheJobStarts() throws Exception {
        assertThat(Files.readString(inside("/etc/passwd"))).doesNotContain("bob:");
        site.addUser("bob", TestNodes.UID + 2);
        OrderDraft draft = new OrderDraft("later", "n-" + instance.id, TestNodes.UID + 2, "");
        draft.user = "bob";
        draft.foreign = new Foreign(
                "slurm", "131", Files.createDirectories(folder.resolve("later")).toString());
        order(draft, "later");
        assertThat(exit(run("prolog", "131"))).isZero();
        assertThat(Files.readString(inside("/etc/passwd"))).contains("\nann:x:60001:", "\nbob:x:60003:");
        ended("131", "later");
    }

    @Test
    void aCancelShutsTheGateUnlessThePrologHasPassed() throws Exception {
        Path place = place("four");
        OrderDraft early = draft("j4", "104", place.toString());
        order(early, "j4");
        site.untilPhase("j4", Phase.RUNNING);
        early.cancel = true;
        order(early, "j4");
        assertThat(site.untilPhase("j4", Phase.REFUSED).message()).isEqualTo("cancelled before it started");
        assertThat(exit(run("prolog", "104"))).isEqualTo(1);

        OrderDraft late = draft("j5", "105", place.toString());
        order(late, "j5");
        assertThat(exit(run("prolog", "105"))).isZero();
        late.cancel = true;
        order(late, "j5");
        TestNodes.await("told", () -> Files.exists(instance.disk.resolve("spillway/jobs/j5.1/stop")));
        assertThat(site.sync().jobs())
                .filteredOn(job -> job.job().equals("j5"))
                .allMatch(job -> job.phase() == Phase.ACCEPTED || job.phase() == Phase.RUNNING);
        assertThat(ended("105", "j5").message()).isEqualTo("cancelled");
    }

    @Test
    void whatSlurmEndedDoesNotWait() throws Exception {
        Process prolog = run("prolog", "106");
        Files.writeString(folder.resolve("over-106"), "");
        assertThat(exit(prolog)).isZero();
        assertThat(exit(run("epilog", "106"))).isZero();
        assertThat(exit(run("epilog", "no number"))).isZero();
        assertThat(exit(run("prolog", "../x"))).isEqualTo(1);

        order(draft("j7", "107", place("seven").toString()), "j7");
        site.untilPhase("j7", Phase.RUNNING);
        assertThat(exit(run("epilog", "107"))).isZero();
        assertThat(site.untilPhase("j7", Phase.REFUSED).message()).isEqualTo("Slurm ended it before it started");
    }

    @Test
    void theFolderOfAStreamIsThereAndWhatTheJobWritesIsToldWhileItRuns() throws Exception {
        Path place = place("streams");
        Files.writeString(
                folder.resolve("shown-161"),
                "JobId=161 JobName=a StdErr=b WorkDir=%1$s StdErr=%1$s/logs/two words/e.out StdIn=/dev/null StdOut=%1$s/logs/%%5j_%%J_%%n_%%s_%%%%.out Power=\n"
                        .formatted(place));
        order(draft("st", "161", place.toString()), "st");
        assertThat(exit(run("prolog", "161"))).isZero();
        assertThat(Files.getAttribute(place.resolve("logs/two words"), "unix:uid"))
                .isEqualTo(TestNodes.UID);
        write(place, "echo hello >logs/00161_161_0_batch_%.out; echo alas >'logs/two words/e.out'");
        String log = "/v1/logs/st/1/n-" + instance.id + "/";
        TestNodes.await("told", () -> site.log(log + "stdout?after=0").contains("hello"));
        TestNodes.await("told", () -> site.log(log + "stderr?after=0").contains("alas"));
        ended("161", "st");
    }

    @Test
    void twoJobsInOneFolderBringTheirOwnAndNoInputs() throws Exception {
        Path place = place("shared");
        Path tree = Files.createDirectories(folder.resolve("tree-shared"));
        Files.writeString(tree.resolve("first.out"), "input of 1\n");
        Files.writeString(tree.resolve("second.out"), "input of 2\n");
        OrderDraft one = draft("s1", "111", place.toString());
        input(one, "s1", Tar.of(tree, List.of("first.out")));
        order(one, "s1");
        assertThat(exit(run("prolog", "111"))).isZero();
        OrderDraft two = draft("s2", "112", place.toString());
        input(two, "s2", Tar.of(tree, List.of("second.out")));
        two.collect = List.of("\\./2.*\\.out");
        order(two, "s2");
        assertThat(exit(run("prolog", "112"))).isZero();
        write(place, "echo 1 >1.out; echo 2 >2.out");
        ended("111", "s1");
        ended("112", "s2");
        // The input of the second came while the first ran, and nobody changed it.
        assertThat(site.results("s1", "n-" + instance.id)).containsOnlyKeys("1.out", "2.out");
        assertThat(site.results("s2", "n-" + instance.id)).containsOnlyKeys("2.out");
    }

    @Test
    void twoJobsInOneFolderLeaveEachOthersStandardOutputAlone() throws Exception {
        Path place = place("tasks");
        for (String job : List.of("181", "182")) {
            Files.writeString(
                    folder.resolve("shown-" + job),
                    "JobId=%2$s JobName=a WorkDir=%1$s StdErr=%1$s/%2$s.out StdOut=%1$s/%2$s.out Power=\n"
                            .formatted(place, job));
            order(draft("t" + job, job, place.toString()), "t" + job);
            assertThat(exit(run("prolog", job))).isZero();
        }
        write(place, "echo 1 >181.out; echo 2 >182.out; echo both >more.out");
        ended("181", "t181");
        write(place, "echo 3 >>182.out");
        ended("182", "t182");
        assertThat(site.results("t181", "n-" + instance.id)).containsOnlyKeys("181.out", "more.out");
        assertThat(site.results("t182", "n-" + instance.id)).containsOnlyKeys("182.out", "more.out");
    }

    @Test
    void whatAJobLeavesBelowItsHomeComesHomeToo() throws Exception {
        order(draft("h0", "190", "/home/ann/an other's"), "h0");
        assertThat(exit(run("prolog", "190"))).isZero();
        OrderDraft one = draft("h1", "191", "/home/ann/job [1]");
        one.collect = List.of(Glob.parse(".spillway-home").posixRegex(), "\\./[^.].*");
        write(inside("/home/ann"), "mkdir before && echo old >before/old");
        order(one, "h1");
        assertThat(exit(run("prolog", "191"))).isZero();
        write(
                inside("/home/ann"),
                "mkdir -p results .cache \"an other's/deep\" && echo far >'results/a b' && echo new >before/new"
                        + " && echo hidden >.cache/x && echo hidden >.profile && echo 0 >\"an other's/deep/0\" && echo near >'job [1]/near'");
        ended("191", "h1");
        assertThat(site.results("h1", "n-" + instance.id))
                .isEqualTo(Map.of(
                        "near", "near\n",
                        ".spillway-home/results/a b", "far\n",
                        ".spillway-home/before/new", "new\n"));
        ended("190", "h0");
    }

    /** As 24.11 and later tell it: the last of the line, with a blank behind it. */
    @Test
    void outputElsewhereBelowHomeIsItsJobsAndNoOthers() throws Exception {
        Files.writeString(
                folder.resolve("shown-195"),
                "JobId=195 JobName=a WorkDir=/home/ann/job5 StdErr=/home/ann/logs/5.err StdIn=/dev/null StdOut=/home/ann/logs/5.out \n");
        OrderDraft one = draft("b5", "195", "/home/ann/job5");
        one.collect = List.of("\\./(\\.spillway-home/logs/5\\.out)(/.*)?", "\\./(\\.spillway-home/logs/5\\.err)(/.*)?");
        order(one, "b5");
        assertThat(exit(run("prolog", "195"))).isZero();
        OrderDraft two = draft("b6", "196", "/home/ann/job6");
        two.collect = List.of(Glob.parse(".spillway-home").posixRegex(), "\\./[^.].*");
        order(two, "b6");
        assertThat(exit(run("prolog", "196"))).isZero();
        write(
                inside("/home/ann"),
                "echo out >logs/5.out && echo more >logs/more.txt && echo 6 >job6/6.txt && echo 5 >job5/5.txt");
        String log = "/v1/logs/b5/1/n-" + instance.id + "/stdout?after=0";
        TestNodes.await("told while it runs", () -> site.log(log).contains("out"));
        ended("196", "b6");
        ended("195", "b5");
        assertThat(site.results("b5", "n-" + instance.id)).isEqualTo(Map.of(".spillway-home/logs/5.out", "out\n"));
        assertThat(site.results("b6", "n-" + instance.id))
                .isEqualTo(Map.of("6.txt", "6\n", ".spillway-home/logs/more.txt", "more\n"));
    }

    /** S7: on 7b3e1e2 whoever collected in a folder waited until the input of any other job there had come. */
    @Test
    void resultsDoNotWaitForAnInputThatComesIntoTheirFolder() throws Exception {
        Path place = place("lanes");
        Path tree = Files.createDirectories(folder.resolve("tree-lanes"));
        Files.writeString(tree.resolve("large.out"), "input\n");
        byte[] bundle = Tar.of(tree, List.of("large.out"));
        order(draft("l1", "171", place.toString()), "l1");
        assertThat(exit(run("prolog", "171"))).isZero();
        OrderDraft two = draft("l2", "172", place.toString());
        String key = "jobs/l2/in/0";
        two.inputs = List.of(new JobOrder.Input(key, bundle.length, site.stage("jobs/l2/in/elsewhere", bundle)));
        order(two, "l2");
        Process prolog = run("prolog", "172");
        TestNodes.await("it fetches", () -> Files.exists(instance.disk.resolve("spillway/jobs/l2.1/inputs")));
        write(place, "echo 1 >1.out");
        ended("171", "l1");
        assertThat(prolog.isAlive()).isTrue();
        assertThat(site.results("l1", "n-" + instance.id)).containsOnlyKeys("1.out");
        site.stage(key, bundle);
        assertThat(exit(prolog)).isZero();
        write(place, "echo 2 >2.out");
        ended("172", "l2");
        assertThat(site.results("l2", "n-" + instance.id)).containsOnlyKeys("2.out");
    }

    @Test
    void aFileThatAnotherJobBringsAgainIsNeverHalfThere() throws Exception {
        Path place = place("again");
        Path tree = Files.createDirectories(folder.resolve("tree-again"));
        Files.createDirectories(tree.resolve("data"));
        byte[] content = new byte[16 << 20];
        Files.write(tree.resolve("data/numbers"), content);
        byte[] bundle = Tar.of(tree, List.of("data/numbers"));
        OrderDraft one = draft("a1", "151", place.toString());
        input(one, "a1", bundle);
        order(one, "a1");
        assertThat(exit(run("prolog", "151"))).isZero();
        OrderDraft two = draft("a2", "152", place.toString());
        input(two, "a2", bundle);
        order(two, "a2");
        Process prolog = run("prolog", "152");
        Set<Long> sizes = new HashSet<>();
        while (prolog.isAlive()) {
            sizes.add(place.resolve("data/numbers").toFile().length());
        }
        assertThat(exit(prolog)).isZero();
        assertThat(sizes).containsExactly((long) content.length);
        try (var left = Files.list(place)) {
            assertThat(left.map(path -> path.getFileName().toString()).toList()).containsExactly("data");
        }
        ended("151", "a1");
        ended("152", "a2");
    }

    @Test
    void rootMakesTheUsersHomeAndNothingThatAJobNames() throws Exception {
        Files.createDirectories(inside("/run/top"));
        Path tree = Files.createDirectories(folder.resolve("tree-nowhere"));
        Files.writeString(tree.resolve("in"), "input");
        for (String named : List.of("/usr/spi-x", "/run/spi-x", "/run/top/a", "/home/somebody-else")) {
            String job = "f" + named.replaceAll("[^a-z]", "");
            OrderDraft draft = draft(job, "12" + Math.abs(named.hashCode() % 1000), named);
            input(draft, job, Tar.of(tree, List.of("in")));
            order(draft, job);
            assertThat(site.untilPhase(job, Phase.REFUSED).message())
                    .startsWith("its folder is not on this image, and its user may not make it: ");
            assertThat(inside(named)).doesNotExist();
        }
        // As at home, where slurmstepd goes to /tmp.
        order(draft("fnothing", "132", "/usr/spi-x"), "fnothing");
        assertThat(exit(run("prolog", "132"))).isZero();
        assertThat(inside("/usr/spi-x")).doesNotExist();
        ended("132", "fnothing");
        order(draft("fhome", "131", "/home/ann/a b/c"), "fhome");
        assertThat(exit(run("prolog", "131"))).isZero();
        for (String made : List.of("/home/ann", "/home/ann/a b/c")) {
            assertThat(Files.getAttribute(inside(made), "unix:uid")).isEqualTo(TestNodes.UID);
        }
        assertThat(Files.getAttribute(inside("/home"), "unix:uid")).isEqualTo(0);
        ended("131", "fhome");
    }

    @Test
    void jobsOfANewUserThatComeAtOnceShareTheHomeThatOneOfThemMakes() throws Exception {
        List<String> numbers = List.of("141", "142", "143", "144", "145", "146");
        for (String number : numbers) {
            order(draft("h" + number, number, "/home/ann/w" + number), "h" + number);
        }
        List<Process> prologs = new ArrayList<>();
        for (String number : numbers) {
            prologs.add(run("prolog", number));
        }
        for (Process prolog : prologs) {
            assertThat(exit(prolog)).isZero();
        }
        assertThat(Files.getAttribute(inside("/home/ann"), "unix:uid")).isEqualTo(TestNodes.UID);
        for (String number : numbers) {
            ended(number, "h" + number);
        }
    }

    @Test
    void powerOffEndsTheStepsToo() throws Exception {
        TestInstance other = serving("ends");
        long step =
                Long.parseLong(Files.readString(other.disk.resolve("step.pid")).strip());
        String node = "n-" + other.id;
        site.nodes.removeIf(each -> each.node().equals(node));
        site.joins.values().removeIf(answer -> answer.node().equals(node));
        site.sync();
        TestNodes.await("powered off", other::poweredOff);
        TestNodes.await(
                "its step is gone",
                () -> ProcessHandle.of(step).filter(ProcessHandle::isAlive).isEmpty());
        assertThat(ProcessHandle.of(Long.parseLong(pid(instance, "slurmd")))).isPresent();
    }
}
