package org.spillway.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.spillway.api.ClusterRun;
import org.spillway.api.ClusterView;
import org.spillway.api.JobView;
import org.spillway.api.Json;
import org.spillway.api.NodeView;
import org.spillway.api.Submitted;
import org.spillway.policy.Money;
import org.spillway.settings.Quantities;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "cluster",
        description = {
            "Makes clusters on demand: each has a head, nodes and a queue of its own, in one site, for its owner and the"
                    + " users whom the owner names. It ends by itself when its time or its budget is over.",
            "Nobody else sees it. All that it buys goes through this head, and bears its id."
        },
        footer = {
            "",
            "Examples:",
            "  spillway cluster create demo1 --site west --nodes 2 --ttl 1h --budget 5",
            "  spillway cluster submit demo1 train.sh",
            "  spillway cluster stop demo1",
            "  spillway cluster delete demo1"
        })
final class ClusterCommand extends CommandGroup {
    static final long LOOK_MILLIS = 200;

    /** With its subcommands. */
    static CommandLine commandLine() {
        var line = new CommandLine(new ClusterCommand());
        line.addSubcommand("create", new ClusterCreateCommand());
        line.addSubcommand("list", new Listing());
        line.addSubcommand("show", new Show());
        line.addSubcommand("job", new ClusterJobCommands.Job());
        line.addSubcommand("explain", new ClusterJobCommands.Explain());
        line.addSubcommand("submit", new Submit());
        line.addSubcommand("queue", new Queue());
        line.addSubcommand("nodes", new Nodes());
        line.addSubcommand("ssh", new ClusterChangeCommands.Ssh());
        line.addSubcommand("scale", new ClusterChangeCommands.Scale());
        line.addSubcommand("extend", new ClusterChangeCommands.Extend());
        line.addSubcommand("stop", new ClusterChangeCommands.Stop());
        line.addSubcommand("start", new ClusterChangeCommands.Start());
        line.addSubcommand("approve", new ClusterChangeCommands.Approve());
        line.addSubcommand("reject", new ClusterChangeCommands.Reject());
        line.addSubcommand("delete", new Delete());
        return line;
    }

    /** A command about one cluster. */
    abstract static class OfOne extends AnswerCommand {
        @Parameters(index = "0", paramLabel = "NAME", description = "The cluster's name.")
        String name = "";

        protected String path() {
            return "/clusters/" + segment(name);
        }

        static Duration time(String ttl) {
            try {
                return Quantities.duration(ttl);
            } catch (IllegalArgumentException malformed) {
                throw new CliFailure(CliFailure.BAD_INPUT, "--ttl: " + malformed.getMessage(), "such as 30m or 8h");
            }
        }

        static Money amount(String budget) {
            try {
                return Money.parse(budget);
            } catch (IllegalArgumentException malformed) {
                throw new CliFailure(CliFailure.BAD_INPUT, "--budget: found '" + budget + "'", "such as 50 or 2.50");
            }
        }

        /** Looks until it is so, and tells each stage as it comes. */
        ClusterView until(HeadClient head, Predicate<ClusterView> end) throws InterruptedException {
            int told = 0;
            Set<String> remarks = new HashSet<>();
            while (true) {
                var view = head.get(path(), ClusterView.class);
                if (!json && !view.remark().isEmpty() && remarks.add(view.remark())) {
                    err().println("  " + ClusterPages.plain(view.remark()));
                    err().flush();
                }
                for (var stage : view.stages()
                        .subList(
                                Math.min(told, view.stages().size()),
                                view.stages().size())) {
                    if (stage.endedAt() == null) {
                        break;
                    }
                    told++;
                    if (!json) {
                        err().println("  " + ClusterPages.stage(stage));
                        err().flush();
                    }
                }
                if (end.test(view)) {
                    return view;
                }
                Thread.sleep(LOOK_MILLIS);
            }
        }
    }

    @Command(
            name = "list",
            description = "Lists the clusters that you may use; root and the head's user see all.",
            footer = {"", "Example:", "  spillway cluster list --all"})
    static final class Listing extends AnswerCommand {
        @Option(names = "--all", description = "Also those that have ended, however long ago: the latest 1,000.")
        boolean all;

        @Override
        public Integer call() {
            var body = head().get(all ? "/clusters?ended=true" : "/clusters");
            return json
                    ? showJson(body)
                    : show(ClusterPages.list(HeadClient.list(body, "clusters", ClusterView.class).stream()
                            .filter(view -> all || !view.isOver())
                            .toList()));
        }
    }

    @Command(
            name = "show",
            description = "Shows one cluster: its state and why, its stages with their times, and what it costs.",
            footer = {"", "Example:", "  spillway cluster show demo1"})
    static final class Show extends OfOne {
        @Override
        public Integer call() {
            var body = head().get(path());
            return json ? showJson(body) : show(ClusterPages.show(HeadClient.read(body, ClusterView.class)));
        }
    }

    @Command(
            name = "submit",
            sortOptions = false,
            description = {
                "Submits a script as a job of a cluster, whose own head takes it and prints its id. Inputs and results"
                        + " are files of that head's machine.",
                "Arguments for the script stand behind --. With --wait: exits with the script's exit code."
            },
            footer = {
                "",
                "Examples:",
                "  spillway cluster submit demo1 --wait train.sh",
                "  spillway cluster submit demo1 --gpus 1 --time 10m train.sh -- --epochs 3"
            })
    static final class Submit extends OfOne {
        @Mixin
        JobOptions options = new JobOptions();

        @Option(names = "--wait", description = "Wait for the job's end, and exit with the script's exit code.")
        boolean wait;

        @Parameters(index = "1", paramLabel = "SCRIPT", description = "The script's path, or - for standard input.")
        String script = "";

        @Parameters(index = "2..*", paramLabel = "ARGUMENT", description = "Arguments for the script, behind --.")
        List<String> arguments = new ArrayList<>();

        @Override
        public Integer call() throws InterruptedException {
            var manager = head().get(path(), ClusterView.class).workload();
            if (!manager.equals("embedded")) {
                return toIts(ClusterOwnJobs.queue(manager, name));
            }
            var head = head().below(path() + "/head");
            var body = head.post(
                    "/jobs",
                    UUID.randomUUID().toString(),
                    Submission.of(script, arguments, options, surroundings, err()));
            var submitted = HeadClient.read(body, Submitted.class);
            if (!json
                    && !submitted.jobs().isEmpty()
                    && !submitted.jobs().getFirst().reason().isEmpty()) {
                err().println("note: "
                        + ClusterPages.plain(submitted.jobs().getFirst().reason()));
                err().flush();
            }
            if (!json) {
                show(submitted.id() + "\n");
            } else if (!wait) {
                showJson(body);
            }
            if (!wait) {
                return 0;
            }
            var waiting = new JobWait(head, err());
            boolean array = submitted.jobs().size() > 1;
            int code = array
                    ? waiting.exitCodeOfArray(submitted.id())
                    : JobWait.exitCode(waiting.untilEnd(submitted.id()));
            if (json) {
                showJson(head.get((array ? "/arrays/" : "/jobs/") + segment(submitted.id())));
            }
            return code;
        }

        /** The manager's part about the job stands in its script. */
        private int toIts(ClusterQueue queue) throws InterruptedException {
            ClusterOwnJobs.refuseOptions(spec.commandLine().getParseResult(), queue, name);
            var ran = HeadClient.read(
                    head().post(path() + "/run", new ClusterRun(queue.command(script, arguments))),
                    ClusterRun.Result.class);
            err().print(ran.errors());
            err().flush();
            var number = ClusterOwnJobs.number(ran, queue, name);
            if (!json) {
                show(number + "\n");
            } else if (!wait) {
                show(Json.writeIndented(Map.of(queue.manager(), Long.parseLong(number))) + "\n");
            }
            if (!wait) {
                return 0;
            }
            var head = head().below(path() + "/head");
            String id = ClusterOwnJobs.adopted(head, queue, number);
            int code = JobWait.exitCode(new JobWait(head, err()).untilEnd(id));
            if (json) {
                showJson(head.get("/jobs/" + segment(id)));
            }
            return code;
        }
    }

    @Command(
            name = "queue",
            description = "Lists your jobs in a cluster, newest first, those that have ended too; its owner sees all.",
            footer = {"", "Example:", "  spillway cluster queue demo1"})
    static final class Queue extends OfOne {
        @Override
        public Integer call() {
            var body = head().get(path() + "/head/jobs?ended=true");
            return json ? showJson(body) : show(pages().queue(HeadClient.list(body, "jobs", JobView.class)));
        }
    }

    @Command(
            name = "nodes",
            description = "Lists a cluster's nodes and its director.",
            footer = {"", "Example:", "  spillway cluster nodes demo1"})
    static final class Nodes extends OfOne {
        @Override
        public Integer call() {
            var body = head().get(path() + "/head/nodes");
            return json ? showJson(body) : show(pages().nodes(HeadClient.list(body, "nodes", NodeView.class)));
        }
    }

    @Command(
            name = "delete",
            description = {
                "Removes a cluster and all that it owns, and waits until nothing is left. Its jobs end.",
                "For its owner, root and the head's user."
            },
            footer = {"", "Example:", "  spillway cluster delete demo1"})
    static final class Delete extends OfOne {
        @Option(names = "--no-wait", description = "Return at once; 'spillway cluster show' tells how far it is.")
        boolean noWait;

        @Override
        public Integer call() throws InterruptedException {
            var head = head();
            var body = head.post(path() + "/delete");
            if (noWait) {
                return json ? showJson(body) : show("cluster " + name + " is being removed\n");
            }
            json = true;
            var end = until(head, ClusterView::isOver);
            return show("cluster " + name + " is gone; it has cost " + end.spent() + "\n");
        }
    }
}
