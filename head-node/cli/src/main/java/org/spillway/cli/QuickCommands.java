package org.spillway.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/**
 * The commands of every minute, run for a user in a process that is warm already. Whatever is unusual (a mistake, a
 * wish for help, a file that was not sent along) is left to a process of the user's own, which does the same from the
 * beginning.
 */
public final class QuickCommands {
    private static final Map<String, Supplier<HeadCommand>> COMMANDS = Map.of(
            "submit", SubmitCommand::new,
            "check", CheckCommand::new,
            "queue", QueueCommand::new,
            "job", JobCommand::new,
            "explain", ExplainCommand::new,
            "logs", LogsCommand::new,
            "cancel", CancelCommand::new);

    private QuickCommands() {}

    /**
     * Runs one.
     *
     * @param arguments of the whole command line, the command first
     * @return the exit code
     * @throws Surroundings.NotHere if it is not for this process; nothing was asked or changed
     */
    public static int run(List<String> arguments, Surroundings surroundings, PrintWriter out, PrintWriter err) {
        var make = arguments.isEmpty() ? null : COMMANDS.get(arguments.getFirst());
        if (make == null) {
            throw new Surroundings.NotHere("no command of every minute");
        }
        var command = make.get();
        command.surroundings = surroundings;
        var line = new CommandLine(command).setExpandAtFiles(false);
        line.setStopAtPositional(command instanceof SubmitCommand || command instanceof CheckCommand);
        line.setOut(out).setErr(err);
        try {
            line.parseArgs(arguments.subList(1, arguments.size()).toArray(String[]::new));
        } catch (ParameterException mistake) {
            throw new Surroundings.NotHere("a command line that is not understood");
        }
        if (command.help) {
            throw new Surroundings.NotHere("help");
        }
        try {
            return command.call();
        } catch (CliFailure failure) {
            Commands.tell(failure, err);
            return failure.exitCode();
        } catch (Surroundings.NotHere elsewhere) {
            throw elsewhere;
        } catch (RuntimeException fault) {
            throw fault;
        } catch (Exception interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /**
     * Where the command line of a submission wants single files to come home: a launcher has seen that none of these is
     * a folder.
     */
    public static Set<Path> destinations(List<String> arguments, Path here) {
        var options = new JobOptions();
        var command = new SubmitCommand();
        command.options = options;
        try {
            new CommandLine(command)
                    .setExpandAtFiles(false)
                    .setStopAtPositional(true)
                    .parseArgs(arguments.stream().skip(1).toArray(String[]::new));
        } catch (ParameterException mistake) {
            return Set.of();
        }
        var named = new HashSet<Path>();
        Stream.of("spillway-%j.out", "spillway-%j.err", "spillway-%A-%a.out", "spillway-%A-%a.err")
                .forEach(usual -> named.add(here.resolve(usual)));
        Stream.concat(
                        Stream.of(options.stdout, options.stderr).filter(text -> text != null),
                        options.outputs.stream()
                                .filter(text -> text.indexOf('=') >= 0)
                                .map(text -> text.substring(text.indexOf('=') + 1)))
                .forEach(text -> named.add(Path.of(Submission.absolute(text, here))));
        return named;
    }
}
