package org.spillway.proof;

import java.util.List;
import java.util.concurrent.Callable;
import org.spillway.localcloud.LocalCloudMain;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The options are the program's own: all that stands behind the name is handed on. */
@Command(
        name = "local-cloud",
        description = "Runs the cloud that is made of processes on this machine (--help tells more).")
final class LocalCloudCommand implements Callable<Integer> {
    @Parameters(arity = "0..*", paramLabel = "ARGUMENT", description = "For the local cloud.")
    List<String> arguments = List.of();

    @Override
    public Integer call() {
        return LocalCloudMain.run(arguments.toArray(String[]::new));
    }
}
