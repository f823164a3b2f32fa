package org.spillway.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.spillway.api.ClusterRun;
import org.spillway.api.ClusterView;
import org.spillway.api.NodeState;
import org.spillway.api.NodeView;
import org.spillway.cli.ClusterCommand.OfOne;
import org.spillway.policy.Money;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands that change a cluster on demand that is there. */
final class ClusterChangeCommands {
    private ClusterChangeCommands() {}

    /** A change that is waited for unless told otherwise. */
    abstract static class Change extends OfOne {
        @Option(names = "--no-wait", description = "Return at once; 'spillway cluster show' tells how far it is.")
        boolean noWait;
    }

    @Command(
            name = "scale",
            sortOptions = false,
            description = {
                "Gives a cluster more or fewer nodes, and waits until it has them: at most what its site and its budget"
                        + " have room for.",
                "Of those that are too many, nodes without jobs go at once; the others get no further jobs and go when"
                        + " theirs are over. A stopped cluster has them when it is started.",
                "For its owner, root and the head's user."
            },
            footer = {"", "Example:", "  spillway cluster scale demo1 --nodes 4"})
    static final class Scale extends Change {
        @Option(names = "--nodes", required = true, paramLabel = "N", description = "How many nodes it has then.")
        int nodes;

        @Override
        public Integer call() throws InterruptedException {
            var head = head();
            var body = head.post(path() + "/scale", Map.of("nodes", nodes));
            boolean stopped = HeadClient.read(body, ClusterView.class).state().equals("STOPPED");
            if (noWait || stopped) {
                return json
                        ? showJson(body)
                        : show("cluster " + name + " will have " + counted(nodes)
                                + (stopped ? " when it is started" : "") + "\n");
            }
            long begun = System.nanoTime();
            awaitNodes(head);
            return json
                    ? showJson(head.get(path()))
                    : show("cluster " + name + " has " + counted(nodes) + " after "
                            + ClusterPages.seconds(Duration.ofNanos(System.nanoTime() - begun)) + "\n");
        }

        private static String counted(int nodes) {
            return nodes + (nodes == 1 ? " node" : " nodes");
        }

        private void awaitNodes(HeadClient head) throws InterruptedException {
            String told = "";
            while (true) {
                var cluster = head.get(path(), ClusterView.class);
                if (!cluster.state().equals("RUNNING")) {
                    throw new CliFailure(
                            CliFailure.FAILED,
                            "cluster " + name + " is " + cluster.state() + ": " + ClusterPages.plain(cluster.reason()),
                            "");
                }
                if (has(head)) {
                    return;
                }
                if (!json && !cluster.remark().isEmpty() && !cluster.remark().equals(told)) {
                    told = cluster.remark();
                    err().println("  " + ClusterPages.plain(told));
                    err().flush();
                }
                Thread.sleep(ClusterCommand.LOOK_MILLIS);
            }
        }

        private boolean has(HeadClient head) {
            try {
                List<NodeView> there = head.list(path() + "/head/nodes", "nodes", NodeView.class).stream()
                        .filter(node ->
                                node.role().equals("node") && node.state().mayCost())
                        .toList();
                return there.size() == nodes && there.stream().allMatch(node -> node.state() == NodeState.READY);
            } catch (CliFailure away) {
                if (away.mayPass()) {
                    return false;
                }
                throw away;
            }
        }
    }

    @Command(
            name = "extend",
            sortOptions = false,
            description = {
                "Gives a cluster more time or more money, beyond what it has. The money is taken from the head's own"
                        + " budget.",
                "For its owner, root and the head's user."
            },
            footer = {
                "",
                "Examples:",
                "  spillway cluster extend demo1 --ttl +2h",
                "  spillway cluster extend demo1 --budget 10"
            })
    static final class Extend extends OfOne {
        @Option(
                names = "--ttl",
                paramLabel = "TIME",
                description = "How much later it ends, such as +2h; at most 30d from now.")
        String ttl = "";

        @Option(names = "--budget", paramLabel = "AMOUNT", description = "How much more it may cost.")
        String budget = "";

        @Override
        public Integer call() {
            if (ttl.isEmpty() && budget.isEmpty()) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT, "there is neither --ttl nor --budget", "such as --ttl +2h, --budget 10");
            }
            Duration longer = ttl.isEmpty() ? Duration.ZERO : time(ttl.replaceFirst("^\\+", ""));
            Money more = budget.isEmpty() ? Money.ZERO : amount(budget.replaceFirst("^\\+", ""));
            if (longer.isZero() && !more.isMoreThan(Money.ZERO)) {
                throw new CliFailure(CliFailure.BAD_INPUT, "nothing more is asked for", "more than 0");
            }
            var order = more.isMoreThan(Money.ZERO)
                    ? Map.of("ttlSeconds", longer.toSeconds(), "budget", more)
                    : Map.<String, Object>of("ttlSeconds", longer.toSeconds());
            var body = head().post(path() + "/extend", order);
            return json ? showJson(body) : show(ClusterPages.extended(HeadClient.read(body, ClusterView.class)));
        }
    }

    @Command(
            name = "stop",
            sortOptions = false,
            description = {
                "Ends a cluster's nodes, switches its head's machine off, and waits until that is so. What its head"
                        + " knows stays: 'start' brings it back with its queue.",
                "Its time goes on, and so does what a machine costs that is off; both are told. While jobs run it is"
                        + " refused, unless --now is given.",
                "For its owner, root and the head's user."
            },
            footer = {"", "Example:", "  spillway cluster stop demo1"})
    static final class Stop extends Change {
        @Option(names = "--now", description = "Also while jobs run: those begin anew after its start.")
        boolean now;

        @Override
        public Integer call() throws InterruptedException {
            var head = head();
            var body = head.post(path() + "/stop", Map.of("now", now));
            if (noWait) {
                return json ? showJson(body) : show("cluster " + name + " is being stopped\n");
            }
            long begun = System.nanoTime();
            ClusterView end = head.get(path(), ClusterView.class);
            while (end.state().equals("STOPPING")) {
                Thread.sleep(ClusterCommand.LOOK_MILLIS);
                end = head.get(path(), ClusterView.class);
            }
            if (!end.state().equals("STOPPED")) {
                throw new CliFailure(
                        CliFailure.FAILED,
                        "cluster " + name + " is " + end.state() + ": " + ClusterPages.plain(end.reason()),
                        "");
            }
            return json
                    ? showJson(head.get(path()))
                    : show(ClusterPages.stopped(end, Duration.ofNanos(System.nanoTime() - begun)));
        }
    }

    @Command(
            name = "start",
            sortOptions = false,
            description = {
                "Brings a stopped cluster back, and waits until it takes jobs; each stage is told with its time. Its head"
                        + " is the same, with the same queue.",
                "For its owner, root and the head's user."
            },
            footer = {"", "Example:", "  spillway cluster start demo1"})
    static final class Start extends Change {
        @Override
        public Integer call() throws InterruptedException {
            var head = head();
            var body = head.post(path() + "/start");
            if (noWait) {
                return json ? showJson(body) : show("cluster " + name + " is being started\n");
            }
            var end = until(head, view -> !view.state().equals("STARTING"));
            if (!end.state().equals("RUNNING")) {
                throw new CliFailure(
                        CliFailure.FAILED,
                        "cluster " + name + " is " + end.state() + ": " + ClusterPages.plain(end.reason()),
                        "'spillway cluster show " + name + "' has the log");
            }
            return json ? showJson(head.get(path())) : show(ClusterPages.ready(end));
        }
    }

    @Command(
            name = "approve",
            sortOptions = false,
            description = {
                "Agrees to a cluster that waits for approval: it is made, and its time counts from now. 'cluster show' tells"
                        + " what is asked for, and who may agree.",
                "For root, the head's user, and those whom clusters.approval of the configuration names; nobody else agrees"
                        + " to what they ask for themselves."
            },
            footer = {"", "Example:", "  spillway cluster approve demo1"})
    static final class Approve extends OfOne {
        @Override
        public Integer call() {
            var body = head().post(path() + "/approve");
            return json
                    ? showJson(body)
                    : show("cluster " + name + " is approved and is being made for "
                            + HeadClient.read(body, ClusterView.class).owner() + "\n");
        }
    }

    @Command(
            name = "reject",
            sortOptions = false,
            description = {
                "Turns down a cluster that waits for approval; its owner is told why. Nothing of it was bought.",
                "For those who may approve it."
            },
            footer = {"", "Example:", "  spillway cluster reject demo1 --why 'not before the deadline'"})
    static final class Reject extends OfOne {
        @Option(names = "--why", required = true, paramLabel = "REASON", description = "One line for its owner.")
        String why = "";

        @Override
        public Integer call() {
            var body = head().post(path() + "/reject", Map.of("why", why));
            return json
                    ? showJson(body)
                    : show("cluster " + name + " is rejected; "
                            + HeadClient.read(body, ClusterView.class).owner() + " is told why\n");
        }
    }

    @Command(
            name = "ssh",
            sortOptions = false,
            description = {
                "Runs one command on the machine of a cluster's head, as you, and exits with its exit code. It has no"
                        + " standard input, a minute of time, and its output is printed at its end.",
                "For the cluster's users. There is no terminal: what needs one is a job."
            },
            footer = {"", "Example:", "  spillway cluster ssh demo1 -- df -h"})
    static final class Ssh extends OfOne {
        @Parameters(index = "1..*", paramLabel = "WORD", description = "The command and its arguments, behind --.")
        List<String> command = new ArrayList<>();

        @Override
        public Integer call() {
            if (command.isEmpty()) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT,
                        "there is no command, and no terminal goes to a cluster",
                        "such as 'spillway cluster ssh " + name + " -- df -h'");
            }
            var body = head().post(path() + "/run", new ClusterRun(command));
            if (json) {
                return showJson(body);
            }
            var ran = HeadClient.read(body, ClusterRun.Result.class);
            err().print(ran.errors());
            err().flush();
            show(ran.output());
            return ran.exit();
        }
    }
}
