package org.spillway.head.demo;

import java.nio.file.Path;

/** What a user is told whose demo stays up. */
final class KeptPage {
    private KeptPage() {}

    static String of(Path launcher, DemoFiles files) {
        String command = launcher.toString();
        String socket = files.socket().toString();
        return """

                It is all still there, in %s. Try:
                  export SPILLWAY_SOCKET=%s
                  %s sites
                  %s nodes
                  %s queue --all
                  cd %s && %s submit --wait --queue west --in 'slices/**=slices/' --out hours.txt jobs/hours.sh && cat hours.txt

                End it with:
                  %s demo --end %s
                """.formatted(
                files.folder(), socket, command, command, command, files.folder(), command, command, files.folder());
    }
}
