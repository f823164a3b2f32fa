package org.spillway.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.spillway.api.RecoveryOrder;
import org.spillway.api.RecoveryView;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "recover",
        description =
                "Shows machines that the journal does not know, after it was put back from an older copy, and does what"
                        + " is chosen for them; for root and the user that the head runs as.",
        footer = {
            "",
            "Examples:",
            "  spillway recover",
            "  spillway recover --adopt east/i-0a1b --end east/i-0c2d",
            "  spillway recover --keep all --release",
            "",
            "adopt    it is a node or director of the journal again; a node gets jobs after 'spillway node resume'",
            "keep     it runs on and is counted, and is never ended by the head",
            "end      it is ended when two listings have shown it without an owner; what runs on it is lost",
            "release  the quarantine is over: from now on what no node owns is ended again"
        })
final class RecoverCommand extends AnswerCommand {
    private static final String ALL = "all";
    private final Confirmation confirmation;

    @Option(
            names = "--adopt",
            paramLabel = "ID",
            arity = "1..*",
            description = "Machines to adopt, as SITE/INSTANCE, or 'all' for those that can be.")
    List<String> adopt = List.of();

    @Option(
            names = "--keep",
            paramLabel = "ID",
            arity = "1..*",
            description = "Machines that run on; 'all' for those that nobody has chosen for.")
    List<String> keep = List.of();

    @Option(
            names = "--end",
            paramLabel = "ID",
            arity = "1..*",
            description = "Machines to end; 'all' for those that nobody has chosen for.")
    List<String> end = List.of();

    @Option(names = "--release", description = "End the quarantine, when something is chosen for each.")
    boolean release;

    @Option(names = "--yes", description = "End machines without asking.")
    boolean yes;

    RecoverCommand() {
        this(Confirmation.STANDARD);
    }

    RecoverCommand(Confirmation confirmation) {
        this.confirmation = confirmation;
    }

    @Override
    public Integer call() {
        var found = head().get("/recovery", RecoveryView.class);
        var ends = chosen(end, found, one -> one.state().equals("FOUND"));
        var adopts = chosen(adopt, found, one -> !one.adoptable().isEmpty());
        var keeps = chosen(keep, found, one -> one.state().equals("FOUND") && !adopts.contains(one.id()));
        var twice = new ArrayList<>(ends);
        twice.addAll(adopts);
        twice.addAll(keeps);
        if (twice.stream().distinct().count() < twice.size()) {
            throw new CliFailure(CliFailure.BAD_INPUT, "two choices for one machine", "name each once");
        }
        if (!ends.isEmpty() && !confirmed(found, ends)) {
            throw new CliFailure(CliFailure.FAILED, "nothing was changed", "");
        }
        int code = choose("adopt", adopts);
        code = Math.max(code, choose("keep", keeps));
        code = Math.max(code, choose("end", ends));
        if (release) {
            head().post("/recovery", new RecoveryOrder("release", ""));
        }
        var answer = head().get("/recovery");
        int shown = json ? showJson(answer) : show(page(HeadClient.read(answer, RecoveryView.class)));
        return Math.max(code, shown);
    }

    private boolean confirmed(RecoveryView found, List<String> ends) {
        if (!yes) {
            for (var machine : found.machines()) {
                if (ends.contains(machine.id())) {
                    err().println("end "
                            + plain(machine.id() + " " + machine.role() + " " + machine.offering() + " of "
                                    + machine.owner() + ": what runs on it is lost"));
                }
            }
            err().flush();
        }
        return confirmation.isGiven(yes, "End these " + ends.size() + "?", out());
    }

    private int choose(String choice, List<String> machines) {
        return each(machines, id -> head().post("/recovery", new RecoveryOrder(choice, id)));
    }

    private static List<String> chosen(List<String> named, RecoveryView found, Predicate<RecoveryView.Machine> all) {
        var ids = new ArrayList<String>();
        for (var name : named) {
            if (name.equals(ALL)) {
                found.machines().stream()
                        .filter(all)
                        .map(RecoveryView.Machine::id)
                        .forEach(ids::add);
            } else if (found.machines().stream().anyMatch(one -> one.id().equals(name))) {
                ids.add(name);
            } else {
                throw new CliFailure(
                        CliFailure.BAD_INPUT,
                        "no machine '" + plain(name) + "' that the journal does not know; nothing was changed",
                        "'spillway recover' lists them");
            }
        }
        return ids;
    }

    static String page(RecoveryView view) {
        var head = view.quarantined()
                ? "Quarantine: what the journal does not know is neither ended nor forgotten.\n"
                : "No quarantine.\n";
        if (view.machines().isEmpty()) {
            return head + "The journal knows all that runs.\n";
        }
        var table = new Table(
                "ID",
                "ROLE",
                "OFFERING",
                "STATE",
                "EPOCH",
                "OWNER",
                "LAUNCHED",
                "PRICE/H",
                "COST",
                "CAN BECOME",
                "WHY");
        for (var one : view.machines()) {
            table.row(
                    one.id(),
                    one.role(),
                    one.offering(),
                    one.state(),
                    one.epoch() == 0 ? "" : one.epoch(),
                    one.owner(),
                    Pages.CLOCK.format(one.launchedAt()),
                    one.pricePerHour(),
                    one.accrued(),
                    one.adoptable(),
                    one.cause().text()
                            + (one.obstacle().text().isEmpty()
                                    ? ""
                                    : "; " + one.obstacle().text()));
        }
        return head + "\n" + table + "\nCost of machines that the journal does not know: " + view.accrued() + "\n";
    }

    private static String plain(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }
}
