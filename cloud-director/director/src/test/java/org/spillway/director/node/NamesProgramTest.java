package org.spillway.director.node;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job's file of names, and what the gate finds of it, by a node's own program without a node. */
final class NamesProgramTest {
    @TempDir
    Path folder;

    /** @param hosts the machine's own file */
    private String run(String hosts, String words) throws Exception {
        assumeTrue(
                new ProcessBuilder("unshare", "-m", "true").start().waitFor() == 0,
                "mounting is for root: not looked at");
        Files.writeString(folder.resolve("own"), hosts);
        Path node = Path.of(requireNonNull(NodeUserData.class.getResource("names.sh"))
                        .toURI())
                .getParent();
        Process process = new ProcessBuilder(List.of(
                        "timeout",
                        "170",
                        "unshare",
                        "-m",
                        "sh",
                        "-c",
                        "for each in base room names; do . \"$0/$each.sh\"; done\nmount --bind own /etc/hosts\n"
                                + "S=$PWD DIRECTOR='[fd00::1]' ADDRESS=10.9.9.1 ISOLATION=required\n"
                                + "echo n-1 >node; echo --mount >room\n" + words,
                        node.toString()))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    private static final String GATE = "if check_names; then echo ok; else echo failed; fi; echo \"$DETAIL\"\n";

    @Test
    void theMachinesOwnLinesStayAndRanksFollow() throws Exception {
        assertThat(run("127.0.0.1 localhost\n# a remark\n", "hosts_text a-1,b-2 10.0.0.1,fd00::7\n"))
                .isEqualTo("""
                        127.0.0.1 localhost
                        # a remark
                        10.0.0.1 a-1 rank-0
                        fd00::7 b-2 rank-1
                        fd00::1 spillway-director
                        """);
    }

    @Test
    void whatTheMachinesOwnFileHasANameForIsNotOverridden() throws Exception {
        String own = "10.7.7.7\tB-2 b.example.org # rank-0\n10.7.7.8 spillway-director";
        assertThat(run(own, "hosts_text a-1,b-2 10.0.0.1,10.0.0.2\n"))
                .isEqualTo(own + "\n10.0.0.1 a-1 rank-0\n10.0.0.2 rank-1\n");
        assertThat(run(own, GATE)).isEqualTo("ok\nn-1, spillway-director\n");
    }

    @Test
    void aThousandNodesFindEachOther() throws Exception {
        String names = ranks(rank -> "i-" + rank);
        String peers = ranks(rank -> "10.1." + rank / 256 + "." + rank % 256);
        String said = run(
                "127.0.0.1 localhost\n",
                "hosts_text " + names + " " + peers
                        + " >all && mount --bind all /etc/hosts && getent hosts i-1023 rank-1023 10.1.3.255 rank-0\n");
        assertThat(said.lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly(
                        "10.1.3.255 i-1023 rank-1023",
                        "10.1.3.255 i-1023 rank-1023",
                        "10.1.3.255 i-1023 rank-1023",
                        "10.1.0.0 i-0 rank-0");
    }

    private static String ranks(IntFunction<String> each) {
        return IntStream.range(0, 1024).mapToObj(each).collect(Collectors.joining(","));
    }

    @Test
    void theGateLooksThereAndBack() throws Exception {
        assertThat(run("127.0.0.1 localhost\n", GATE)).isEqualTo("ok\nn-1, spillway-director\n");
    }

    @Test
    void aMachineThatAsksAnotherServiceFirstSaysSoAndIsJudgedWhereRoomsAreRequired() throws Exception {
        String other =
                "mkdir bin && printf '#!/bin/sh\\n[ $2 != spillway-director ]\\n' >bin/getent && chmod 755 bin/getent\n"
                        + "PATH=$PWD/bin:$PATH\n";
        String why = "jobs do not find spillway-director by /etc/hosts: is it asked before other services here"
                + " (nsswitch.conf, nscd)?\n";
        assertThat(run("127.0.0.1 localhost\n", other + GATE)).isEqualTo("failed\n" + why);
        assertThat(run("127.0.0.1 localhost\n", "PATH=$PWD/bin:$PATH ISOLATION=preferred\n" + GATE))
                .isEqualTo("ok\n" + why);
    }

    @Test
    void withoutARoomThereAreNone() throws Exception {
        String none = ": >room; ISOLATION=preferred J=$S nodes=2 names=a,b peers=1,2\nroom_find\nname_peers\n"
                + "echo \"[$NAMES] $(ls hosts hostname 2>/dev/null)\"\n";
        assertThat(run("", none + GATE)).isEqualTo("[] \nok\njobs have none: they have no room\n");
    }
}
