package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.director.wire.Directive.NodeGrant;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.JobOrder.Foreign;
import org.spillway.director.wire.ManagerGrant;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.director.wire.Report.JobReport.Phase;
import org.spillway.slurm.manager.SlurmGrant;
import org.spillway.slurm.manager.SlurmTurn;

/** A node that serves a Slurm, with a slurmd that does what it is told. */
abstract class NodeSlurmLab {
    static final byte[] KEY = "a key of forty bytes, some of them \0\1\2\3\n".getBytes(StandardCharsets.UTF_8);
    static final String[] MACHINE = {
        "unshare",
        "-m",
        "sh",
        "-c",
        "mount -t tmpfs -o mode=755,noexec none /run && mkdir -m 700 /run/munge && chown 1:1 /run/munge && mount -t tmpfs -o mode=755 none /home && mount --bind \"$SPILLWAY_INSTANCE_DIR/bin\" /usr/local/sbin && exec \"$@\"",
        "machine"
    };

    @TempDir
    static Path folder;

    static TestNodes nodes;
    static TestSite site;
    static TestInstance instance;
    /** Folders that nodes are told to have from home. */
    static List<String> shared = List.of();

    final List<Process> processes = new ArrayList<>();

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

    static TestInstance serving(String id) throws Exception {
        TestInstance made = granted(id);
        TestNodes.await("slurmd was started", () -> Files.exists(made.disk.resolve("step.pid")));
        return made;
    }

    static TestInstance granted(String id) throws Exception {
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
                  'show config') cat "%1$s/shown-config" 2>/dev/null; cp "$SLURM_CONF" "%1$s/asked.conf" ;;
                  *'show job '*) cat "%1$s/shown-$4" 2>/dev/null ;;
                  *show*) echo x >>"$SPILLWAY_INSTANCE_DIR/looked"; echo "NodeName=$4 State=$(cat "$SPILLWAY_INSTANCE_DIR/state" 2>/dev/null || echo IDLE+CLOUD) x" ;;
                esac
                """.formatted(folder));
        made.program("squeue", """
                #!/bin/sh
                case $* in
                  *' -w '*%%S*) cat "%1$s/there" 2>/dev/null; exit 0 ;;
                  *' -w '*) cut -d ' ' -f 1 "%1$s/there" 2>/dev/null; exit 0 ;;
                  *' -j '*%%S*) [ ! -e "$SPILLWAY_INSTANCE_DIR/silent" ] || exit 1; grep "^$3 " "%1$s/there" 2>/dev/null; exit 0 ;;
                esac
                for each; do case $each in [0-9]*) [ ! -e "%1$s/over-$each" ] || printf '1 RUNNING\\n%%s COMPLETING\\n' "$each" ;; esac; done
                """.formatted(folder));
        made.boot(site.userData());
        site.untilReady(made.id);
        String node = "n-" + made.id;
        grant(node, null);
        site.sync();
        return made;
    }

    static void grant(String node, @Nullable SlurmTurn turn) {
        var grant = new SlurmGrant(
                "west-gpu-1",
                "10.0.0.1:6817",
                "slurm",
                "/run/elsewhere/munge.sock",
                shared,
                Base64.getEncoder().encodeToString(KEY),
                turn);
        site.nodes.replaceAll(each -> each.node().equals(node) ? new NodeGrant(node, grant.onTheWire()) : each);
    }

    static String pid(TestInstance of, String name) throws IOException {
        return Files.readString(of.disk.resolve("spillway/manager/" + name + ".pid"))
                .strip();
    }

    /** Where a path of the machine is seen from here. */
    static Path inside(String path) throws IOException {
        return Path.of("/proc/" + pid(instance, "slurmd") + "/root" + path);
    }

    Process run(String program, String slurmJob) throws IOException {
        return run(instance, program, slurmJob);
    }

    Process run(TestInstance on, String program, String slurmJob) throws IOException {
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

    /** The Epilog of a job: it waits until the job's order is taken back, which the head does when its results are in their places. */
    JobReport ended(String slurmJob, String job) throws Exception {
        Process epilog = run("epilog", slurmJob);
        JobReport report = site.untilPhase(job, Phase.ENDED);
        assertThat(epilog.isAlive()).isTrue();
        site.jobs.remove(job);
        site.sync();
        assertThat(exit(epilog)).isZero();
        return report;
    }

    static int exit(Process process) throws InterruptedException {
        assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    static Path place(String name) throws Exception {
        Path place = Files.createDirectories(folder.resolve(name));
        Files.setAttribute(place, "unix:uid", TestNodes.UID);
        return place;
    }

    static OrderDraft draft(String job, String slurmJob, String place) {
        OrderDraft draft = nodes.draft(job, instance, "");
        draft.foreign = new Foreign("slurm", slurmJob, place);
        draft.collect = List.of("\\./.*\\.out");
        return draft;
    }

    static void input(OrderDraft draft, String job, byte[] bundle) throws Exception {
        String key = "jobs/" + job + "/in/0";
        draft.inputs = List.of(new JobOrder.Input(key, bundle.length, site.stage(key, bundle)));
    }

    static void order(OrderDraft draft, String job) throws Exception {
        site.jobs.put(job, draft.order());
        site.sync();
    }

    void write(Path place, String command) throws Exception {
        Process process = new ProcessBuilder(
                        "setpriv", "--reuid=" + TestNodes.UID, "--clear-groups", "sh", "-c", command)
                .directory(place.toFile())
                .start();
        assertThat(exit(process)).isZero();
    }

    static void turn(TestInstance of, long started, int missed) throws Exception {
        String node = "n-" + of.id;
        grant(node, new SlurmTurn(started, missed));
        site.sync();
    }
}
