package org.spillway.head.command;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.spillway.api.Json;
import org.spillway.api.OperationOrder;
import org.spillway.api.OperationOrder.ThingName;
import org.spillway.api.OperationView;
import org.spillway.api.OperationView.ThingView;
import org.spillway.cli.CliFailure;
import org.spillway.cli.Confirmation;
import org.spillway.cli.Table;
import org.spillway.head.config.Installed;
import org.spillway.policy.Money;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "audit",
        description = {
            "Lists everything on the providers' bills with its owner: a node, a user, a network, or none.",
            "Asks the head, which knows what it bought; where none answers, its journal is read (--config, or"
                    + " ./spillway.yaml).",
            "Exit code 1 when something without owner is left, or named by --only, or a bill could not be read."
        },
        sortOptions = false,
        footer = {
            "",
            "Examples:",
            "  spillway audit",
            "  spillway audit aws-east --delete",
            "  spillway audit aws-east --delete --only vol-0a1b2c --yes --json"
        })
final class AuditCommand extends AccountCommand {
    private final Confirmation confirmation;

    @Option(names = "--delete", description = "Delete what has no owner, after asking.")
    boolean delete;

    @Option(
            names = "--only",
            paramLabel = "ID",
            description = "Delete only this, and also when it cannot be tagged; may be repeated.")
    List<String> only = new ArrayList<>();

    @Option(names = "--yes", description = "Do not ask, for scripts.")
    boolean yes;

    @Parameters(arity = "0..*", paramLabel = "SITE", description = "Sites; all unless given.")
    List<String> sites = List.of();

    AuditCommand(Supplier<Installed> installed) {
        this(installed, Confirmation.STANDARD);
    }

    AuditCommand(Supplier<Installed> installed, Confirmation confirmation) {
        super(installed);
        this.confirmation = confirmation;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (!only.isEmpty() && !delete) {
            throw new CliFailure(CliFailure.BAD_INPUT, "--only says what to delete", "say --delete too");
        }
        var accounts = accounts();
        var bills = bills(accounts, chosen(sites, accounts.sites()));
        if (delete) {
            bills = afterDeleting(accounts, bills);
        }
        show(json ? Json.writeIndented(report(bills)) + "\n" : page(bills));
        boolean clean = bills.stream().allMatch(bill -> bill.state().equals("DONE"))
                && bills.stream().flatMap(bill -> bill.things().stream()).noneMatch(this::isLeft);
        return clean ? 0 : CliFailure.FAILED;
    }

    /** A thing that should not be there at the end: an orphan, or one that was named for deletion. */
    private boolean isLeft(ThingView thing) {
        return isOrphan(thing) || (delete && isMeant(thing));
    }

    private List<OperationView> bills(Accounts accounts, List<String> wanted) throws InterruptedException {
        return all(
                wanted,
                site -> accounts.run(new OperationOrder("audit", site, List.of()), progressOf("reading bills")));
    }

    /** A task for one site. */
    private interface Operation {
        OperationView of(String site) throws InterruptedException;
    }

    /** All at the same time, in their order. */
    private List<OperationView> all(List<String> wanted, Operation operation) throws InterruptedException {
        var answers = new ArrayList<AtomicReference<@Nullable OperationView>>();
        var refused = new AtomicReference<@Nullable CliFailure>();
        var threads = new ArrayList<Thread>();
        for (var site : wanted) {
            var answer = new AtomicReference<@Nullable OperationView>();
            answers.add(answer);
            threads.add(Thread.ofVirtual().start(() -> {
                try {
                    answer.set(operation.of(site));
                } catch (CliFailure failure) {
                    refused.compareAndSet(null, failure);
                } catch (InterruptedException stop) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        for (var thread : threads) {
            thread.join();
        }
        progress("");
        var failure = refused.get();
        if (failure != null) {
            throw failure;
        }
        var views = new ArrayList<OperationView>();
        for (var answer : answers) {
            var view = answer.get();
            if (view == null) {
                throw new CliFailure(CliFailure.FAILED, "a bill was not read", "look at the messages above");
            }
            views.add(view);
        }
        return views;
    }

    private List<OperationView> afterDeleting(Accounts accounts, List<OperationView> bills)
            throws InterruptedException {
        var doomed = new LinkedHashMap<String, List<ThingView>>();
        for (var bill : bills) {
            var things = bill.things().stream().filter(this::isMeant).toList();
            if (!things.isEmpty()) {
                doomed.put(bill.site(), things);
            }
        }
        refuseWhatIsNotThere(bills);
        if (doomed.isEmpty()) {
            return bills;
        }
        var what = doomed.values().stream().flatMap(List::stream).toList();
        var page = new StringBuilder("To be deleted:\n\n");
        var table = new Table("SITE", "KIND", "ID", "PER HOUR", "WHY");
        doomed.forEach((site, things) ->
                things.forEach(one -> table.row(site, one.kind(), one.id(), one.pricePerHour(), one.why())));
        page.append(table).append("\nThis saves ").append(sum(what)).append(" per hour.\n");
        (json ? err() : out()).print(page);
        (json ? err() : out()).flush();
        if (!confirmation.isGiven(yes, "Delete " + what.size() + (what.size() == 1 ? " thing?" : " things?"), err())) {
            throw new CliFailure(CliFailure.FAILED, "nothing was deleted", "");
        }
        return all(
                bills.stream().map(OperationView::site).toList(),
                site -> accounts.run(order(site, doomed.getOrDefault(site, List.of())), progressOf("site " + site)));
    }

    private static OperationOrder order(String site, List<ThingView> things) {
        return new OperationOrder(
                things.isEmpty() ? "audit" : "delete",
                site,
                things.stream().map(one -> new ThingName(one.kind(), one.id())).toList());
    }

    private boolean isMeant(ThingView thing) {
        return only.isEmpty()
                ? isOrphan(thing)
                : only.contains(thing.id()) && !thing.verdict().equals("OWNED");
    }

    private void refuseWhatIsNotThere(List<OperationView> bills) {
        for (var id : new LinkedHashSet<>(only)) {
            var found = bills.stream()
                    .flatMap(bill -> bill.things().stream())
                    .filter(thing -> thing.id().equals(id))
                    .findFirst();
            if (found.isEmpty()) {
                throw new CliFailure(CliFailure.BAD_INPUT, "--only: nothing on these bills has the id " + id, "");
            }
            if (found.get().verdict().equals("OWNED")) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT,
                        "--only: " + found.get().kind() + " " + id + " belongs to "
                                + found.get().owner(),
                        "nothing with an owner is deleted");
            }
        }
    }

    private static boolean isOrphan(ThingView thing) {
        return thing.verdict().equals("ORPHAN");
    }

    private static Money sum(List<ThingView> things) {
        return things.stream().map(ThingView::pricePerHour).reduce(Money.ZERO, Money::plus);
    }

    static String page(List<OperationView> bills) {
        var page = new StringBuilder();
        var table = new Table("SITE", "KIND", "ID", "PER HOUR", "OWNER");
        boolean any = false;
        for (var bill : bills) {
            for (var one : bill.things()) {
                any = true;
                table.row(bill.site(), one.kind(), one.id(), one.pricePerHour(), whose(one));
            }
        }
        if (any) {
            page.append(table).append('\n');
        }
        for (var bill : bills) {
            bill.notes().forEach(note -> page.append("site " + bill.site() + ": " + plain(note) + "\n"));
            page.append("site ")
                    .append(bill.site())
                    .append(": ")
                    .append(total(bill))
                    .append('\n');
        }
        if (bills.size() > 1) {
            var things = bills.stream().flatMap(bill -> bill.things().stream()).toList();
            page.append("all: ").append(total(things)).append('\n');
        }
        return page.toString();
    }

    private static String whose(ThingView thing) {
        return switch (thing.verdict()) {
            case "ORPHAN" -> "ORPHAN: " + thing.why();
            case "UNMARKED" -> "? " + thing.why();
            default -> thing.owner();
        };
    }

    private static String total(OperationView bill) {
        return bill.state().equals("DONE")
                ? total(bill.things())
                : "its bill could not be read: " + plain(bill.message());
    }

    private static String total(List<ThingView> things) {
        var orphans = orphans(things);
        return things.size() + (things.size() == 1 ? " thing, " : " things, ") + sum(things) + " per hour; "
                + (orphans.isEmpty()
                        ? "nothing without owner"
                        : orphans.size() + " without owner, " + sum(orphans) + " per hour");
    }

    private static String plain(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }

    /** For programs. */
    record Report(int count, Money pricePerHour, int orphans, Money orphansPricePerHour, List<SiteBill> sites) {}

    /** @param state {@code DONE}, or {@code FAILED} with a message */
    record SiteBill(
            String site,
            String state,
            String message,
            int count,
            Money pricePerHour,
            int orphans,
            Money orphansPricePerHour,
            List<String> notes,
            List<ThingView> things) {}

    static Report report(List<OperationView> bills) {
        var all = bills.stream().flatMap(bill -> bill.things().stream()).toList();
        var orphans = orphans(all);
        return new Report(
                all.size(),
                sum(all),
                orphans.size(),
                sum(orphans),
                bills.stream().map(AuditCommand::bill).toList());
    }

    private static SiteBill bill(OperationView bill) {
        var orphans = orphans(bill.things());
        return new SiteBill(
                bill.site(),
                bill.state(),
                bill.message(),
                bill.things().size(),
                sum(bill.things()),
                orphans.size(),
                sum(orphans),
                bill.notes(),
                bill.things());
    }

    private static List<ThingView> orphans(List<ThingView> things) {
        return things.stream().filter(AuditCommand::isOrphan).toList();
    }
}
