package org.spillway.cli;

import java.util.Iterator;
import java.util.List;
import org.spillway.api.ClusterRun;
import org.spillway.api.JobView;
import picocli.CommandLine.ParseResult;

/** Jobs that the workload manager of a cluster on demand has, and its head takes over from there. */
final class ClusterOwnJobs {
    private static final List<String> OURS = List.of("--wait", "--json", "--socket");
    private static final long LOOK_MILLIS = 300;
    private static final int MOST_LOOKS = 200;

    private ClusterOwnJobs() {}

    /** @throws CliFailure where this client does not know the cluster's manager */
    static ClusterQueue queue(String manager, String cluster) {
        return ClusterQueue.of(manager)
                .orElseThrow(() -> new CliFailure(
                        CliFailure.FAILED,
                        "cluster " + cluster + " has the workload manager " + manager
                                + ", which this client does not know",
                        "give it the job by 'spillway cluster ssh " + cluster + "'"));
    }

    /** Options of jobs are refused: the manager has its own. */
    static void refuseOptions(ParseResult given, ClusterQueue queue, String cluster) {
        var chosen = given.matchedOptions().stream()
                .map(option -> option.longestName())
                .filter(option -> !OURS.contains(option))
                .toList();
        if (!chosen.isEmpty()) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "cluster " + cluster + " has " + queue.title() + ", and found " + String.join(", ", chosen),
                    queue.insteadOfOptions());
        }
    }

    /** The number that the manager gave the job. @throws CliFailure if it took none */
    static String number(ClusterRun.Result ran, ClusterQueue queue, String cluster) {
        var number = ran.output().strip();
        if (ran.exit() != 0 || !number.matches("\\d{1,10}")) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    queue.program() + " ended with " + ran.exit() + ": " + ClusterPages.plain(number),
                    "'spillway cluster ssh " + cluster + " -- " + queue.look() + "' shows what it has");
        }
        return number;
    }

    /** The id under which the cluster's head has taken a job over. */
    static String adopted(HeadClient head, ClusterQueue queue, String number) throws InterruptedException {
        String beginning = queue.manager() + "-" + number + "-";
        for (int look = 0; look < MOST_LOOKS; look++) {
            var its = head.list("/jobs?ended=true", "jobs", JobView.class).stream()
                    .map(JobView::id)
                    .filter(id -> id.startsWith(beginning))
                    .findFirst();
            if (its.isPresent()) {
                return its.get();
            }
            Thread.sleep(LOOK_MILLIS);
        }
        throw new CliFailure(
                CliFailure.FAILED,
                "job " + number + " was taken by " + queue.program()
                        + " in the cluster, and its head does not know it yet",
                "'spillway cluster queue' lists it when it does");
    }

    /** Managers that a cluster may have beside its head's own queue; looked for when somebody reads the help. */
    static final class Managers implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return ClusterQueue.all()
                    .map(queue -> queue.manager() + ", " + queue.offer())
                    .sorted()
                    .iterator();
        }
    }
}
