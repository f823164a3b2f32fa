package org.spillway.slurm.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.spillway.cli.CliFailure;
import org.spillway.cli.ClusterQueue;
import org.spillway.slurm.settings.SlurmSettings;

/** How a script gets to the Slurm of a cluster on demand: as words of one command, run there as its user. */
public final class ClusterSbatch implements ClusterQueue {
    private static final int MOST_CHARACTERS = 4000;
    /** Of a command for a cluster, less those around. */
    private static final int MOST_WORDS = 80;

    /** The script first, in pieces; then its arguments. */
    private static final String PROGRAM = "d=$(mktemp -d) || exit; n=$1; f=$d/$2; shift 2; i=0; "
            + "while [ \"$i\" -lt \"$n\" ]; do printf %s \"$1\"; shift; i=$((i + 1)); done >\"$d/.64\"; "
            + "base64 -d <\"$d/.64\" >\"$f\" && sbatch --parsable \"$f\" \"$@\"; s=$?; rm -rf \"$d\"; exit $s";

    @Override
    public String manager() {
        return SlurmSettings.NAME;
    }

    @Override
    public String offer() {
        return "a Slurm of its own";
    }

    @Override
    public String title() {
        return "a Slurm";
    }

    @Override
    public String program() {
        return "sbatch";
    }

    @Override
    public String insteadOfOptions() {
        return "write #SBATCH and #SPILLWAY lines into the script";
    }

    @Override
    public String look() {
        return "sinfo";
    }

    @Override
    public List<String> command(String script, List<String> arguments) {
        String text = Base64.getEncoder().encodeToString(read(script));
        var pieces = new ArrayList<String>();
        for (int at = 0; at < text.length(); at += MOST_CHARACTERS) {
            pieces.add(text.substring(at, Math.min(text.length(), at + MOST_CHARACTERS)));
        }
        if (pieces.size() + arguments.size() > MOST_WORDS) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    script + " is too long, or has too many arguments, for a cluster's Slurm",
                    "at most 200 KB; put the rest into a file of the image");
        }
        var words = new ArrayList<>(
                List.of("sh", "-c", PROGRAM, "sbatch", Integer.toString(pieces.size()), jobName(script)));
        words.addAll(pieces);
        words.addAll(arguments);
        return words;
    }

    /** A job is called as its script is, unless that says otherwise. */
    private static String jobName(String script) {
        var file = Path.of(script).getFileName();
        var plain = file == null
                ? ""
                : file.toString().replaceAll("[^A-Za-z0-9._-]", "_").replaceAll("^[.-]+", "");
        return plain.isEmpty() ? "job" : plain.substring(0, Math.min(plain.length(), 100));
    }

    private static byte[] read(String script) {
        try {
            return script.equals("-") ? System.in.readAllBytes() : Files.readAllBytes(Path.of(script));
        } catch (IOException unreadable) {
            throw new CliFailure(CliFailure.BAD_INPUT, script + " cannot be read: " + unreadable.getMessage(), "");
        }
    }
}
