package org.spillway.head.service;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.WebView;
import org.spillway.cloud.CloudDriver;
import org.spillway.director.directory.DirectoryStore;
import org.spillway.director.directory.HomeDirectory;
import org.spillway.head.bootstrap.DirectorSettings;
import org.spillway.head.bootstrap.SshDirectorInstaller;
import org.spillway.head.config.DirectorySources;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.forward.HomeForwards;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.JournalStore;
import org.spillway.head.link.DirectorSessions;
import org.spillway.head.link.LinkTimes;
import org.spillway.head.link.SshDirectorLink;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.loop.nodes.Rollouts;
import org.spillway.head.loop.port.LiveEffects;
import org.spillway.head.loop.port.Ports;
import org.spillway.head.mail.Addresses;
import org.spillway.head.mail.SmtpMailer;
import org.spillway.head.metrics.MetricsText;
import org.spillway.head.ondemand.Approvers;
import org.spillway.head.ondemand.Notices;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.JobSight;
import org.spillway.head.rest.RestServer;
import org.spillway.head.rest.RoutePart;
import org.spillway.head.serving.FileDescriptors;
import org.spillway.head.staging.Followers;
import org.spillway.head.staging.HeadSeal;
import org.spillway.head.staging.HomeImages;
import org.spillway.head.staging.HomeReach;
import org.spillway.head.staging.ResultsHome;
import org.spillway.head.staging.SiteStager;
import org.spillway.head.tenant.Ground;
import org.spillway.head.tenant.HeadDesk;
import org.spillway.head.tenant.Tenancy;
import org.spillway.head.tenant.WorkloadTenant;
import org.spillway.head.tenant.WorkloadTenants;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.head.web.MetricsPage;
import org.spillway.head.web.WebServer;
import org.spillway.head.workload.WorkloadManager;
import org.spillway.policy.ScalingPolicy;
import org.spillway.scaler.policyhost.Containment;
import org.spillway.scaler.policyhost.PolicyHost;
import org.spillway.stage.worker.Identity;
import org.spillway.stage.worker.UserWorkers;

/** Puts a head together from its configuration, runs it, and takes it apart in the opposite order. */
public final class HeadProcess {
    static final int HTTPS_PORT = DirectorSettings.HTTPS_PORT;

    private static final Logger LOG = LoggerFactory.getLogger(HeadProcess.class);
    private static final String BASE_DN = "dc=spillway";
    private static final String LOGIN = "spillway";
    private static final Duration CLOSING = Duration.ofSeconds(10);

    private static final Duration FIRST_USERS = Duration.ofSeconds(10);

    private final HeadConfig config;
    private final Map<String, CloudDriver> drivers;
    private final OpenSites sites;
    private final Map<String, ScalingPolicy<?>> policies;
    private final Path headDistribution;
    private final Path directorDistribution;
    private final String version;
    private final InstantSource clock;
    private final Map<String, WorkloadTenant> tenants = WorkloadTenants.all();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    public HeadProcess(
            HeadConfig config,
            Map<String, CloudDriver> drivers,
            Map<String, ScalingPolicy<?>> policies,
            Path headDistribution,
            Path directorDistribution,
            String version,
            InstantSource clock) {
        this.config = config;
        this.drivers = Map.copyOf(drivers);
        this.sites = new OpenSites(config, this.drivers, clock, open::push);
        this.policies = Map.copyOf(policies);
        this.headDistribution = headDistribution;
        this.directorDistribution = directorDistribution;
        this.version = version;
        this.clock = clock;
    }

    /**
     * Runs until it is told to stop.
     *
     * @param store the opened journal; closed at the end
     * @param started called when the REST socket answers
     * @throws IOException if something that it needs cannot be had; the message says what to repair
     */
    public void run(JournalStore store, Runnable started) throws IOException, InterruptedException {
        open.push(store);
        FileDescriptors.warning().ifPresent(LOG::warn);
        try {
            LoopRunner runner = assemble(store);
            CountDownLatch closed = new CountDownLatch(1);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stopOnSignal(runner, closed)));
            started.run();
            try {
                runner.run();
            } finally {
                close();
                closed.countDown();
            }
        } finally {
            close();
        }
    }

    /** SIGTERM: the process ends when this returns, so it waits for the parts to be closed. */
    private static void stopOnSignal(LoopRunner runner, CountDownLatch closed) {
        runner.stop();
        try {
            if (!closed.await(CLOSING.toSeconds(), TimeUnit.SECONDS)) {
                LOG.warn("not all was closed within {} s", CLOSING.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private LoopRunner assemble(JournalStore store) throws IOException {
        // A little further back than the longest budget period, for time zones.
        Journal journal = new Journal(store, clock.instant().minus(32, ChronoUnit.DAYS));
        new JournalFit(config).check(journal);
        SiteAuthority authority = SiteAuthority.open(config.state(), clock);
        HomeDirectory directory = new HomeDirectory(
                BASE_DN,
                DirectorySources.of(config.directory()),
                site -> Optional.of(authority.directoryPassword(site)),
                DirectorySources.saved(config));
        open.push(directory);
        awaitUsers(directory);
        DirectorSessions sessions = new DirectorSessions(authority, LOGIN, LinkTimes.USUAL);
        open.push(sessions);
        SshDirectorLink link = new SshDirectorLink(authority, sessions, LinkTimes.USUAL, directory::port, HTTPS_PORT);
        open.push(link);
        UserWorkers workers = new UserWorkers(UserWorkers.Limits.DEFAULT, clock);
        open.push(workers);
        UserGroups groups = new UserGroups(directory.store(), directory::refusal, directory::lookUp);
        HomeImages images = HomeImages.of(
                config.image(),
                config.roles(),
                privateFolder("images"),
                config.state().resolve(HeadConfig.VERSIONS),
                authority,
                link);
        images.begin(Rollouts.held(journal, config.roles().categories().keySet()));
        SiteStager stager = new SiteStager(
                link,
                workers,
                groups::identity,
                boundary(),
                new SiteStager.Books(privateFolder("digests"), clock),
                new SiteStager.Elsewhere(
                        config.staging().networks(),
                        config.staging().trust(),
                        config.staging().perUserBytes()),
                job -> Followers.has(job, journal.jobs()));
        Semaphore wake = new Semaphore(0);
        Tenancy tenancy = tenancy(groups, journal, wake::release);
        WorkloadManager workload = tenancy.manager();
        open.push(workload);
        Containment containment = Containment.probe();
        PolicyHost policyHost = PolicyDesk.start(config, policies, version, containment, wake::release, clock);
        open.push(policyHost);
        ReplayPolicies replayed = new ReplayPolicies(
                policies, config.state(), containment, PolicyDesk.memoryMib(config), said -> LOG.info("{}", said));
        open.push(replayed);
        LiveEffects effects = new LiveEffects(wake);
        Ports ports = new Ports(
                effects,
                link,
                new SshDirectorInstaller(authority, sessions, link, directorSettings()),
                stager,
                images,
                new HeadCredentials(authority, registration(), this::abandonedAfter),
                workload,
                target -> directory.grant(target.site(), link.directoryPort(target)),
                policyHost);
        NodeLogDesk nodeLogs = new NodeLogDesk(config.nodeLogs(), privateFolder("node-logs"), journal, clock);
        Loop loop = new Loop(
                new SettingsOfLoop(config).with(nodeLogs.around(sites.open())), journal, ports, clock::instant);
        open.push(nodeLogs.gather(List.copyOf(config.sites().keySet()), loop::director, link));
        HomeReach homes = HomeWords.reach(config, boundary(), loop::director, link, journal, workers, groups);
        open.push(homes.begin());
        HomeForwards forwards = ForwardWords.desk(config, loop::director, link, journal, groups);
        open.push(forwards.begin());
        LoopRunner runner = new LoopRunner(loop, wake, clock, config.scaler().tick());
        ResultsHome resultsHome = new ResultsHome(workers);
        Approvers approvers =
                new Approvers(config.clusters().approval(), directory.store(), System.getProperty("user.name", "root"));
        OnDemand onDemand = new OnDemand(
                config,
                journal,
                loop,
                runner,
                effects,
                authority,
                sessions,
                sites::openedAgain,
                new OnDemand.Distributions(headDistribution, directorDistribution),
                config.mail().map(mail -> post(mail, directory.store())),
                new OnDemand.HomeFiles(resultsHome, groups::of),
                approvers,
                clock);
        open.push(onDemand);
        BackupDesk backups = new BackupDesk(config.state(), config.backup(), config.timeZone(), clock);
        open.push(backups);
        keepHouse(images, workers, journal, backups, nodeLogs);
        InputLook inputLook =
                new InputLook(stager, this::isPinned, config.staging().perUserBytes());
        config.onDemand().ifPresent(its -> loop.lifespan().begin(its.lifetime()));
        Admission admission = new Admission(
                config,
                new AllowedSites(config, loop::offerings),
                new Prerequisites(journal),
                inputLook,
                groups,
                Identity.ownUid(),
                loop.lifespan()::bounds);
        HeadViews views = new HeadViews(config, journal, loop, homes.reads(), () -> AccountDesk.trouble(directory));
        var versions = new RolloutDesk.Store(config.state().resolve(HeadConfig.VERSIONS), HeadSeal.of(authority));
        Operations operations = new Operations(clock);
        open.push(operations);
        AtomicReference<Optional<Function<Caller, WebView>>> webLink = new AtomicReference<>(Optional.empty());
        HeadService service = new HeadService(
                config.cluster(),
                version,
                journal,
                loop,
                runner,
                admission,
                views,
                new JobLogs(journal, loop, link),
                new Accounts(config, sites.all(), onDemand::accounts, journal, loop, runner, operations, clock),
                new DecisionDesk(journal.store().decisions(), replayed),
                new PolicyDesk(policyHost, runner.times()),
                webLink::get,
                routes(
                        tenancy,
                        new LoopDesk(
                                loop,
                                runner,
                                new NodesByHand(loop, runner, views::node),
                                groups,
                                admission,
                                inputLook)),
                new ClusterDesk(
                        config,
                        journal,
                        loop,
                        runner,
                        onDemand.clusters,
                        onDemand.children,
                        approvers,
                        new ClusterOrders(
                                config,
                                loop,
                                directory.store(),
                                admission,
                                resultsHome,
                                new ChildChoices(drivers, WorkloadTenants.children())),
                        sight(groups),
                        clock),
                new StageDesk(config, journal, loop, runner, admission, inputLook),
                new RolloutDesk(
                        config,
                        journal,
                        runner,
                        versions,
                        wanted -> !images.version(wanted).version().isEmpty(),
                        new DriftDesk(journal, loop, link, versions)),
                backups,
                nodeLogs,
                new SessionDesk(config.interactive(), journal, loop, link, tenants),
                new AccountDesk(config, directory, loop::director, link),
                clock);
        if (config.web().enabled()) {
            webLink.set(serveWeb(service, new MetricsDesk(config, journal, loop, forwards, runner.times(), service))
                    .map(web -> web::link));
        }
        open.push(RestServer.start(config.socket(), config.socketMode(), service));
        return runner;
    }

    private Notices.Post post(HeadConfig.Mail mail, DirectoryStore directory) {
        return new Notices.Post(new SmtpMailer(mail, clock), new Addresses(directory::mail, mail.domain()));
    }

    /** Jobs do not need the page: whoever took its port must not keep the head from its nodes. */
    private Optional<WebServer> serveWeb(HeadService service, MetricsDesk metrics) {
        try {
            WebServer web = WebServer.start(
                    new WebServer.Place(
                            config.web().address(),
                            config.web().port(),
                            config.state(),
                            config.web().userLinks()),
                    service,
                    config.web()
                            .metricsToken()
                            .map(file -> new MetricsPage(file, MetricsText.CONTENT_TYPE, metrics::text)),
                    clock);
            open.push(web);
            return Optional.of(web);
        } catch (IOException failure) {
            LOG.warn("there is no web page: {}; configure another web.port", failure.getMessage());
            return Optional.empty();
        }
    }

    /** A known key is not new to the manager: one may give a job that is requeued another time of submission. */
    private Tenancy tenancy(UserGroups groups, Journal journal, Runnable changed) throws IOException {
        return WorkloadTenants.of(config.workload().manager())
                .open(new Ground(config, groups.logins(), JournalFit.foreignKeys(journal), clock, changed));
    }

    private List<RoutePart> routes(Tenancy tenancy, HeadDesk desk) {
        List<RoutePart> parts = new ArrayList<>();
        tenancy.routes(desk).ifPresent(parts::add);
        tenants.forEach((name, tenant) -> {
            if (!name.equals(config.workload().manager())) {
                tenant.refusals().ifPresent(parts::add);
            }
        });
        return parts;
    }

    private SiteStager.Boundary boundary() {
        return new SiteStager.Boundary(
                site -> Optional.ofNullable(config.sites().get(site))
                        .filter(HeadConfig.Site::home)
                        .isPresent(),
                this::isPinned);
    }

    private boolean isPinned(Path path) {
        return config.pinned().paths().stream().anyMatch(path::startsWith);
    }

    private DirectorSettings directorSettings() {
        return DirectorSettings.usual(directorDistribution, config.state().resolve("java"), BASE_DN);
    }

    private void awaitUsers(HomeDirectory directory) throws IOException {
        try {
            if (!directory.store().await(DirectoryStore::complete, FIRST_USERS)) {
                LOG.warn("the directory was not read yet ({}); jobs start when it is", directory.trouble());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** The owner of a cluster on demand sees its guests' jobs. */
    private JobSight sight(UserGroups groups) {
        return config.onDemand()
                .map(its -> new JobSight(
                        OptionalInt.of(its.ownerUid()),
                        guest -> !Collections.disjoint(groups.namesOf(guest), groups.namesOf(its.owner()))))
                .orElse(JobSight.OWN);
    }

    /** Work that may block for a while and must not hold up the loop. */
    private void keepHouse(
            HomeImages images, UserWorkers workers, Journal journal, BackupDesk backups, NodeLogDesk nodeLogs) {
        OldJobs oldJobs = new OldJobs(journal.store(), config.archive(), config.decisions(), clock);
        Thread keeper = Thread.ofVirtual().name("housekeeping").start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                images.refresh(clock.instant());
                workers.reap(clock.instant());
                backups.keep();
                nodeLogs.keepHouse();
                Instant past = clock.instant().minus(32, ChronoUnit.DAYS);
                journal.forgetBefore(past);
                oldJobs.keep(past);
                try {
                    Thread.sleep(Duration.ofSeconds(5));
                } catch (InterruptedException stop) {
                    return;
                }
            }
        });
        open.push(keeper::interrupt);
    }

    private Path privateFolder(String name) throws IOException {
        Path folder = config.state().resolve(name);
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        return folder;
    }

    private Duration registration() {
        return config.sites().values().stream()
                .map(HeadConfig.Site::registration)
                .max(Duration::compareTo)
                .orElseThrow();
    }

    private Duration abandonedAfter(String site) {
        return Objects.requireNonNull(config.sites().get(site)).director().abandonedAfter();
    }

    private void close() {
        while (!open.isEmpty()) {
            AutoCloseable part = open.pop();
            try {
                part.close();
            } catch (Exception e) {
                LOG.warn("{} could not be closed: {}", part, e.getMessage());
            }
        }
    }
}
