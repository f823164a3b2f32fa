package org.spillway.director.node;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Planted faults of a machine, and what its own program finds of them, without a node. */
final class HealthProgramTest {
    private static final String MACHINE = """
            S=$PWD DISK=$PWD IMAGES=$PWD WORK=$PWD STOCK= busy= idle=
            set -u
            echo aa >image
            mkdir -p aa/spillway/health.d bb/spillway/health.d
            : >overlays
            script() { printf '#!/bin/sh\\n%s\\n' "$2" >"$1/spillway/health.d/$3" && chmod 755 "$1/spillway/health.d/$3"; }
            """;

    @TempDir
    Path folder;

    private String run(String planted) throws Exception {
        Path node = Path.of(requireNonNull(NodeUserData.class.getResource("health.sh"))
                        .toURI())
                .getParent();
        List<String> command = List.of(
                "timeout",
                "170",
                "sh",
                "-c",
                "for each in base gate lease mounts health; do . \"$0/$each.sh\"; done\n" + MACHINE + planted
                        + "\nDETAIL=\nif check_health 2>log; then echo \"ok $DETAIL\"; else echo \"sick $DETAIL\"; fi",
                node.toString());
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said.strip();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                ":|ok well",
                "echo 4 >gpus.counted; echo 4 >gpus|ok well",
                "echo 4 >gpus.counted; echo 3 >gpus|sick gpus: 3 of 4 are left",
                "echo '[ 9.1] NVRM: Xid (PCI:0000:1a:00): 79, pid=1, GPU has fallen off the bus.' >kmsg"
                        + "|sick xids: [ 9.1] NVRM: Xid (PCI:0000:1a:00): 79, pid=1, GPU has fallen off the bus.",
                "echo '[ 9.1] NVRM: Xid (PCI:0000:1a:00): 48, Double Bit ECC Error' >kmsg"
                        + "|sick xids: [ 9.1] NVRM: Xid (PCI:0000:1a:00): 48, Double Bit ECC Error",
                "echo '[ 9.1] NVRM: Xid (PCI:0000:1a:00): 13, Graphics Exception of a job' >kmsg|ok well",
                "printf 'MemTotal: 1048576 kB\\nMemAvailable: 51200 kB\\n' >meminfo"
                        + "|sick memory: 50 MiB of 1024 are free, and no job is here",
                "printf 'MemTotal: 1048576 kB\\nMemAvailable: 51200 kB\\n' >meminfo; busy=yes|ok well",
                "echo '4096.25 1.0 1.0 1/2 3' >loadavg; idle=30000"
                        + "|sick load: 4096.25, and no job has been here for five minutes",
                "echo '4096.25 1.0 1.0 1/2 3' >loadavg; idle=2000|ok well",
                "df() { printf 'Filesystem 1024-blocks Used Available Capacity Mounted\\nx 102400000 102000000 400000 99%% /\\n'; }"
                        + "|sick disk: 390 MiB of 100000 are free",
                "script aa 'exit 0' fine|ok well",
                "script aa 'echo \"ERROR:  nhc:  Health check failed:  check_fs_mount: /scratch not mounted\"; echo more; exit 1' nhc"
                        + "|sick health.d/nhc: ERROR:  nhc:  Health check failed:  check_fs_mount: /scratch not mounted",
                "script aa 'echo first; echo licence server away >&2; exit 3' lic|sick health.d/lic: licence server away",
                "script aa 'exit 1' mute|sick health.d/mute: exit code 1",
                "HEALTH_SECONDS=1; script aa 'sleep 100' slow|sick health.d/slow: no answer in 1 s",
                "HEALTH_SECONDS=1; script aa \"trap '' TERM; while :; do sleep 1; done\" deaf"
                        + "|sick health.d/deaf: no answer in 1 s",
                "echo 'tools bb' >overlays; script bb 'echo of an overlay; exit 1' own|sick health.d/own: of an overlay",
                "script aa 'exit 1' off; chmod 644 aa/spillway/health.d/off|ok well",
            })
    void aPlantedFaultIsFoundAndNamed(String planted, String found) throws Exception {
        assertThat(run(planted)).isEqualTo(found);
    }

    @Test
    void aCheckThatWritesWithoutEndFillsNoDiskAndSaysOneLine() throws Exception {
        String said = run("HEALTH_SECONDS=2; script aa 'yes \"all is lost\"' chatty");
        assertThat(said).startsWith("sick health.d/chatty: ");
        assertThat(folder.resolve("health.out").toFile().length()).isLessThan(5 << 20);
    }
}
