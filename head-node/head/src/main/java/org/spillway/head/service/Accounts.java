package org.spillway.head.service;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.OfferingView;
import org.spillway.api.OperationOrder;
import org.spillway.api.OperationView;
import org.spillway.cloud.Site;
import org.spillway.head.cause.SiteCause.SiteFact;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.rest.SiteApi;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;

/** The accounts behind the sites of a running head: it alone knows the journal. */
final class Accounts implements SiteApi {
    private final HeadConfig config;
    private final Map<String, Site> sites;
    private final Function<String, Map<String, Site>> children;
    private final Journal journal;
    private final Loop loop;
    private final LoopRunner runner;
    private final Operations operations;
    private final InstantSource clock;

    /** @param children a site's account under the name of each of its clusters on demand */
    Accounts(
            HeadConfig config,
            Map<String, Site> sites,
            Function<String, Map<String, Site>> children,
            Journal journal,
            Loop loop,
            LoopRunner runner,
            Operations operations,
            InstantSource clock) {
        this.config = config;
        this.sites = Map.copyOf(sites);
        this.children = children;
        this.journal = journal;
        this.loop = loop;
        this.runner = runner;
        this.operations = operations;
        this.clock = clock;
    }

    @Override
    public List<OfferingView> offerings(List<String> wanted) {
        wanted.forEach(this::known);
        Instant now = clock.instant();
        Map<OfferingId, OfferingStatus> health = loop.offeringHealth(now);
        List<OfferingView> views = new ArrayList<>();
        for (String site : wanted.isEmpty() ? config.sites().keySet() : new TreeSet<>(wanted)) {
            String unusable = loop.unusable(site).text();
            for (Offering offering : inOrder(loop.offerings(site))) {
                views.add(view(offering, Optional.ofNullable(health.get(offering.id())), unusable, now));
            }
        }
        return views;
    }

    static List<Offering> inOrder(List<Offering> offerings) {
        return offerings.stream().sorted(Comparator.comparing(Offering::id)).toList();
    }

    /** @param unusable why the site cannot be used; empty when it can */
    static OfferingView view(Offering offering, Optional<OfferingStatus> status, String unusable, Instant now) {
        Optional<OfferingStatus> waits = status.filter(one -> !one.mayLaunchAt(now));
        String reason = waits.map(OfferingStatus::reason).orElse("good");
        return AccountViews.offering(
                offering,
                unusable.isEmpty() ? reason : unusable,
                waits.flatMap(OfferingStatus::retryAt).orElse(null));
    }

    private Site known(String site) {
        Site opened = sites.get(site);
        if (opened == null) {
            throw new ApiException(
                    Code.NOT_FOUND, "there is no site '" + site + "'", "sites: " + String.join(", ", sites.keySet()));
        }
        return opened;
    }

    @Override
    public OperationView begin(OperationOrder order) {
        String site = order.site();
        SiteDesk desk = new SiteDesk(
                config.cluster(),
                site,
                config.sites().keySet(),
                new FamilyBill(known(site), () -> children.apply(site)),
                () -> Bookkeeping.of(journal, site, clock.instant()));
        return operations.begin(
                order.kind(),
                site,
                switch (order.kind()) {
                    case "audit" -> operation -> desk.audit();
                    case "delete" -> operation -> desk.delete(order.things(), operation::progress, operation::note);
                    case "create-network" ->
                        operation -> {
                            try {
                                return desk.createNetwork();
                            } finally {
                                lookAgain(site);
                            }
                        };
                    case "delete-network" -> deletion(desk, site);
                    default -> throw new IllegalArgumentException(order.kind());
                });
    }

    @Override
    public OperationView operation(String id) {
        return operations.get(id);
    }

    /** Nothing is bought there from the moment at which it was seen to be empty. */
    private Operations.Work deletion(SiteDesk desk, String site) {
        try {
            desk.needNetwork();
        } catch (SiteDesk.Unable none) {
            throw new ApiException(Code.CONFLICT, String.valueOf(none.getMessage()), "");
        }
        occupied(site).ifPresent(why -> {
            throw new ApiException(
                    Code.CONFLICT,
                    "the network of site " + site + " is in use: " + why,
                    "end them first: spillway node remove NODE, or spillway stop --release");
        });
        return operation -> {
            Optional<String> meanwhile = runner.ask(now -> {
                Optional<String> why = occupied(site);
                if (why.isEmpty()) {
                    loop.closeSite(site, SiteFact.NETWORK_BEING_DELETED);
                }
                return why;
            });
            if (meanwhile.isPresent()) {
                throw new SiteDesk.Unable("the network is in use: " + meanwhile.get());
            }
            try {
                desk.deleteNetwork();
                return desk.auditIfItCan();
            } finally {
                lookAgain(site);
            }
        };
    }

    private Optional<String> occupied(String site) {
        return SiteDesk.occupied(Bookkeeping.of(journal, site, clock.instant()));
    }

    private void lookAgain(String site) {
        runner.ask(now -> {
            loop.openSite(site);
            return true;
        });
    }
}
