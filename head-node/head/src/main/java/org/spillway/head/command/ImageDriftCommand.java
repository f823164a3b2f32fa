package org.spillway.head.command;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.spillway.api.DriftView;
import org.spillway.api.Json;
import org.spillway.api.NodeView;
import org.spillway.cli.AnswerCommand;
import org.spillway.cli.CliFailure;
import org.spillway.cli.HeadClient;
import org.spillway.cli.Table;
import org.spillway.cli.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "drift",
        description = {
            "Compares what the jobs of nodes have as their root with the version that each node attests, file by file,"
                    + " and says which package owns what differs. Without NODE all nodes are asked that live in a version.",
            "Every name is compared by type, owner, mode, size, target and attributes; of contents a part is read that"
                    + " is drawn anew each time (32 MiB), and with --whole all of them. What differs is looked at twice."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway image drift",
            "  spillway image drift n1042 --whole",
            "  spillway image drift --category ml --json",
            "",
            "Exit codes: 0 all are the same, 1 one is not, 2 one could not be compared."
        })
final class ImageDriftCommand extends AnswerCommand {
    private static final long PAUSE_MILLIS = 300;
    /** No node reads for longer in one look. */
    private static final Duration LONGEST = Duration.ofMinutes(125);

    private static final int DIGITS = 12;

    @Parameters(arity = "0..*", paramLabel = "NODE", description = "Nodes to ask.")
    List<String> nodes = new ArrayList<>();

    @Option(names = "--category", paramLabel = "C", description = "Only nodes of that category.")
    @Nullable
    String category;

    @Option(names = "--site", paramLabel = "S", description = "Only nodes of that site.")
    @Nullable
    String site;

    @Option(names = "--whole", description = "Read the contents of all files.")
    boolean whole;

    @Override
    public Integer call() throws InterruptedException {
        var head = head();
        var chosen = chosen(head);
        Map<String, DriftView> found = new LinkedHashMap<>();
        Map<String, String> looks = new LinkedHashMap<>();
        chosen.forEach(node ->
                looks.put(node, UUID.randomUUID().toString().replace("-", "").substring(0, 16)));
        long until = System.nanoTime() + LONGEST.toNanos();
        try {
            while (looks.keySet().stream().anyMatch(node -> !isOver(found.get(node)))) {
                if (System.nanoTime() > until) {
                    looks.keySet().stream()
                            .filter(node -> !isOver(found.get(node)))
                            .forEach(node -> found.put(node, unknown(node, "the look takes longer than two hours")));
                    break;
                }
                looks.forEach((node, look) -> {
                    if (!isOver(found.get(node))) {
                        found.put(node, ask(head, node, look));
                        Terminal.progress(err(), progress(found, chosen.size()));
                    }
                });
                Thread.sleep(PAUSE_MILLIS);
            }
        } finally {
            Terminal.progress(err(), "");
        }
        List<DriftView> all = new ArrayList<>(found.values());
        show(json ? Json.writeIndented(Map.of("nodes", all)) + "\n" : page(all));
        return code(all);
    }

    private List<String> chosen(HeadClient head) {
        var all = head.list("/nodes", "nodes", NodeView.class).stream()
                .filter(node -> node.role().equals("node") && !node.state().isTerminal())
                .toList();
        for (var wanted : nodes) {
            var node = all.stream()
                    .filter(one -> one.id().equals(wanted))
                    .findFirst()
                    .orElseThrow(() -> new CliFailure(
                            CliFailure.BAD_INPUT,
                            "there is no node '" + wanted + "'",
                            "'spillway nodes' shows those that are there"));
            if (node.version().isEmpty()) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT,
                        "jobs of " + wanted + " live in no version, or it has not passed its gate with one",
                        "'spillway nodes' shows each node's version");
            }
        }
        var some = all.stream()
                .filter(node -> !node.version().isEmpty())
                .filter(node -> nodes.isEmpty() || nodes.contains(node.id()))
                .filter(node -> category == null || node.category().equals(category))
                .filter(node -> site == null || node.site().equals(site))
                .map(NodeView::id)
                .toList();
        if (some.isEmpty()) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "no such node lives in a version now",
                    "'spillway nodes' shows each node's category, site and version");
        }
        return some;
    }

    private DriftView ask(HeadClient head, String node, String look) {
        try {
            return head.get("/nodes/" + segment(node) + "/drift?look=" + look + "&whole=" + whole, DriftView.class);
        } catch (CliFailure failure) {
            if (failure.exitCode() == CliFailure.NOT_REACHED) {
                throw failure;
            }
            return unknown(node, String.valueOf(failure.getMessage()));
        }
    }

    private static DriftView unknown(String node, String why) {
        return new DriftView(node, "", "", "UNKNOWN", 0, 0, 0, why, 0, List.of());
    }

    private static boolean isOver(@Nullable DriftView view) {
        return view != null && view.isOver();
    }

    private static String progress(Map<String, DriftView> found, int nodes) {
        long over = found.values().stream().filter(DriftView::isOver).count();
        long done = found.values().stream().mapToLong(DriftView::done).sum();
        long all = found.values().stream().mapToLong(DriftView::all).sum();
        long bytes = found.values().stream().mapToLong(DriftView::bytes).sum();
        return over + " of " + nodes + " nodes, " + done + " of " + all + " files, read " + ImagePages.megabytes(bytes);
    }

    private static String page(List<DriftView> all) {
        var text = new StringBuilder();
        if (all.stream().anyMatch(view -> !view.differences().isEmpty())) {
            var table = new Table("NODE", "PATH", "CHANGED", "PACKAGE", "HOW");
            for (var view : all) {
                for (var file : view.differences()) {
                    table.row(view.node(), file.path(), String.join(", ", file.changed()), file.owner(), file.how());
                }
            }
            text.append(table);
        }
        for (var view : all) {
            text.append(view.node())
                    .append(
                            switch (view.state()) {
                                case "SAME" -> " is " + brief(view.version()) + read(view);
                                case "DIFFERS" ->
                                    " is not " + brief(view.version()) + ": "
                                            + (view.differences().size() + view.more()) + " differences" + read(view);
                                default -> " was not compared: " + view.why();
                            });
            text.append('\n');
        }
        return text.toString();
    }

    private static String brief(String version) {
        int at = version.indexOf('@');
        return version.substring(0, Math.min(version.length(), at + 1 + DIGITS));
    }

    private static String read(DriftView view) {
        return String.format(
                Locale.ROOT, " (%d files compared, %s read)", view.done(), ImagePages.megabytes(view.bytes()));
    }

    private static int code(List<DriftView> all) {
        if (all.stream().anyMatch(view -> view.state().equals("DIFFERS"))) {
            return 1;
        }
        return all.stream().allMatch(view -> view.state().equals("SAME")) ? 0 : CliFailure.BAD_INPUT;
    }
}
