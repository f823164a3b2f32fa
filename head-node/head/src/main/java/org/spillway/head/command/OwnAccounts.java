package org.spillway.head.command;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.spillway.api.OfferingView;
import org.spillway.api.OperationOrder;
import org.spillway.api.OperationView;
import org.spillway.cli.CliFailure;
import org.spillway.cloud.CloudDriver;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Site;
import org.spillway.head.audit.Books;
import org.spillway.head.audit.Owned;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.JournalFailure;
import org.spillway.head.journal.JournalGlance;
import org.spillway.head.service.AccountViews;
import org.spillway.head.service.Bookkeeping;
import org.spillway.head.service.FamilyBill;
import org.spillway.head.service.SiteDesk;
import org.spillway.policy.Offering;

/**
 * Without a head: the drivers are opened here, the journal is read and not written, and while something changes no head
 * can start.
 */
record OwnAccounts(HeadConfig config, Map<String, CloudDriver> drivers) implements Accounts {
    @Override
    public List<String> sites() {
        return List.copyOf(config.sites().keySet());
    }

    private Site open(String name) {
        var site = config.sites().get(name);
        var driver = site == null ? null : drivers.get(site.driver());
        if (site == null || driver == null) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT, "there is no site '" + name + "'", "sites: " + String.join(", ", sites()));
        }
        return driver.open(site.settings());
    }

    @Override
    public List<OfferingView> offerings(List<String> wanted) {
        var views = new ArrayList<OfferingView>();
        for (var name : wanted.isEmpty() ? sites() : wanted) {
            try (var site = open(name)) {
                site.compute().offerings().stream()
                        .sorted(Comparator.comparing(Offering::id))
                        .forEach(offering -> views.add(AccountViews.offering(offering, "", null)));
            } catch (CloudException failure) {
                throw new CliFailure(
                        CliFailure.FAILED,
                        "site " + name + ": " + failure.getMessage(),
                        "'spillway doctor " + name + "' says more");
            }
        }
        return views;
    }

    @Override
    public OperationView run(OperationOrder order, Consumer<String> progress) throws InterruptedException {
        var notes = new ArrayList<String>();
        var begun = Instant.now();
        refuseWithoutJournal(order);
        var children = new LinkedHashMap<String, Site>();
        try (var site = open(order.site());
                var kept = order.kind().equals("audit") ? null : JournalGlance.keepHeadsOut(config.state())) {
            openChildren(order.site(), children);
            var desk = new SiteDesk(
                    config.cluster(),
                    order.site(),
                    config.sites().keySet(),
                    new FamilyBill(site, () -> children),
                    () -> JournalGlance.at(config.state())
                            .map(glance -> Bookkeeping.of(glance, order.site()))
                            .orElse(Books.EMPTY));
            return view(order, "DONE", "", begun, notes, run(desk, order, progress, notes));
        } catch (CloudException | SiteDesk.Unable failure) {
            return view(order, "FAILED", String.valueOf(failure.getMessage()), begun, notes, List.of());
        } catch (JournalFailure | IOException failure) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "without a head the journal tells who owns what, but: " + failure.getMessage(),
                    "ask as root or as the user that the head runs as");
        } finally {
            children.values().forEach(Site::close);
        }
    }

    /** A site's account under the name of each cluster on demand that lives there. */
    private void openChildren(String name, Map<String, Site> children) {
        var site = config.sites().get(name);
        var driver = site == null ? null : drivers.get(site.driver());
        if (site == null || driver == null) {
            return;
        }
        for (var entry :
                JournalGlance.at(config.state()).map(JournalGlance::live).orElse(List.of())) {
            if (entry instanceof ClusterRecord child && child.spec().site().equals(name)) {
                children.put(child.id(), driver.open(site.settings().withCluster(child.id())));
            }
        }
    }

    /** Without a journal everything looks forgotten: a copy of the configuration elsewhere must not end a running fleet. */
    private void refuseWithoutJournal(OperationOrder order) {
        boolean deletes = order.kind().equals("delete") || order.kind().equals("delete-network");
        if (deletes && !JournalGlance.isThere(config.state())) {
            throw new CliFailure(
                    CliFailure.FAILED,
                    "there is no journal in " + config.state()
                            + ", so nobody can tell what is in use: nothing was deleted",
                    "run this where the head runs, with its state directory; start 'spillway serve' once if this is a"
                            + " new one");
        }
    }

    private static List<Owned> run(SiteDesk desk, OperationOrder order, Consumer<String> progress, List<String> notes)
            throws CloudException, SiteDesk.Unable, InterruptedException {
        return switch (order.kind()) {
            case "audit" -> desk.audit();
            case "delete" -> desk.delete(order.things(), progress, notes::add);
            case "create-network" -> desk.createNetwork();
            case "delete-network" -> {
                desk.deleteNetwork();
                yield desk.auditIfItCan();
            }
            default -> throw new IllegalArgumentException(order.kind());
        };
    }

    private static OperationView view(
            OperationOrder order, String state, String message, Instant begun, List<String> notes, List<Owned> things) {
        return new OperationView(
                "",
                order.kind(),
                order.site(),
                state,
                message,
                begun,
                notes,
                things.stream().map(AccountViews::thing).toList());
    }
}
