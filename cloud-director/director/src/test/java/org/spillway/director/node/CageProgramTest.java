package org.spillway.director.node;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** I4: the node's program for cages, on this machine's kernel, without a node. */
final class CageProgramTest {
    @TempDir
    Path folder;

    private String run(String script) throws Exception {
        return run(List.of("timeout", "180"), script);
    }

    private String run(List<String> before, String script) throws Exception {
        Path node = Path.of(requireNonNull(NodeUserData.class.getResource("cage.sh"))
                        .toURI())
                .getParent();
        List<String> command = new ArrayList<>(before);
        command.addAll(List.of(
                "sh",
                "-c",
                "for each in base job cage attempt input kept results; do . \"$0/$each.sh\"; done\nS=$PWD ID=cage-test-$$ STOCK=\n"
                        + script,
                node.toString()));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assumeTrue(!said.contains("no cages here"), said);
        return said;
    }

    /** Ended by {@code cgroup.kill}; by the freezer of version 1; and with neither of them. */
    @ParameterizedTest
    @ValueSource(strings = {":", "freezer", "nothing"})
    void whatForksWithoutEndIsEndedWhole(String by) throws Exception {
        String said = run("""
                : >gate
                cage_find || { echo "no cages here: $NO_CAGE"; exit 0; }
                by=BY freezer_tree=/sys/fs/cgroup/freezer
                case $by in
                  freezer) [ -d "$freezer_tree" ] || { echo 'no cages here: no freezer'; exit 0; }
                    TREE=$freezer_tree/$cage && mkdir -p "$TREE" ;;
                  nothing) TREE= ;;
                esac
                cpus=0 memory=0
                cage_make bomb && echo 40 >"$PIDS/bomb/pids.max" && cage_doors bomb >doors
                bomb='while :; do setsid sh -c "$0" "$0" & done'
                sh -c 'while read -r door; do echo 0 >"$door" || exit 1; done <doors; exec sh -c "$0" "$0"' "$bomb" >/dev/null 2>&1 &
                tries=0
                until [ "$(cat "$PIDS/bomb/pids.current")" -ge 30 ] || [ "$tries" -gt 1000 ]; do tries=$((tries + 1)); pause 1; done
                echo "began $((tries <= 1000))"
                cage_end bomb
                echo "left $CAGE_LEFT"
                for up in "$TREE" "$MEMORY" "$CPU" "$PIDS"; do [ -z "$up" ] || [ ! -d "$up/bomb" ] || echo "there: $up"; rmdir "$up" 2>/dev/null; done
                """.replace("BY", by));
        assertThat(said.lines()).containsExactly("began 1", "left 0");
    }

    /** The mounts are made up, in a name space of this program's own; a tree that is not delegated cannot be written. */
    @ParameterizedTest
    @CsvSource({
        "missing, '', 'TREE= MEMORY= CPU= PIDS= cgroups here: no memory, no cpu, no pids, no tree'",
        "half, 'two cgroup2', 'TREE=two MEMORY= CPU=two PIDS=two cgroups here: no memory'",
        "mixed, 'two cgroup2;one cgroup memory', 'TREE=two MEMORY=one CPU=two PIDS=two '",
        "old, 'one cgroup memory;one cgroup cpu,cpuacct;one cgroup pids;one cgroup freezer', "
                + "'TREE=one MEMORY=one CPU=one PIDS=one '"
    })
    void theCgroupsThatAreThereAreUsedAndWhatIsMissingIsSaid(String name, String mounted, String found)
            throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "not root");
        String said = run(List.of("timeout", "180", "unshare", "-m"), """
                mkdir one two
                mount -t tmpfs none two
                set -- "spillway/$ID-$(printf %s "$S" | cksum | cut -d ' ' -f 1)"
                mkdir -p "two/$1"
                for level in two two/spillway "two/$1"; do echo 'cpu io pids' >"$level/cgroup.subtree_control"; done
                mount -o remount,ro two
                printf '%s\\n' 'MOUNTED' | tr ';' '\\n' | while read -r place kind words; do
                  [ -z "$kind" ] || echo "cgroup $PWD/$place $kind rw,${words:-nsdelegate} 0 0"
                done >mounted
                mount --bind mounted /proc/$$/mounts
                cage_find
                for each in "TREE=$TREE" "MEMORY=$MEMORY" "CPU=$CPU" "PIDS=$PIDS"; do
                  where=${each#*=} && where=${where%"/$1"} && printf '%s=%s ' "${each%%=*}" "${where##*/}"
                done
                echo "$NO_CAGE"
                """.replace("MOUNTED", mounted));
        assertThat(said).as(name).isEqualTo(found + "\n");
    }

    @Test
    void ofTooManyFilesABundleHasAsManyAsHomeTakes() throws Exception {
        String said = run("""
                J=$PWD/J P=$PWD/J D=$PWD mine=1 region= dense=0
                mkdir J
                awk 'BEGIN { for (i = 0; i < 300010; i++) printf "1 8 x%d%c", i, 0 }' >J/weighed
                choose
                echo "$behind"
                tr -dc '\\0' <J/chosen | wc -c
                """);
        assertThat(said)
                .matches(
                        "of its results left behind: 10, the largest x[0-9]+ of 0 MiB: a bundle has 300000 files at most\n300000\n");
    }
}
