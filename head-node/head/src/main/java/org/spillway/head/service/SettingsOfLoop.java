package org.spillway.head.service;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.spillway.cloud.Site;
import org.spillway.director.wire.Forwards;
import org.spillway.director.wire.Isolation;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.doctor.SiteExam;
import org.spillway.head.forward.HomeForward;
import org.spillway.head.loop.money.BudgetPeriod;
import org.spillway.head.loop.settings.IdleNodes;
import org.spillway.head.loop.settings.LoopSettings;
import org.spillway.head.loop.settings.Markets;
import org.spillway.head.loop.settings.Roles;
import org.spillway.head.loop.settings.SitePlan;
import org.spillway.head.loop.settings.StandingCapacity;
import org.spillway.policy.HasIdleTime;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.builtin.ChainPolicy;

/** The configuration as the loop obeys it. */
record SettingsOfLoop(HeadConfig config) {
    /** Ends the key of a type's price while it is stopped. */
    static final String STOPPED_PRICE = "/stopped";

    private static final int MAX_ATTEMPTS = 5;
    private static final Duration MARGIN = Duration.ofSeconds(20);
    private static final Duration ENDING = Duration.ofMinutes(2);
    private static final Duration IDLE_UNKNOWN = Duration.ofMinutes(5);

    /** For the checks of one site: some are several calls to a provider that may be slow. */
    private static final Duration LOOK = Duration.ofMinutes(1);

    /** @param opened by name, each that the configuration has */
    LoopSettings with(Map<String, Site> opened) {
        Map<String, SitePlan> plans = new LinkedHashMap<>();
        config.sites().forEach((name, site) -> plans.put(name, plan(site, Objects.requireNonNull(opened.get(name)))));
        return new LoopSettings(
                config.cluster(),
                new LoopSettings.Lease(config.lease(), MARGIN),
                new LoopSettings.Spending(
                        config.budget().limit(),
                        BudgetPeriod.valueOf(config.budget().period().name()),
                        config.timeZone(),
                        idleTime(),
                        ENDING),
                MAX_ATTEMPTS,
                plans,
                new LoopSettings.Planning(
                        new Timetable(config.scaler().schedule(), config.timeZone())::open,
                        config.breakers(),
                        config.scaler().dryRun()),
                new LoopSettings.Limits(
                        config.limits(),
                        config.shares().orElse(null),
                        config.staging().perUserBytes(),
                        config.submissions()),
                roles(),
                markets());
    }

    private Markets markets() {
        Map<String, Set<Market>> allowed = new LinkedHashMap<>();
        Map<String, List<String>> places = new LinkedHashMap<>();
        config.queues().forEach((name, queue) -> {
            allowed.put(name, queue.markets());
            places.put(name, queue.sites());
        });
        return Markets.of(allowed, places);
    }

    /** Jobs of another manager are kept apart by that: what a node of it lacks is told and not judged. */
    private Isolation isolation(HeadConfig.Site site) {
        boolean own = config.workload().foreign().isEmpty();
        return own || site.isolation() != Isolation.REQUIRED ? site.isolation() : Isolation.PREFERRED;
    }

    private SitePlan plan(HeadConfig.Site site, Site opened) {
        HeadConfig.Director director = site.director();
        return new SitePlan(
                site.name(),
                new SitePlan.Provider(
                        opened.compute(),
                        opened.power(),
                        Optional.of(new SiteExam(opened, config.needs(site), LOOK)),
                        opened.console(),
                        new SitePlan.Calls(opened.rateLimits(), opened.calls())),
                new SitePlan.Director(
                        director.type(),
                        director.market(),
                        director.zone(),
                        director.image(),
                        director.idle(),
                        director.at().map(at -> new SitePlan.Given(at.address(), at.sshPort(), at.hostKey())),
                        director.trialBudget().orElse(null)),
                new SitePlan.Nodes(
                        site.maxNodes(),
                        site.nodeImage(),
                        site.registration(),
                        config.kept(site).stream()
                                .map(keep -> new StandingCapacity(keep.type(), keep.count(), keep.powered()))
                                .toList(),
                        new IdleNodes(
                                site.idle().stop(),
                                site.idle().stoppedFor(),
                                stoppedPrices(site.settings().prices())),
                        isolation(site),
                        site.mounts(),
                        site.reach(),
                        new Forwards(
                                site.forwards().stream().map(HomeForward::told).toList())),
                site.home(),
                site.owner(),
                site.priority(),
                site.egressPerGigabyte());
    }

    private Roles roles() {
        Map<String, Roles.Category> categories = new LinkedHashMap<>();
        config.roles()
                .categories()
                .forEach((name, category) -> categories.put(
                        name,
                        new Roles.Category(
                                Set.copyOf(category.queues()),
                                category.types(),
                                category.overlays(),
                                category.change(),
                                category.rollout(),
                                category.drift())));
        return new Roles(
                categories, config.roles().overlays().keySet(), config.roles().rest());
    }

    /** Of what the configuration says that a site pays, that for a type while it is stopped. */
    private static Map<String, Money> stoppedPrices(Map<String, Money> prices) {
        Map<String, Money> stopped = new LinkedHashMap<>();
        prices.forEach((key, price) -> {
            if (key.endsWith(STOPPED_PRICE)) {
                stopped.put(key.substring(0, key.length() - STOPPED_PRICE.length()), price);
            }
        });
        return stopped;
    }

    /** Of the policy's settings; its price is reserved with each node. */
    private Duration idleTime() {
        return switch (config.scaler().settings()) {
            case ChainPolicy.Settings chain -> chain.longestIdle().orElse(IDLE_UNKNOWN);
            case HasIdleTime settings -> settings.idleTime();
            default -> IDLE_UNKNOWN;
        };
    }
}
