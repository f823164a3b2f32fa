package org.spillway.head.service;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import org.spillway.cloud.Site;
import org.spillway.head.bootstrap.HeadPlan;
import org.spillway.head.bootstrap.RemoteHead;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.link.DirectorSessions;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.loop.port.Effects;
import org.spillway.head.ondemand.Approvers;
import org.spillway.head.ondemand.ChildFiles;
import org.spillway.head.ondemand.Clusters;
import org.spillway.head.ondemand.Commanders;
import org.spillway.head.ondemand.Estate;
import org.spillway.head.ondemand.HomeJobs;
import org.spillway.head.ondemand.Homecoming;
import org.spillway.head.ondemand.JournalAllowances;
import org.spillway.head.ondemand.Notices;
import org.spillway.head.ondemand.SshChildren;
import org.spillway.head.ondemand.Vacancy;
import org.spillway.head.ondemand.broker.Brokered;
import org.spillway.head.staging.ResultsHome;
import org.spillway.head.tenant.ChildManager;
import org.spillway.head.tenant.WorkloadTenants;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.policy.Money;

/** Puts together what makes clusters on demand: the broker, the way to the children's heads, and their part of the loop. */
final class OnDemand implements AutoCloseable {
    private final HeadConfig config;
    private final Path headDistribution;
    private final Path directorDistribution;
    private final Brokered brokered;
    private final Journal journal;
    private final ChildAccounts childSites;
    private final InstantSource clock;
    private final LaunchAhead ahead;
    final SshChildren children;
    final Clusters clusters;

    /**
     * @param opening of a site with other settings
     * @throws IOException if the broker has no port
     */
    OnDemand(
            HeadConfig config,
            Journal journal,
            Loop loop,
            LoopRunner runner,
            Effects effects,
            SiteAuthority authority,
            DirectorSessions sessions,
            Function<HeadConfig.Site, Site> opening,
            Distributions distributions,
            Optional<Notices.Post> post,
            HomeFiles files,
            Approvers approvers,
            InstantSource clock)
            throws IOException {
        this.config = config;
        this.journal = journal;
        this.clock = clock;
        this.headDistribution = distributions.head();
        this.directorDistribution = distributions.director();
        this.childSites = new ChildAccounts((cluster, name) -> opening.apply(underName(config, cluster, name)), clock);
        JournalAllowances allowances = new JournalAllowances(journal, authority, clock);
        this.brokered = Brokered.open(
                authority.brokerTls(),
                allowances,
                childSites,
                new LoopLedger(loop, runner, journal),
                clock,
                Brokered.Times.USUAL);
        this.ahead = new LaunchAhead(
                config.state().resolve("ahead"),
                childSites,
                this::registration,
                config.breakers().unproven(),
                config.clusters().markets(),
                (id, request) -> brokered.launch(() -> allowances.ahead(id), request),
                clock);
        this.children = new SshChildren(
                authority, sessions, new RemoteHead(System.getProperty("java.home", "")), brokered::port, new Parts());
        Homecoming homecoming = Homecoming.of(
                journal,
                effects,
                new HomeJobs(children, files.results(), files.groups()),
                config.clusters().resultsWithin(),
                clock::instant);
        this.clusters = new Clusters(
                journal,
                effects,
                children,
                childSites,
                new Bought(loop),
                site -> loop.directorOffering(site).map(offering -> new Clusters.HeadOffer(offering, image(site))),
                request -> request.withUserData(authority.renderSecrets(request.userData())),
                (site, type) -> Optional.ofNullable(config.sites().get(site))
                        .map(its -> its.settings().prices().get(type + SettingsOfLoop.STOPPED_PRICE)),
                homecoming::isOver,
                clock::instant);
        // Before the clusters: a warning is written down before the end that it warns of.
        loop.add(Notices.of(config, journal, effects, post, clusters::spent, approvers, clock));
        loop.add(homecoming);
        loop.add(clusters);
        loop.add(new Commanders(journal, effects, children, loop::rivals, loop::nextDirective));
    }

    /**
     * @param head folder of the head's jars
     * @param director folder of the director's
     */
    record Distributions(Path head, Path director) {}

    /** @param groups supplementary groups of a login name */
    record HomeFiles(ResultsHome results, Function<String, List<Integer>> groups) {}

    private String image(String site) {
        return Optional.ofNullable(config.sites().get(site))
                .map(its -> its.director().image().isEmpty()
                        ? its.nodeImage()
                        : its.director().image())
                .orElse("");
    }

    private static HeadConfig.Site underName(HeadConfig config, String cluster, String name) {
        HeadConfig.Site site = config.sites().get(name);
        if (site == null) {
            throw new IllegalArgumentException("there is no site '" + name + "'");
        }
        var settings = site.settings();
        return new HeadConfig.Site(
                site.name(),
                site.driver(),
                site.maxNodes(),
                site.registration(),
                site.director(),
                site.nodeImage(),
                site.isolation(),
                site.mounts(),
                site.reach(),
                site.forwards(),
                site.home(),
                site.keep(),
                site.idle(),
                site.priority(),
                site.egressPerGigabyte(),
                site.owner(),
                // The child's folder stays: what a driver finds by it, such as a local cloud, is the account's.
                settings.withCluster(cluster));
    }

    private Duration registration(String site) {
        return Optional.ofNullable(config.sites().get(site))
                .map(HeadConfig.Site::registration)
                .orElse(Duration.ofMinutes(5));
    }

    /** A site's account under the name of each child that it has, or had lately. */
    Map<String, Site> accounts(String site) {
        Instant lately = clock.instant().minus(Bookkeeping.CHILD_REMEMBERED);
        Map<String, Site> all = new TreeMap<>();
        for (ClusterRecord child : journal.clusters()) {
            if (child.isMade()
                    && child.spec().site().equals(site)
                    && (child.isLive() || child.since().isAfter(lately))) {
                all.put(child.id(), childSites.of(child.id(), site));
            }
        }
        return all;
    }

    /** The parts that every child gets. */
    private final class Parts implements SshChildren.Parts {
        private final Map<String, ChildManager> managers = WorkloadTenants.children();

        @Override
        public HeadPlan plan(ClusterRecord child, ChildFiles.BrokerAccess access) throws IOException {
            Optional<ChildManager> manager =
                    Optional.ofNullable(managers.get(child.spec().workload()));
            if (child.spec().hasManager() && manager.isEmpty()) {
                throw new IOException("this head's program has no workload manager '"
                        + child.spec().workload() + "' for clusters any more");
            }
            var inherited = new ChildFiles.Inherited(
                    config.currency(),
                    config.timeZone().getId(),
                    config.directory().minUid(),
                    registration(child.spec().site()),
                    config.breakers(),
                    config.image().name(),
                    Optional.ofNullable(config.sites().get(child.spec().site()))
                            .map(HeadConfig.Site::maxNodes)
                            .orElse(child.spec().nodes()),
                    config.clusters().markets());
            return new HeadPlan(
                    headDistribution,
                    directorDistribution,
                    tree(child.spec().image()),
                    ChildFiles.of(child, access, inherited, manager));
        }

        private Optional<Path> tree(String image) {
            return image.isEmpty()
                    ? Optional.of(config.image().tree())
                    : Optional.ofNullable(config.clusters().images().get(image));
        }

        @Override
        public Optional<Path> ahead(ClusterRecord child) throws IOException {
            return ahead.begin(child);
        }

        @Override
        public void forget(String id) throws IOException {
            ahead.forget(id);
        }

        @Override
        public Duration abandonedAfter(String site) {
            return Optional.ofNullable(config.sites().get(site))
                    .map(its -> its.director().abandonedAfter())
                    .orElse(Duration.ofHours(24));
        }
    }

    /** The broker's records and its removal. */
    private final class Bought implements Estate {
        private final Loop loop;

        Bought(Loop loop) {
            this.loop = loop;
        }

        @Override
        public Cause vacancy(ClusterRecord child) {
            return Vacancy.of(child, loop.room(child.spec().site()), journal.clusters(), brokered::instances);
        }

        @Override
        public int instances(String cluster) {
            return brokered.instances(cluster);
        }

        @Override
        public Optional<Refusal> refusal(String cluster) {
            return brokered.refusal(cluster);
        }

        @Override
        public boolean removed(String cluster, String site, Instant lastCall) throws Exception {
            return brokered.remove(cluster, site, lastCall).proven();
        }

        @Override
        public Cause emptied(String cluster, String site, String head) throws Exception {
            var pass = brokered.removeNodes(cluster, site, head);
            return pass.proven() ? Cause.NONE : new ClusterCause.NotEmpty(pass.what());
        }

        @Override
        public Money spent(String cluster, Instant now) {
            return brokered.spent(cluster, now);
        }

        @Override
        public void closed(String cluster) {
            brokered.closed(cluster);
            childSites.leave(cluster);
        }
    }

    @Override
    public void close() {
        brokered.close();
        children.close();
        childSites.close();
    }
}
