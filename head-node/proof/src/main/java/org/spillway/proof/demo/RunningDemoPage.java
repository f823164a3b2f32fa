package org.spillway.proof.demo;

import java.nio.file.Path;

/** The page for a user whose demo stays up. */
final class RunningDemoPage {
    private RunningDemoPage() {}

    static String of(Path launcher, DemoFiles files, String link) {
        return """

                It is all still there, in @folder@, and costs only what this machine does. Look at it in a browser:
                  @link@
                or try:
                  export SPILLWAY_SOCKET=@socket@
                  cd @folder@
                  @spillway@ sites
                  @spillway@ queue --all
                  @spillway@ plan
                  @spillway@ submit --wait --queue west --in 'slices/**=slices/' --out hours.txt jobs/hours.sh && cat hours.txt
                End it with:
                  @spillway@ demo --end @folder@
                """.replace("@socket@", files.socket().toString())
                .replace("@link@", link)
                .replace("@folder@", files.folder().toString())
                .replace("@spillway@", launcher.toString());
    }

    /** @param door the program that leads in */
    static String ofSlurm(Path door) {
        return """

                The site is still there, a Slurm with two regions, until Ctrl-C here. In another terminal, as root:
                  @door@                    a shell in it
                  @door@ ann                one of its users
                and there:
                  sinfo
                  sbatch -p west --wrap 'hostname; sleep 30'
                  squeue
                  spillway explain NUMBER
                  spillway nodes
                """.replace("@door@", door.toString());
    }
}
