package org.spillway.director.node;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** A node's own program for mounts without a node: real ones, in a room of mounts that is the test's alone. */
final class MountRoom {
    static final String MACHINE = """
            S=$PWD/s DISK=$PWD IMAGES=$PWD WORK=$PWD URL=x STOCK= busy= idle=
            D=$PWD/data E=$PWD/else
            set -u
            mkdir -p s bin aa/spillway bb/spillway kept
            echo file >kept/file
            echo aa >s/image
            echo 'tools bb' >s/overlays
            PATH=$PWD/bin:$PATH
            call() { cat list >"$S/mounts.new"; }
            program() { printf '#!/bin/sh\\n%s\\n' "$2" >"$1" && chmod 755 "$1"; }
            gate() {
              DETAIL=
              no_mounts && { echo none; return; }
              if check_mounts; then echo "ok $DETAIL"; else echo "failed $DETAIL"; fi
            }
            look() { DETAIL=; if check_health 2>log; then echo "$DETAIL"; else echo "sick $DETAIL"; fi; }
            there() { if mounts_there; then echo there; else echo "refused $DETAIL"; fi; }
            """;

    private MountRoom() {}

    static boolean isPossible() throws Exception {
        return new ProcessBuilder("unshare", "-m", "true").start().waitFor() == 0;
    }

    /** @return what the planted words print, with the folder as {@code ~} */
    static String run(Path folder, String planted) throws Exception {
        Path node = Path.of(requireNonNull(NodeUserData.class.getResource("mounts.sh"))
                        .toURI())
                .getParent();
        String parts = "for each in base gate lease mounts scratch health; do . \"$0/$each.sh\"; done\n";
        Process process = new ProcessBuilder(List.of(
                        "timeout", "170", "unshare", "-m", "sh", "-c", parts + MACHINE + planted, node.toString()))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said.strip().replace(folder.toRealPath().toString(), "~");
    }
}
