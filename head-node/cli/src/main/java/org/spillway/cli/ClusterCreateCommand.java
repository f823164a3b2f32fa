package org.spillway.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.spillway.api.ClusterOrder;
import org.spillway.api.ClusterView;
import org.spillway.settings.ClusterTemplate;
import org.spillway.settings.ConfigMistakes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "create",
        sortOptions = false,
        description = {
            "Makes a cluster and waits until it takes jobs; each stage is told with its time.",
            "What cannot be made is removed again, and the stage that failed is named with its log.",
            "What is above a limit waits until somebody agrees to it, and nothing is bought before."
        },
        footer = {
            "",
            "Examples:",
            "  spillway cluster create demo1 --site west --nodes 2 --ttl 1h --budget 5",
            "  spillway cluster create class --site west --nodes 4 --gpus 1 --ttl 8h \\",
            "      --budget 50 --users alice,bob --no-wait",
            "  spillway cluster create lab --from class.yaml --set students=12"
        })
final class ClusterCreateCommand extends ClusterCommand.OfOne {
    @Option(names = "--site", paramLabel = "SITE", description = "Where it is made.")
    String site = "";

    @Option(names = "--nodes", paramLabel = "N", description = "How many nodes it has.")
    @Nullable
    Integer nodes;

    @Option(names = "--gpus", paramLabel = "N", description = "GPUs that each node has at least; 0 unless given.")
    @Nullable
    Integer gpus;

    @Option(
            names = "--type",
            paramLabel = "TYPE",
            description = "The nodes' instance type; otherwise the cheapest that fits.")
    String type = "";

    @Option(
            names = "--ttl",
            paramLabel = "TIME",
            description = "When it ends by itself, such as 8h; 30s to 30d from now.")
    String ttl = "";

    @Option(
            names = "--budget",
            paramLabel = "AMOUNT",
            description = "What it may cost in all, in the head's currency; it ends when that is spent.")
    String budget = "";

    @Option(
            names = "--users",
            split = ",",
            paramLabel = "NAME",
            description = "Who else may use it; its owner always may.")
    List<String> users = List.of();

    @Option(
            names = "--results",
            paramLabel = "FOLDER",
            description = "Your folder here that results of its jobs are brought to, each job's to one of its own, as"
                    + " they end and before the cluster is removed; otherwise they stay and go with it.")
    String results = "";

    @Option(
            names = "--image",
            paramLabel = "NAME",
            description = "The nodes' image, one of those that the head's configuration names; otherwise this head's.")
    String image = "";

    @Option(
            names = "--workload",
            paramLabel = "MANAGER",
            description = "Who gives jobs to its nodes: embedded, its head's own queue; or ${COMPLETION-CANDIDATES}.",
            completionCandidates = ClusterOwnJobs.Managers.class)
    String workload = "";

    @Option(
            names = "--from",
            paramLabel = "FILE",
            description = "A template that says what the options do not; the options go first. Site, nodes, ttl and"
                    + " budget must come from one of them.")
    @Nullable
    Path template;

    @Option(
            names = "--set",
            paramLabel = "NAME=VALUE",
            description = "The value of a parameter of the template; may be given for each.")
    Map<String, String> set = Map.of();

    @Option(names = "--no-wait", description = "Return at once; 'spillway cluster show' tells how far it is.")
    boolean noWait;

    @Override
    public Integer call() throws InterruptedException {
        path();
        var order = order();
        var head = head();
        var body = head.post("/clusters", order);
        if (noWait) {
            return json ? showJson(body) : show(ClusterPages.begun(HeadClient.read(body, ClusterView.class)));
        }
        if (!json && HeadClient.read(body, ClusterView.class).isWaiting()) {
            err().print(ClusterPages.begun(HeadClient.read(body, ClusterView.class)));
            err().flush();
        }
        var end = until(head, view -> view.state().equals("RUNNING") || view.isOver());
        if (json) {
            showJson(head.get(path()));
        } else if (end.state().equals("RUNNING")) {
            show(ClusterPages.ready(end));
        }
        if (!end.state().equals("RUNNING")) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "cluster " + name + " was not made: "
                            + (end.failure().isEmpty() ? end.reason() : end.failure()).replaceAll("\\p{Cntrl}", "?"),
                    "nothing of it is left; 'spillway cluster show " + name + "' has the log");
        }
        return 0;
    }

    private ClusterOrder order() {
        var from = template();
        var folder = results.isEmpty() ? from.results() : results;
        return new ClusterOrder(
                name,
                needed("--site", first(site, from.site())),
                Integer.parseInt(needed("--nodes", first(text(nodes), text(from.nodes())))),
                Integer.parseInt(first(text(gpus), first(text(from.gpus()), "0"))),
                first(type, from.type()),
                (ttl.isEmpty() && from.ttl().isPresent() ? from.ttl().get() : time(needed("--ttl", ttl))).toSeconds(),
                budget.isEmpty() && from.budget().isPresent()
                        ? from.budget().get()
                        : amount(needed("--budget", budget)),
                users.isEmpty() ? from.users() : users,
                folder.isEmpty()
                        ? ""
                        : Path.of(folder).toAbsolutePath().normalize().toString(),
                first(image, from.image()),
                first(workload, from.workload()));
    }

    private ClusterTemplate template() {
        if (template == null) {
            if (!set.isEmpty()) {
                throw new CliFailure(CliFailure.BAD_INPUT, "--set: found without --from", "with a template only");
            }
            return new ClusterTemplate(
                    "",
                    OptionalInt.empty(),
                    OptionalInt.empty(),
                    "",
                    Optional.empty(),
                    Optional.empty(),
                    List.of(),
                    "",
                    "",
                    "");
        }
        try {
            return ClusterTemplate.read(template, set);
        } catch (ConfigMistakes mistakes) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    String.join("\n", mistakes.lines()),
                    "nothing was made; correct these and try again");
        }
    }

    private static String first(String one, String other) {
        return one.isEmpty() ? other : one;
    }

    private static String text(@Nullable Integer number) {
        return number == null ? "" : number.toString();
    }

    private static String text(OptionalInt number) {
        return number.isPresent() ? Integer.toString(number.getAsInt()) : "";
    }

    private static String needed(String option, String value) {
        if (value.isEmpty()) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "Missing required option: '" + option + "'",
                    "'spillway cluster create --help' shows all of them");
        }
        return value;
    }
}
