package org.spillway.slurm.manager;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.head.journal.JobSpec;
import org.spillway.stage.tree.Glob;

/**
 * The name of a job's standard output or error, as {@code scontrol} tells it. Slurm 22.05 fills in {@code %A}, {@code %a},
 * {@code %j}, {@code %u} and {@code %x} there; all others, and numbers with a width, are known to the job's node alone. Slurm 26.05
 * fills in {@code %N}, too, as {@code (null)} while the job has no node. Pure.
 */
final class StreamName {
    private static final Pattern OPEN = Pattern.compile("%(%|\\d{0,2}[A-Za-z])|\\(null\\)");

    private StreamName() {}

    /** As {@link #output} for one that lies below the user's home and not in the job's folder. */
    static JobSpec.Output below(String home, String below) {
        JobSpec.Output its = output(home, below);
        return new JobSpec.Output(
                JobSpec.Output.BELOW_HOME + "/" + its.pattern(), its.destination(), its.tree(), its.strict());
    }

    /** The output that brings it home. Where something is open in its name, any text may stand there. @param below the folder */
    static JobSpec.Output output(String folder, String below) {
        StringBuilder pattern = new StringBuilder();
        StringBuilder plain = new StringBuilder();
        boolean open = false;
        Matcher found = OPEN.matcher(below);
        int at = 0;
        while (found.find()) {
            String before = below.substring(at, found.start());
            pattern.append(StagingPaths.quoted(before));
            plain.append(before);
            boolean percent = found.group().equals("%%");
            pattern.append(percent ? "%" : "*");
            plain.append(percent ? "%" : "");
            open |= !percent;
            at = found.end();
        }
        pattern.append(StagingPaths.quoted(below.substring(at)));
        plain.append(below.substring(at));
        if (!open) {
            return new JobSpec.Output(pattern.toString(), folder + "/" + plain, false, false);
        }
        Glob glob = StagingPaths.glob(pattern.toString());
        String base = glob.base();
        return new JobSpec.Output(pattern.toString(), base.isEmpty() ? folder : folder + "/" + base, true, false);
    }
}
