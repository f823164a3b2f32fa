package org.spillway.head.command;

import java.util.List;
import java.util.function.Supplier;
import org.spillway.api.Json;
import org.spillway.api.OperationOrder;
import org.spillway.api.OperationView;
import org.spillway.api.OperationView.ThingView;
import org.spillway.cli.CliFailure;
import org.spillway.cli.CommandGroup;
import org.spillway.cli.Confirmation;
import org.spillway.cli.Table;
import org.spillway.head.config.Installed;
import org.spillway.policy.Money;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "site",
        description = "Makes what a site needs before its first instance, and removes it, for administrators.",
        footer = {"", "Examples:", "  spillway site create aws-east", "  spillway site delete aws-east --yes"})
final class SiteCommand extends CommandGroup {
    private static final String OWNER = "network of the site";

    /** With its subcommands. */
    static CommandLine commandLine(Supplier<Installed> installed) {
        var line = new CommandLine(new SiteCommand());
        line.addSubcommand("create", new Create(installed, Confirmation.STANDARD));
        line.addSubcommand("delete", new Delete(installed, Confirmation.STANDARD));
        return line;
    }

    /** Options that both have in common. */
    abstract static class Change extends AccountCommand {
        private final Confirmation confirmation;

        @Option(names = "--yes", description = "Do not ask, for scripts.")
        boolean yes;

        @Parameters(index = "0", paramLabel = "SITE", description = "A site of the configuration.")
        String site = "";

        Change(Supplier<Installed> installed, Confirmation confirmation) {
            super(installed);
            this.confirmation = confirmation;
        }

        void confirm(String question) {
            if (!confirmation.isGiven(yes, question, err())) {
                throw new CliFailure(CliFailure.FAILED, "nothing was changed", "");
            }
        }

        Accounts accountsOfSite() {
            var accounts = accounts();
            chosen(List.of(site), accounts.sites());
            return accounts;
        }

        OperationView done(Accounts accounts, String kind) throws InterruptedException {
            var operation = accounts.run(
                    new OperationOrder(kind, site, List.of()), progressOf(kind.replace('-', ' ') + " of site " + site));
            progress("");
            if (!operation.state().equals("DONE")) {
                throw new CliFailure(
                        CliFailure.FAILED,
                        "site " + site + ": " + operation.message(),
                        "it may be repeated; 'spillway audit " + site + "' shows what is there");
            }
            return operation;
        }

        static String page(List<ThingView> things) {
            var table = new Table("KIND", "ID", "PER HOUR");
            things.forEach(one -> table.row(one.kind(), one.id(), one.pricePerHour()));
            return table.toString();
        }

        static Money sum(List<ThingView> things) {
            return things.stream().map(ThingView::pricePerHour).reduce(Money.ZERO, Money::plus);
        }
    }

    @Command(
            name = "create",
            description = {
                "Makes what a site's region needs: network, routes, egress, rules that admit only head, director and"
                        + " peers, key. What is there already stays. Prints each thing with its cost per hour.",
                "May be repeated after a failure, and then finishes the work."
            },
            footer = {"", "Example:", "  spillway site create aws-east"})
    static final class Create extends Change {
        Create(Supplier<Installed> installed, Confirmation confirmation) {
            super(installed, confirmation);
        }

        @Override
        public Integer call() throws InterruptedException {
            var accounts = accountsOfSite();
            confirm("Site " + site
                    + " gets a network of its own in the provider's account; some of it, such as a gateway,"
                    + " costs money while it is there.");
            var operation = done(accounts, "create-network");
            return show(
                    json
                            ? Json.writeIndented(operation) + "\n"
                            : page(operation.things()) + "\nThe network of site " + site + " costs "
                                    + sum(operation.things()) + " per hour until 'spillway site delete " + site
                                    + "'.\n");
        }
    }

    @Command(
            name = "delete",
            description = {
                "Removes all that 'site create' made for a site. Refused while nodes live there.",
                "May be repeated after a failure, and then finishes the work."
            },
            footer = {"", "Example:", "  spillway site delete aws-east"})
    static final class Delete extends Change {
        Delete(Supplier<Installed> installed, Confirmation confirmation) {
            super(installed, confirmation);
        }

        @Override
        public Integer call() throws InterruptedException {
            var accounts = accountsOfSite();
            var before = accounts.run(new OperationOrder("audit", site, List.of()), progressOf("reading its bill"));
            progress("");
            var things = network(before);
            if (!things.isEmpty()) {
                (json ? err() : out()).print(page(things));
                (json ? err() : out()).flush();
            }
            confirm("The network of site " + site + " is deleted, " + things.size() + " things; this saves "
                    + sum(things) + " per hour.");
            var operation = done(accounts, "delete-network");
            var left = network(operation);
            show(json ? Json.writeIndented(operation) + "\n" : left(left));
            return left.isEmpty() ? 0 : CliFailure.FAILED;
        }

        private String left(List<ThingView> left) {
            return left.isEmpty()
                    ? "Nothing is left of the network of site " + site + ".\n"
                    : "\nStill there:\n" + page(left);
        }

        private static List<ThingView> network(OperationView bill) {
            return bill.things().stream()
                    .filter(one -> one.owner().equals(OWNER))
                    .toList();
        }
    }
}
