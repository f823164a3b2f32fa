package org.spillway.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** The options of a job as {@code docs/cli.md} lists them; written anew by {@code -Dgolden.update=true}. */
final class JobOptionsPage {
    static final Path FILE = root().resolve("docs/cli.md");
    private static final String HEADING = "| option of a job | |\n|---|---|\n";

    private JobOptionsPage() {}

    private static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("docs/cli.md"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    /** The page with the table as it is to be. */
    static String made() throws IOException {
        StringBuilder table = new StringBuilder(HEADING);
        for (OptionSpec option :
                new CommandLine(new JobOptions()).getCommandSpec().options()) {
            String said =
                    String.join(" ", option.description()).replace("%%", "%").replace("|", "\\|");
            table.append("| `")
                    .append(
                            option.negatable()
                                    ? "--[no-]" + option.longestName().substring(2)
                                    : option.longestName())
                    .append(option.arity().max() > 0 ? " " + option.paramLabel().replace("|", "\\|") : "")
                    .append("` | ")
                    .append(said)
                    .append(" |\n");
        }
        String text = Files.readString(FILE);
        int from = text.indexOf(HEADING);
        int to = text.indexOf("\n\n", from) + 1;
        String made = text.substring(0, from) + table + text.substring(to);
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(FILE, made);
        }
        return made;
    }

    /** A command's help without the options of a job, which are read on the page. */
    static String without(String help) {
        StringBuilder left = new StringBuilder();
        boolean job = false;
        for (String line : help.lines().toList()) {
            boolean begins = line.startsWith("      --queue=NAME ") && help.contains("--licence=");
            boolean ends = line.startsWith("      --wait ")
                    || line.startsWith("      --json ")
                    || line.startsWith("      --dir=");
            job = begins || (job && !ends);
            if (!job) {
                left.append(line).append('\n');
            }
        }
        return left.toString();
    }
}
