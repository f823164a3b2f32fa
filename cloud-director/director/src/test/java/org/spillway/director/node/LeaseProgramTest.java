package org.spillway.director.node;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The node's program for its lease, with another one in curl's place. */
final class LeaseProgramTest {
    @TempDir
    Path folder;

    private String run(String script) throws Exception {
        Path node = Path.of(requireNonNull(NodeUserData.class.getResource("lease.sh"))
                        .toURI())
                .getParent();
        Process process = new ProcessBuilder(List.of(
                        "timeout", "60", "sh", "-c", ". \"$0/base.sh\"; . \"$0/lease.sh\"\n" + script, node.toString()))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    /** A short job ends while its beginning is still on its way: both are said, and at once. */
    @Test
    void whatAJobSaysAtItsEndIsNotLostToWhatItSaidAtItsBeginning() throws Exception {
        String said = run("""
                S=$PWD STOCK= URL=here
                mkdir -p jobs/1.1 && echo yes >ready && echo abc >image && : >gate
                body() {
                  while [ "$1" != --data-binary ]; do shift; done
                  if [ "$2" = @- ]; then cat; else cat "${2#@}"; fi
                }
                until_there() { while [ ! -e "$1" ]; do sleep 0.05; done; }
                call() {
                  : >"$turn.asks"
                  case $turn in begin) until_there end.asks ;; end) until_there begin.over ;; esac
                  body "$@" >"$turn.heard"
                  [ -s "$turn.heard" ] && echo 'lease 600000'
                }
                (turn=begin; echo 'job 1 1 RUNNING' >jobs/1.1/report; renew; : >begin.over) &
                until_there begin.asks
                turn=end; echo 'job 1 1 ENDED' >jobs/1.1/report
                renew || echo 'not granted'
                wait
                tail -n 1 end.heard
                [ "$(cat lease)" -gt 60000 ] && ls
                """);
        assertThat(said).startsWith("job 1 1 ENDED\n");
        assertThat(said.lines().filter(name -> name.startsWith("lease") || name.startsWith("said")))
                .containsExactly("lease");
    }
}
