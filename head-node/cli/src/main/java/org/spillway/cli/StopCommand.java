package org.spillway.cli;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.spillway.api.ClusterView;
import org.spillway.api.HealthView;
import org.spillway.api.NodeView;
import org.spillway.api.RecoveryView;
import org.spillway.settings.Quantities;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "stop",
        description = "Stops the head. Instances and their jobs go on within their lease, unless --release ends them.",
        footer = {"", "Example:", "  spillway stop --release --wait"})
final class StopCommand extends HeadCommand {
    private static final long LOOK_MILLIS = 300;
    private static final Set<String> OVER = Set.of("ADOPTED", "GONE");

    private List<String> kept = List.of();

    @Option(
            names = "--release",
            description = "First end every node and director, wait for that, and print 'instances left: N'.")
    boolean release;

    @Option(names = "--wait", description = "Return only when the head has stopped.")
    boolean wait;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            description = "The longest to wait in all, such as 90s or 10m; 10m unless given.")
    String timeout = "10m";

    @Override
    public Integer call() throws InterruptedException {
        Duration patience;
        try {
            patience = Quantities.duration(timeout);
        } catch (IllegalArgumentException malformed) {
            throw new CliFailure(CliFailure.BAD_INPUT, "--timeout: " + malformed.getMessage(), "");
        }
        long end = System.nanoTime() + patience.toNanos();
        var head = head();
        long pid = head.get("/health", HealthView.class).pid();
        if (release && !released(head, end)) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "instances are left, so the head goes on",
                    kept.isEmpty()
                            ? "'spillway nodes' shows them and why"
                            : "directors stay for machines that the journal does not know: 'spillway recover' shows"
                                    + " them; adopt or end each ('--adopt', '--end'), then stop again");
        }
        head.post("/shutdown");
        if (wait && !gone(pid, end)) {
            throw new CliFailure(CliFailure.FAILED, "the head (process " + pid + ") still runs", "look at its log");
        }
        return 0;
    }

    private boolean released(HeadClient head, long end) throws InterruptedException {
        head.post("/release");
        while (true) {
            tellOfUnknown(head);
            long left = head.list("/nodes", "nodes", NodeView.class).stream()
                    .filter(node -> !node.state().isTerminal())
                    .count();
            // Of a cluster on demand nobody counts here what it still has: it is one more until nothing is left of it.
            left += head.list("/clusters", "clusters", ClusterView.class).stream()
                    .filter(cluster -> !cluster.isOver())
                    .count();
            if (left == 0 || System.nanoTime() >= end) {
                show("instances left: " + left + "\n");
                return left == 0;
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /** A director that may serve a machine without an owner stays with it, whoever waits: told when that changes. */
    private void tellOfUnknown(HeadClient head) {
        List<String> now = unknown(head);
        if (!now.equals(kept)) {
            kept = now;
            if (!now.isEmpty()) {
                err().println("spillway: waiting: the journal does not know " + String.join(", ", now)
                        + ", so what may serve them is not ended either; 'spillway recover' shows them, and adopts or"
                        + " ends each");
                err().flush();
            }
        }
    }

    private static List<String> unknown(HeadClient head) {
        try {
            return head.get("/recovery", RecoveryView.class).machines().stream()
                    .filter(one -> !OVER.contains(one.state()))
                    .map(RecoveryView.Machine::id)
                    .toList();
        } catch (CliFailure unsaid) {
            // A head of an earlier release, or one that has gone: the wait itself says that.
            return List.of();
        }
    }

    private static boolean gone(long pid, long end) throws InterruptedException {
        while (ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent()) {
            if (System.nanoTime() >= end) {
                return false;
            }
            Thread.sleep(LOOK_MILLIS);
        }
        return true;
    }
}
