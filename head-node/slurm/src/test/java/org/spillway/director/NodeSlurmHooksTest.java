package org.spillway.director;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Report.JobReport.Phase;

/** A node of a Slurm that has a Prolog and an Epilog of its own. */
@Tag("processes")
final class NodeSlurmHooksTest extends NodeSlurmLab {
    private static Path program(String path, String text) throws IOException {
        Path file = inside(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + text + "\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    /** slurmd is started again, as after a change of slurm.conf it would be. */
    private static void named(String config) throws Exception {
        Files.writeString(folder.resolve("shown-config"), config);
        String first = pid(instance, "slurmd");
        int starts = starts();
        ProcessHandle.of(Long.parseLong(first)).orElseThrow().destroyForcibly();
        TestNodes.await("slurmd again", () -> {
            try {
                return starts() > starts;
            } catch (IOException e) {
                return false;
            }
        });
    }

    private static int starts() throws IOException {
        return Files.readAllLines(instance.disk.resolve("slurmd.args")).size();
    }

    /** As slurmd does, or a job: what lies at a path in slurmd's namespace. */
    private Process at(String path, String slurmJob, String context, String... more) throws IOException {
        List<String> command = new ArrayList<>(List.of("nsenter", "-m", "-t", pid(instance, "slurmd"), "env", "-i"));
        command.addAll(List.of("SLURM_JOB_ID=" + slurmJob, "SLURM_SCRIPT_CONTEXT=" + context, "A=b", path));
        command.addAll(Arrays.asList(more));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        processes.add(process);
        return process;
    }

    @Test
    void theGateLiesOverThemAndCallsThemBehindIt() throws Exception {
        program(
                "/home/site/prolog.d/10-one",
                "echo \"one $SLURM_JOB_ID $A $(/usr/bin/env | /usr/bin/grep -c ^PATH=) $*\" >>/home/hooks.log; exit 7");
        program("/home/site/prolog.d/20 two", "echo two >>/home/hooks.log");
        program("/home/site/true", "echo \"true $SLURM_SCRIPT_CONTEXT $*\" >>/home/hooks.log; exit 3");
        named("""
                PrologEpilogTimeout     = 65534
                PrologSlurmctld         = /never
                Prolog                  = /home/site/prolog.d/*
                Epilog[0]               = /home/site/true
                Epilog[1]               = /home/absent/[ab]?-*.sh
                """);
        // Of the slurmd that runs now.
        Path log = inside("/home/hooks.log");
        assertThat(folder.resolve("asked.conf"))
                .content()
                .contains("SlurmctldHost=10.0.0.1\nSlurmctldPort=6817\nSlurmUser=slurm\n");
        // Of several the first does all, and the last by name is the first.
        Process prolog = at("/home/site/prolog.d/20 two", "201", "prolog_slurmd");
        assertThat(exit(at("/home/site/prolog.d/10-one", "201", "prolog_slurmd")))
                .isZero();
        assertThat(prolog.isAlive()).isTrue();
        assertThat(log).doesNotExist();
        order(draft("h1", "201", place("hooks").toString()), "h1");
        int code = exit(prolog);
        assertThat(code)
                .as(new String(prolog.getInputStream().readAllBytes(), UTF_8))
                .isEqualTo(7);
        assertThat(log).hasContent("two\none 201 b 0 \n");
        Files.delete(log);
        assertThat(exit(at("/home/site/true", "201", "", "more")))
                .as("a job's own call")
                .isEqualTo(3);
        assertThat(log).hasContent("true  more\n");
        Process epilog = at("/home/site/true", "201", "epilog_slurmd");
        assertThat(site.untilPhase("h1", Phase.ENDED).exitCode()).isZero();
        // The results are in their places: the order is taken back, and the Epilog goes on.
        site.jobs.remove("h1");
        site.sync();
        assertThat(exit(epilog)).isEqualTo(3);
        assertThat(log).hasContent("true  more\ntrue epilog_slurmd \n");
        assertThat(exit(at("/home/absent/as-spillway.sh", "201", "epilog_slurmd")))
                .isZero();
        named("Prolog = /[ru][us][nr]/[bs][ip][ni]*/tru[e1]\nEpilog = /home/site/true\n");
        assertThat(exit(at("/home/site/true", "9", "", ""))).as("covered once").isEqualTo(3);
        assertThat(exit(at("/usr/bin/true", "9", "prolog_slurmd")))
                .as("of nobody's")
                .isZero();
    }
}
