package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.director.wire.Directive.NodeGrant;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.JobOrder.Foreign;
import org.spillway.director.wire.ManagerGrant;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;
import org.spillway.slurm.manager.SlurmGrant;
import org.spillway.slurm.manager.SlurmTurn;

/**
 * The node's part for Slurm against a real director. munged, slurmd and squeue are stand-ins that write down how they
 * were called; Prolog and Epilog are the real ones, in a mount namespace where /run is this instance's own.
 */
final class NodeSlurmTest {
    private static final byte[] KEY = "a key of forty bytes, some of them \0\1\2\3\n".getBytes(StandardCharsets.UTF_8);
    private static final String[] MACHINE = {
        "unshare",
        "-m",
        "sh",
        "-c",
        "mount -t tmpfs -o mode=755,noexec none /run && mkdir -m 700 /run/munge && chown 1:1 /run/munge && mount -t tmpfs -o mode=755 none /home && mount --bind \"$SPILLWAY_INSTANCE_DIR/bin\" /usr/local/sbin && exec \"$@\"",
        "machine"
    };

    @TempDir
    static Path folder;

    private static TestNodes nodes;
    private static TestSite site;
    private static TestInstance instance;
    private final List<Process> processes = new ArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        assumeTrue(TestNodes.ROOT, "only root may mount and run slurmd");
        nodes = new TestNodes(folder);
        site = nodes.site;
        site.programs = List.of(new ManagerGrant.Program("slurm", SlurmGrant.PROGRAM));
        // The machine's own: by name, by number.
        site.addUser("daemon", 61_000);
        site.addUser("eve", 1);
        instance = serving("slurm");
    }

    @AfterAll
    static void stop() {
        if (nodes != null) {
            nodes.close();
        }
    }

    @AfterEach
    void endWhatWasStarted() {
        processes.forEach(Process::destroyForcibly);
    }

    private static TestInstance serving(String id) throws Exception {
        TestInstance made = nodes.instance(id, MACHINE);
        made.program("munged", """
                #!/bin/sh
                printf '%s\\n' "$@" >"$SPILLWAY_INSTANCE_DIR/munged.args"
                for each; do case $each in --socket=*) socket=${each#*=} ;; --key-file=*) key=${each#*=} ;; esac; done
                cp "$key" "$SPILLWAY_INSTANCE_DIR/key.seen"
                exec perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); unlink $ARGV[0];
                  bind(S, sockaddr_un($ARGV[0])) && listen(S, 5); sleep 600' "$socket"
                """);
        made.program("slurmd", """
                #!/bin/sh
                case $* in -V) echo 'slurm 22.05.8'; exit ;; esac
                echo "$*" >>"$SPILLWAY_INSTANCE_DIR/slurmd.args"
                cat /etc/passwd >"$SPILLWAY_INSTANCE_DIR/passwd.seen"
                env -i setsid sleep 600 &
                echo "$!" >"$SPILLWAY_INSTANCE_DIR/step.pid"
                exec sleep 600
                """);
        made.program("scontrol", """
                #!/bin/sh
                case $* in
                  requeue*) echo "$2" >>"%1$s/requeued" ;;
                  *show*) echo x >>"$SPILLWAY_INSTANCE_DIR/looked"; echo "NodeName=$4 State=$(cat "$SPILLWAY_INSTANCE_DIR/state" 2>/dev/null || echo IDLE+CLOUD) x" ;;
                esac
                """.formatted(folder));
        made.program("squeue", """
                #!/bin/sh
                case $* in
                  *' -w '*%%S*) cat "%1$s/there" 2>/dev/null; exit 0 ;;
                  *' -w '*) cut -d ' ' -f 1 "%1$s/there" 2>/dev/null; exit 0 ;;
                esac
                for each; do case $each in [0-9]*) [ ! -e "%1$s/over-$each" ] || printf '1 RUNNING\\n%%s COMPLETING\\n' "$each" ;; esac; done
                """.formatted(folder));
        made.boot(site.userData());
        site.untilReady(made.id);
        String node = "n-" + made.id;
        grant(node, null);
        site.sync();
        TestNodes.await("slurmd was started", () -> Files.exists(made.disk.resolve("step.pid")));
        return made;
    }

    private static void grant(String node, @Nullable SlurmTurn turn) {
        var grant = new SlurmGrant(
                "west-gpu-1",
                "10.0.0.1:6817",
                "/run/elsewhere/munge.sock",
                Base64.getEncoder().encodeToString(KEY),
                turn);
        site.nodes.replaceAll(each -> each.node().equals(node) ? new NodeGrant(node, grant.onTheWire()) : each);
    }

    private static String pid(TestInstance of, String name) throws IOException {
        return Files.readString(of.disk.resolve("spillway/manager/" + name + ".pid"))
                .strip();
    }

    /** Where a path of the machine is seen from here. */
    private static Path inside(String path) throws IOException {
        return Path.of("/proc/" + pid(instance, "slurmd") + "/root" + path);
    }

    private Process run(String program, String slurmJob) throws IOException {
        return run(instance, program, slurmJob);
    }

    private Process run(TestInstance on, String program, String slurmJob) throws IOException {
        Process process = new ProcessBuilder(
                        "nsenter",
                        "-m",
                        "-t",
                        pid(on, "slurmd"),
                        "env",
                        "-i",
                        "SLURM_JOB_ID=" + slurmJob,
                        "/run/spillway/slurm-" + program)
                .redirectErrorStream(true)
                .start();
        processes.add(process);
        return process;
    }

    private static int exit(Process process) throws InterruptedException {
        assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    private static Path place(String name) throws Exception {
        Path place = Files.createDirectories(folder.resolve(name));
        Files.setAttribute(place, "unix:uid", TestNodes.UID);
        return place;
    }

    private static OrderDraft draft(String job, String slurmJob, String place) {
        OrderDraft draft = nodes.draft(job, instance, "");
        draft.foreign = new Foreign("slurm", slurmJob, place);
        draft.collect = List.of("\\./.*\\.out");
        return draft;
    }

    private static void input(OrderDraft draft, String job, byte[] bundle) throws Exception {
        String key = "jobs/" + job + "/in/0";
        draft.inputs = List.of(new JobOrder.Input(key, bundle.length, site.stage(key, bundle)));
    }

    private static void order(OrderDraft draft, String job) throws Exception {
        site.jobs.put(job, draft.order());
        site.sync();
    }

    private void write(Path place, String command) throws Exception {
        Process process = new ProcessBuilder(
                        "setpriv", "--reuid=" + TestNodes.UID, "--clear-groups", "sh", "-c", command)
                .directory(place.toFile())
                .start();
        assertThat(exit(process)).isZero();
    }

    @Test
    void bothDaemonsRunWithTheirKeyTheirNameAndTheUsers() throws Exception {
        Path ours = instance.disk.resolve("spillway/manager");
        assertThat(Files.readAllBytes(instance.disk.resolve("key.seen"))).isEqualTo(KEY);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(ours.resolve("munge.key"))))
                .isEqualTo("r--------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(ours)))
                .isEqualTo("rwx------");
        assertThat(Files.readString(instance.disk.resolve("munged.args")))
                .contains("--socket=/run/munge/munge.socket.2\n", "--key-file=" + ours + "/munge.key\n");
        assertThat(Files.readAllLines(instance.disk.resolve("slurmd.args")).getFirst())
                .endsWith("--conf-server 10.0.0.1:6817 -N west-gpu-1 -b");
        // As the image's own munged leaves it; munged refuses a folder that is another one's.
        assertThat(Files.readAttributes(inside("/run/munge"), "unix:uid,permissions"))
                .containsEntry("uid", 0)
                .containsEntry("permissions", PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(Files.readSymbolicLink(inside("/run/elsewhere/munge.sock")))
                .hasToString("/run/munge/munge.socket.2");
        assertThat(Files.readString(instance.disk.resolve("passwd.seen")))
                .startsWith(Files.readAllLines(Path.of("/etc/passwd")).getFirst())
                .contains("\nann:x:60001:60001::/home/ann:/bin/sh\n")
                .doesNotContain("61000", "eve");
        assertThat(Files.readString(Path.of("/etc/passwd"))).doesNotContain("ann:x:60001");
        assertThat(site.sync().nodes())
                .filteredOn(node -> node.node().equals("n-" + instance.id))
                .allSatisfy(node -> assertThat(node.gate()).anySatisfy(check -> {
                    assertThat(check.name() + " " + check.passed()).isEqualTo("slurm true");
                    assertThat(check.detail()).isEqualTo("slurm 22.05.8");
                }));
        String first = pid(instance, "slurmd");
        ProcessHandle.of(Long.parseLong(first)).orElseThrow().destroyForcibly();
        TestNodes.await("slurmd again", () -> {
            try {
                return !pid(instance, "slurmd").equals(first)
                        && Files.readAllLines(instance.disk.resolve("slurmd.args"))
                                        .size()
                                == 2;
            } catch (IOException e) {
                return false;
            }
        });
        // Jobs would be lost with a boot.
        assertThat(Files.readAllLines(instance.disk.resolve("slurmd.args")).get(1))
                .endsWith("-N west-gpu-1");
    }

    @Test
    void theOrderComesFirstAndResultsAreWhatTheJobChanged() throws Exception {
        Path place = place("one");
        Path tree = Files.createDirectories(folder.resolve("tree-one"));
        Files.writeString(tree.resolve("kept.out"), "input\n");
        Files.writeString(tree.resolve("changed.out"), "input\n");
        Files.writeString(place.resolve("old.out"), "of another day\n");
        OrderDraft draft = draft("j1", "101", place.toString());
        input(draft, "j1", Tar.of(tree, List.of("kept.out", "changed.out")));
        order(draft, "j1");
        site.untilPhase("j1", Phase.RUNNING);
        assertThat(place.resolve("kept.out")).hasContent("input");
        assertThat(exit(run("prolog", "101"))).isZero();
        // A slurmd that was killed asks again before the next step of the job, whose processes are there.
        Process step = new ProcessBuilder("bash", "-c", "exec -a 'slurmstepd: [101.batch]' sleep 600").start();
        try {
            assertThat(exit(run("prolog", "101"))).isZero();
        } finally {
            step.destroyForcibly();
        }
        write(place, "echo more >>changed.out; echo new >new.out; touch -d 2001-01-01 new.out; echo x >other");
        Process epilog = run("epilog", "101");
        JobReport report = site.untilPhase("j1", Phase.ENDED);
        assertThat(exit(epilog)).isZero();
        assertThat(report.exitCode()).isZero();
        assertThat(report.ranAsUser()).isTrue();
        assertThat(report.message()).isEmpty();
        assertThat(site.results("j1", "n-" + instance.id))
                .isEqualTo(Map.of("changed.out", "input\nmore\n", "new.out", "new\n"));
        site.jobs.remove("j1");
        site.sync();
        TestNodes.await("forgotten", () -> !Files.exists(instance.disk.resolve("spillway/jobs/j1.1")));
        assertThat(place.resolve("new.out")).exists();
    }

    @Test
    void aPrologWaitsForItsOrder() throws Exception {
        Path place = place("two");
        Process prolog = run("prolog", "102");
        order(draft("other", "999", place.toString()), "other");
        site.untilPhase("other", Phase.RUNNING);
        assertThat(prolog.isAlive()).isTrue();
        order(draft("j2", "102", place.toString()), "j2");
        assertThat(exit(prolog)).isZero();
        assertThat(exit(run("prolog", "999"))).isZero();
        Process epilog = run("epilog", "102");
        assertThat(site.untilPhase("j2", Phase.ENDED).exitCode()).isZero();
        assertThat(exit(epilog)).isZero();
        assertThat(exit(run("epilog", "999"))).isZero();
        site.untilPhase("other", Phase.ENDED);
    }

    @Test
    void aPrologWhoseSlurmdWasKilledPassesForNobody() throws Exception {
        Files.writeString(folder.resolve("there"), "161 1795339000\n");
        Process slurmd = new ProcessBuilder(
                        "nsenter",
                        "-m",
                        "-t",
                        pid(instance, "slurmd"),
                        "env",
                        "-i",
                        "SLURM_JOB_ID=161",
                        "SLURMD_NODENAME=west-gpu-1",
                        "sh",
                        "-c",
                        "/run/spillway/slurm-prolog; exit 0")
                .start();
        processes.add(slurmd);
        Path waits = instance.disk.resolve("spillway/manager/gate/161.waits");
        TestNodes.await("it waits", () -> Files.exists(waits));
        slurmd.destroyForcibly().waitFor();
        TestNodes.await("it waits no more", () -> !Files.exists(waits));
        order(draft("orphan", "161", place("orphan").toString()), "orphan");
        site.untilPhase("orphan", Phase.RUNNING);
        TestNodes.await("its job is begun anew", () -> "161\n".equals(text(folder.resolve("requeued"))));
        // The gate is for whoever comes now.
        assertThat(exit(run("prolog", "161"))).isZero();
        assertThat(exit(run("epilog", "161"))).isZero();
        site.untilPhase("orphan", Phase.ENDED);
    }

    @Test
    void aNodeLooksAfterItsSlurmdWhenSlurmctldWasStartedAgain() throws Exception {
        TestInstance other = serving("mends");
        String first = pid(other, "slurmd");
        Process prolog = run(other, "prolog", "171");
        TestNodes.await("it waits", () -> Files.exists(other.disk.resolve("spillway/manager/gate/171.waits")));
        Files.writeString(folder.resolve("there"), "171 1795338999\n");
        turn(other, 1_795_339_000, 0);
        TestNodes.await("it has looked", () -> Files.exists(other.disk.resolve("looked")));
        turn(other, 1_795_339_000, 2);
        TestNodes.await("and once more", () -> looks(other) == 2);
        // All that slurmd knows, slurmctld knows: nothing is touched.
        assertThat(pid(other, "slurmd")).isEqualTo(first);
        Files.writeString(other.disk.resolve("state"), "IDLE+CLOUD+POWERED_DOWN");
        turn(other, 1_795_339_000, 3);
        TestNodes.await("slurmd again", () -> isAnother(other, first));
        String second = pid(other, "slurmd");
        Files.delete(other.disk.resolve("state"));
        // A run that was begun after slurmctld's start is not the one that this Prolog is for.
        turn(other, 1_795_338_999, 3);
        TestNodes.await("and again", () -> isAnother(other, second));
        prolog.destroyForcibly();
    }

    private static void turn(TestInstance of, long started, int missed) throws Exception {
        String node = "n-" + of.id;
        grant(node, new SlurmTurn(started, missed));
        site.sync();
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    private static int looks(TestInstance of) {
        try {
            return Files.readAllLines(of.disk.resolve("looked")).size();
        } catch (IOException e) {
            return 0;
        }
    }

    private static boolean isAnother(TestInstance of, String slurmd) {
        try {
            return !pid(of, "slurmd").equals(slurmd);
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void aRefusalFailsThePrologOnce() throws Exception {
        OrderDraft draft = draft("j3", "103", place("three").toString());
        input(draft, "j3", Tar.of(place("three"), List.of(".")));
        site.stage("jobs/j3/in/0", new byte[10]);
        Process prolog = run("prolog", "103");
        order(draft, "j3");
        assertThat(exit(prolog)).isEqualTo(1);
        assertThat(new String(prolog.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("spillway: the input is not what was staged\n");
        site.untilPhase("j3", Phase.REFUSED);
        assertThat(exit(run("epilog", "103"))).isZero();
        // Slurm may run it again, with another order.
        Process again = run("prolog", "103");
        order(draft("j3again", "103", place("three").toString()), "j3again");
        assertThat(exit(again)).isZero();
        assertThat(exit(run("epilog", "103"))).isZero();
        site.untilPhase("j3again", Phase.ENDED);
    }

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
        assertThat(exit(run("epilog", "131"))).isZero();
        site.untilPhase("later", Phase.ENDED);
    }

    @Test
    void aJobWhoseRunnerDiedBeforeItsPrologIsNotStarted() throws Exception {
        order(draft("j8", "108", place("eight").toString()), "j8");
        site.untilPhase("j8", Phase.RUNNING);
        Path runner = instance.disk.resolve("spillway/jobs/j8.1/runner");
        ProcessHandle.of(Long.parseLong(Files.readString(runner).strip()))
                .orElseThrow()
                .destroyForcibly();
        assertThat(site.untilPhase("j8", Phase.ENDED).message()).isEqualTo("its runner is gone");
        assertThat(exit(run("prolog", "108"))).isEqualTo(1);
        assertThat(exit(run("epilog", "108"))).isZero();
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
        assertThat(exit(run("epilog", "105"))).isZero();
        assertThat(site.untilPhase("j5", Phase.ENDED).message()).isEqualTo("cancelled");
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
        assertThat(exit(run("epilog", "111"))).isZero();
        assertThat(exit(run("epilog", "112"))).isZero();
        site.untilPhase("s1", Phase.ENDED);
        site.untilPhase("s2", Phase.ENDED);
        // The input of the second came while the first ran, and nobody changed it.
        assertThat(site.results("s1", "n-" + instance.id)).containsOnlyKeys("1.out", "2.out");
        assertThat(site.results("s2", "n-" + instance.id)).containsOnlyKeys("2.out");
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
        assertThat(exit(run("epilog", "151"))).isZero();
        assertThat(exit(run("epilog", "152"))).isZero();
    }

    @Test
    void rootMakesTheUsersHomeAndNothingThatAJobNames() throws Exception {
        Files.createDirectories(inside("/run/top"));
        for (String named : List.of("/usr/spi-x", "/run/spi-x", "/run/top/a", "/home/somebody-else")) {
            String job = "f" + named.replaceAll("[^a-z]", "");
            order(draft(job, "12" + Math.abs(named.hashCode() % 1000), named), job);
            assertThat(site.untilPhase(job, Phase.REFUSED).message())
                    .startsWith("its folder is not on this image, and its user may not make it: ");
            assertThat(inside(named)).doesNotExist();
        }
        order(draft("fhome", "131", "/home/ann/a b/c"), "fhome");
        assertThat(exit(run("prolog", "131"))).isZero();
        for (String made : List.of("/home/ann", "/home/ann/a b/c")) {
            assertThat(Files.getAttribute(inside(made), "unix:uid")).isEqualTo(TestNodes.UID);
        }
        assertThat(Files.getAttribute(inside("/home"), "unix:uid")).isEqualTo(0);
        assertThat(exit(run("epilog", "131"))).isZero();
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
            assertThat(exit(run("epilog", number))).isZero();
        }
    }

    @Test
    void withoutSlurmdTheNodeIsNotReady() throws Exception {
        TestInstance bare = nodes.instance("bare", MACHINE);
        bare.program("slurmd", "");
        Files.delete(bare.disk.resolve("bin/slurmd"));
        Process process =
                bare.boot(site.userData().replace("#!/bin/sh\n", "PATH=" + bare.disk + "/bin:/usr/bin:/bin\n"));
        assertThat(process.isAlive()).isTrue();
        assumeTrue(!Files.exists(Path.of("/usr/bin/slurmd")), "a slurmd that cannot be hidden");
        site.untilReady(bare.id);
        String node = "n-" + bare.id;
        grant(node, null);
        var report = site.until(
                "unready",
                told -> told.nodes().stream().anyMatch(each -> each.node().equals(node) && !each.ready()));
        assertThat(report.nodes())
                .filteredOn(each -> each.node().equals(node))
                .flatMap(each -> each.gate())
                .anySatisfy(check -> assertThat(check.name() + " " + check.passed() + " " + check.detail())
                        .startsWith("slurm false ")
                        .contains("is not installed"));
        assertThat(bare.disk.resolve("spillway/manager/munge.key")).doesNotExist();
    }

    @Test
    void noNodeOfAGangOpensBeforeTheOthersArePrepared() throws Exception {
        TestInstance second = serving("second");
        byte[] bundle = Tar.of(place("gang"), List.of("."));
        List<OrderDraft> ranks = new ArrayList<>();
        for (TestInstance member : List.of(instance, second)) {
            OrderDraft draft = nodes.draft("g", member, "");
            draft.foreign = new Foreign("slurm", "141", place("gang").toString());
            draft.rank = ranks.size();
            draft.peers = List.of("10.0.0.1", "10.0.0.2");
            ranks.add(draft);
        }
        String key = "jobs/g/in/0";
        String sha = site.stage("jobs/g/in/elsewhere", bundle);
        ranks.getLast().inputs = List.of(new JobOrder.Input(key, bundle.length, sha));
        ranks.forEach(draft -> site.jobs.put("rank " + draft.rank, draft.order()));
        site.sync();
        Process first = run("prolog", "141");
        Process other = run(second, "prolog", "141");
        TestNodes.await("one waits", () -> Files.exists(instance.disk.resolve("spillway/jobs/g.1/waiting")));
        assertThat(first.isAlive() && other.isAlive()).isTrue();
        site.stage(key, bundle);
        assertThat(exit(first)).isZero();
        assertThat(exit(other)).isZero();
        assertThat(exit(run("epilog", "141"))).isZero();
        assertThat(exit(run(second, "epilog", "141"))).isZero();
        site.until(
                "both have ended",
                report -> report.jobs().stream()
                                .filter(job -> job.job().equals("g") && job.phase() == Phase.ENDED)
                                .count()
                        == 2);
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
