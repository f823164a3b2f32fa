package org.spillway.cli;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.spillway.api.SpendPartsView;
import org.spillway.api.SpendPartsView.PartView;
import org.spillway.policy.Money;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "spend",
        description = {
            "Shows what has been spent in this period, and for whom: jobs, idle nodes,",
            "directors, storage, results that left their site, clusters that have ended."
        },
        footer = {"", "Examples:", "  spillway spend", "  spillway spend --by account"})
final class SpendCommand extends ReadingCommand {
    /** Sums by one thing. */
    enum By {
        part(PartView::part),
        site(PartView::site),
        user(PartView::user),
        account(PartView::account),
        project(PartView::project);

        private final Function<PartView, String> name;

        By(Function<PartView, String> name) {
            this.name = name;
        }
    }

    @Option(
            names = "--by",
            paramLabel = "part|site|user|account|project",
            description = "One line for each of these; without it, all lines.")
    By by;

    @Override
    protected String path() {
        return "/spend/parts";
    }

    @Override
    protected String page(HeadClient head) {
        SpendPartsView spend = head.get(path(), SpendPartsView.class);
        Table table = by == null ? all(spend) : sums(spend, by);
        return table + "\nSpent this " + spend.period() + ": " + spend.total() + " " + spend.currency() + "\n";
    }

    private static Table all(SpendPartsView spend) {
        Table table = new Table("PART", "SITE", "OWNER", "ACCOUNT", "PROJECT", "AMOUNT");
        for (PartView part : spend.parts()) {
            table.row(part.part(), part.site(), owner(part), part.account(), part.project(), part.amount());
        }
        return table;
    }

    private static Table sums(SpendPartsView spend, By by) {
        Map<String, Money> sums = new TreeMap<>();
        for (PartView part : spend.parts()) {
            String name = by == By.user ? owner(part) : by.name.apply(part);
            sums.merge(name, part.amount(), Money::plus);
        }
        Table table = new Table(by.name().toUpperCase(java.util.Locale.ROOT), "AMOUNT");
        sums.forEach(table::row);
        return table;
    }

    private static String owner(PartView part) {
        return part.user().isEmpty() ? "site" : part.user();
    }
}
