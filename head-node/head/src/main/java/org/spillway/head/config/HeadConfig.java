package org.spillway.head.config;

import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.SiteSettings;
import org.spillway.director.wire.Isolation;
import org.spillway.director.wire.Mounts;
import org.spillway.director.wire.Reach;
import org.spillway.head.forward.HomeForward;
import org.spillway.head.limits.Cap;
import org.spillway.head.limits.Lifetime;
import org.spillway.head.limits.QueueLimits;
import org.spillway.head.limits.Shares;
import org.spillway.head.rollout.DriftTerms;
import org.spillway.head.rollout.Terms;
import org.spillway.image.store.Reference;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.ScheduleWindow;
import org.spillway.policy.builtin.HouseRules;
import org.spillway.scaler.plan.Breakers;

/**
 * The whole configuration, checked: every path is absolute, every name that is used is defined.
 *
 * @param file that it was read from
 * @param cluster {@code [a-z0-9-]{1,20}}; tags all that is bought
 * @param state directory of the journal and everything else that the head keeps
 * @param socket of the REST API, at most 106 bytes long
 * @param socketMode 0600, 0660 or 0666, as octal digits
 * @param currency three capital letters
 * @param lease 5 s to 1 d
 * @param workload who gives jobs to nodes
 * @param pinned what may not leave home
 * @param queues by name, in the file's order, at least one
 * @param sites by name, in the file's order, at least one
 * @param web where the web page is served
 * @param offeringsRefresh how often each site is asked what it sells and at what price, 1 min to 1 d
 * @param breakers what stops launches
 * @param decisions how long they are kept
 * @param archive when old jobs leave the journal
 * @param nodeLogs how long logs of nodes are kept
 * @param interactive bounds of sessions in running jobs
 * @param limits besides those of sites and the budget, each of something else
 * @param submissions how many jobs there may be that have not ended
 * @param shares of accounts or queues; empty where nothing is shared
 * @param staging what users may have in staging spaces
 * @param mail empty when no mail is sent
 * @param clusters what holds for clusters on demand
 * @param roles what nodes can be
 * @param backup empty when the head makes no backups by itself
 * @param onDemand what its parent says of it; empty for a head that nobody has ordered
 */
public record HeadConfig(
        Path file,
        String cluster,
        Path state,
        Path socket,
        String socketMode,
        String currency,
        ZoneId timeZone,
        Duration lease,
        Budget budget,
        DirectorySetting directory,
        Image image,
        Workload workload,
        Pinned pinned,
        Map<String, Queue> queues,
        Scaler scaler,
        Map<String, Site> sites,
        WebSettings web,
        Duration offeringsRefresh,
        Breakers.Settings breakers,
        Decisions decisions,
        ArchiveSettings archive,
        NodeLogSettings nodeLogs,
        InteractiveSettings interactive,
        List<Cap> limits,
        QueueLimits submissions,
        Optional<Shares> shares,
        Staging staging,
        Optional<Mail> mail,
        ClusterSettings clusters,
        Roles roles,
        Optional<BackupSettings> backup,
        Optional<OnDemand> onDemand) {
    public HeadConfig {
        limits = List.copyOf(limits);
        queues = Collections.unmodifiableMap(new LinkedHashMap<>(queues));
        sites = Collections.unmodifiableMap(new LinkedHashMap<>(sites));
    }

    /** The head of a cluster on demand. @param owner login name of who ordered it */
    public record OnDemand(String owner, int ownerUid, Lifetime lifetime) {}

    /** The queue for jobs that name none: the one marked as default, or the only one. */
    public Optional<Queue> defaultQueue() {
        return queues.values().stream()
                .filter(queue -> queue.isDefault() || queues.size() == 1)
                .findFirst();
    }

    /** A site's needs of its provider, with the markets in which its director and the queues that use it buy. */
    public Diagnostics.Needs needs(Site site) {
        var markets = new HashSet<Market>();
        queues.values().stream()
                .filter(queue -> queue.sites().contains(site.name()))
                .forEach(queue -> markets.addAll(queue.markets()));
        if (!markets.isEmpty()) {
            markets.add(site.director().market());
        }
        return site.needs().in(markets);
    }

    /**
     * Who gives jobs to nodes.
     *
     * @param manager {@link #OWN}, or the name of a {@link WorkloadKind}
     * @param settings null exactly for the head's own queue
     */
    public record Workload(String manager, @Nullable WorkloadSettings settings) {
        /** The head's own queue. */
        public static final String OWN = "embedded";

        public static final Workload EMBEDDED = new Workload(OWN, null);

        /** When jobs are given to another manager than the head itself. */
        public Optional<WorkloadSettings> foreign() {
            return Optional.ofNullable(settings);
        }

        /** Empty where another manager is chosen. */
        public <T extends WorkloadSettings> Optional<T> of(Class<T> type) {
            return foreign().filter(type::isInstance).map(type::cast);
        }
    }

    /**
     * Which decisions are kept, for replay and explanation.
     *
     * @param keptFor 1 h to 10 years, in the journal and then in its archive
     * @param most 1 to 10,000,000 stay in the journal: the oldest beyond it go to the archive
     */
    public record Decisions(Duration keptFor, int most) {}

    /**
     * The room that users may have in staging spaces.
     *
     * @param perUserBytes the most that the inputs of one user's jobs may take in the space of one site, 1 MiB to 1 PiB;
     *     {@link Long#MAX_VALUE} for no limit
     * @param keep the longest that users may keep files in a site ahead of any job, 1 minute to 1 year: its director stays
     *     for as long
     * @param networks private ones that inputs from other ends may come from, as {@code ADDRESS/BITS}
     * @param trust certificates in PEM of servers that they may come from, besides those that every Java trusts
     */
    public record Staging(long perUserBytes, Duration keep, List<String> networks, String trust) {
        public static final Staging UNLIMITED = new Staging(Long.MAX_VALUE, Duration.ofDays(7), List.of(), "");

        public Staging {
            networks = List.copyOf(networks);
        }
    }

    /**
     * The site's mail server.
     *
     * @param host name or address
     * @param port 1 to 65535
     * @param from address that letters come from
     * @param user empty where the server wants no password
     * @param passwordFile of mode 600 or 400; there exactly when {@code user} is, and with TLS only
     * @param caFile PEM; empty for the system's authorities
     * @param domain mail goes to {@code LOGIN@domain} when the directory knows no address; empty for none
     */
    public record Mail(
            String host,
            int port,
            Tls tls,
            String from,
            String user,
            Optional<Path> passwordFile,
            Optional<Path> caFile,
            String domain) {
        /** How the connection is protected. */
        public enum Tls {
            /** From its first byte. */
            REQUIRED,
            /** Asked for, and nothing is sent without it. */
            STARTTLS,
            /** Not at all: for a server on this machine. */
            NONE
        }
    }

    /** The most that may be spent in one period. */
    public record Budget(Money limit, Period period) {
        /** Periods start on the hour, at midnight, or on the first of the month in the head's time zone. */
        public enum Period {
            HOUR,
            DAY,
            MONTH
        }
    }

    /** The folder of versions of root file systems, in the state. */
    public static final String VERSIONS = "image-store";

    /** @param tree an existing directory that becomes the image of the nodes */
    public record Image(String name, Path tree) {}

    /**
     * The profiles that nodes can take.
     *
     * @param categories by name, in the file's order
     * @param overlays trees that lie beside an image, by name, in the file's order
     * @param rest how long a node idles before it is made another, 0 to 1 d
     */
    public record Roles(Map<String, Category> categories, Map<String, Path> overlays, Duration rest) {
        public Roles {
            categories = Collections.unmodifiableMap(new LinkedHashMap<>(categories));
            overlays = Collections.unmodifiableMap(new LinkedHashMap<>(overlays));
        }

        /** The category whose nodes run a queue's jobs; empty for nodes without one. */
        public Optional<Category> of(String queue) {
            return categories.values().stream()
                    .filter(category -> category.queues().contains(queue))
                    .findFirst();
        }
    }

    /**
     * @param tree an existing directory that becomes the image of its nodes; empty for the image of all
     * @param version of the image store, in which jobs of its nodes live; empty where they live in the machine's own root
     * @param queues whose jobs run on its nodes and on no others; each queue in one category at most
     * @param types instance types, each a name or its beginning and {@code *}; none for all
     * @param overlays that its nodes have from the beginning, all of them defined
     * @param change how long it is expected to take to make an idle node one of it, 0 to 1 d
     * @param rollout how another version comes to its nodes, {@code drift} how they look at theirs; empty where it names none
     */
    public record Category(
            String name,
            Optional<Path> tree,
            Optional<Reference> version,
            List<String> queues,
            List<String> types,
            List<String> overlays,
            Duration change,
            Optional<Terms> rollout,
            Optional<DriftTerms> drift) {
        public Category {
            queues = List.copyOf(queues);
            types = List.copyOf(types);
            overlays = List.copyOf(overlays);
        }

        public boolean allows(String instanceType) {
            return Cap.isAmong(types, instanceType);
        }
    }

    /**
     * @param sites in order of preference, all of them defined
     * @param maxWalltime 1 min to 30 d
     * @param minNodes nodes that are always there for it, in the first of its sites
     * @param markets in which machines for its jobs may be bought, at least one
     * @param container image of jobs that name none; empty for none
     */
    public record Queue(
            String name,
            List<String> sites,
            Duration maxWalltime,
            boolean isDefault,
            Optional<Keep> minNodes,
            Set<Market> markets,
            String container) {
        public Queue {
            sites = List.copyOf(sites);
            markets = Set.copyOf(markets);
        }

        /** For which no nodes are kept, nor any bought that a provider takes back. */
        public static Queue plain(String name, List<String> sites, Duration maxWalltime, boolean isDefault) {
            return new Queue(name, sites, maxWalltime, isDefault, Optional.empty(), Market.STEADY, "");
        }
    }

    /** Nodes that are always there in a site: for itself, and for queues of which it is the first; each type once. */
    public List<Keep> kept(Site site) {
        var kept = new LinkedHashMap<String, Keep>();
        site.keep().ifPresent(keep -> kept.put(keep.type(), keep));
        for (var queue : queues.values()) {
            if (queue.sites().getFirst().equals(site.name())) {
                queue.minNodes()
                        .ifPresent(min -> kept.merge(
                                min.type(),
                                min,
                                (a, b) -> new Keep(a.type(), a.count() + b.count(), a.powered() || b.powered())));
            }
        }
        return List.copyOf(kept.values());
    }

    /**
     * @param tick 100 ms to 1 min
     * @param settings of the policy's own record type; of no meaning for one from a file
     * @param others settings of other built-in policies, by name, for when they are enabled; what is missing has defaults
     * @param texts the settings of policies from files, by name, as they are written
     * @param rules that hold whoever decides; in a chain's settings too
     * @param schedule windows with names of their own
     * @param dryRun plans are made and journalled, and nothing of them is done
     */
    public record Scaler(
            String policy,
            Duration tick,
            Record settings,
            Map<String, Record> others,
            Map<String, Map<String, String>> texts,
            HouseRules rules,
            Policies policies,
            List<Window> schedule,
            boolean dryRun) {
        public Scaler {
            others = Map.copyOf(others);
            texts = Map.copyOf(texts);
            schedule = List.copyOf(schedule);
        }
    }

    /**
     * How policies from files are run.
     *
     * @param folder that they are dropped into; it need not be there
     * @param memoryBytes heap of one, whole MiB, 64 MiB to 64 GiB
     * @param deadline for one decision, 10 ms to 10 s
     * @param strikes failures in a row that disable one, 1 to 1000
     */
    public record Policies(Path folder, long memoryBytes, Duration deadline, int strikes) {}

    /**
     * A stretch of time that comes again and again.
     *
     * @param cron a Quartz expression of when it begins, in the head's time zone
     * @param duration 1 min to 31 d
     * @param warm what there shall be while it is open
     */
    public record Window(String name, String cron, Duration duration, ScheduleWindow.Warm warm) {}

    /**
     * @param driver name of an installed {@link org.spillway.cloud.CloudDriver}
     * @param maxNodes compute nodes at one time, 0 to 10,000
     * @param registration how long a launched node may take to join, 10 s to 1 d
     * @param home whether it is at home: no data leaves when it goes there
     * @param keep nodes that are always there
     * @param idle what becomes of nodes that nothing needs
     * @param priority of several sites that can take a job those with the largest are asked first, -1000 to 1000
     * @param egressPerGigabyte what the site takes for 10^9 bytes that leave it
     * @param nodeImage the provider's image id; empty for the driver's default
     * @param isolation what becomes of nodes that cannot keep jobs apart
     * @param mounts storage of its nodes besides their own disk
     * @param reach what jobs may read at home without having named it; empty for nothing
     * @param forwards services of home that they may reach
     * @param owner who answers for what is bought here and for no user's job; letters, digits and {@code ._@-}
     * @param settings for the driver, which has accepted them
     */
    public record Site(
            String name,
            String driver,
            int maxNodes,
            Duration registration,
            Director director,
            String nodeImage,
            Isolation isolation,
            Mounts mounts,
            Optional<Reach> reach,
            List<HomeForward> forwards,
            boolean home,
            Optional<Keep> keep,
            Idle idle,
            int priority,
            Money egressPerGigabyte,
            String owner,
            SiteSettings settings) {
        /** The configuration's needs of the provider, for checks. */
        public Diagnostics.Needs needs() {
            var types = new HashSet<String>();
            if (director.at().isEmpty()) {
                types.add(director.type());
            }
            keep.ifPresent(kept -> types.add(kept.type()));
            return new Diagnostics.Needs(types, nodeImage);
        }
    }

    /**
     * The end of nodes that nothing needs.
     *
     * @param stop they are stopped, and started again; otherwise they are ended
     * @param stoppedFor after which a stopped one is ended, 10 min to 366 d
     */
    public record Idle(boolean stop, Duration stoppedFor) {}

    /**
     * Nodes that are always there.
     *
     * @param count 1 or more, at most the site's maxNodes
     * @param powered whether they run all the time; otherwise they exist all the time, and run while something needs them
     */
    public record Keep(String type, int count, boolean powered) {}

    /** Projects, and absolute and real paths: jobs of such projects or with an input below such a path run at home only. */
    public record Pinned(List<String> projects, List<Path> paths) {
        public static final Pinned NOTHING = new Pinned(List.of(), List.of());

        public Pinned {
            projects = List.copyOf(projects);
            paths = List.copyOf(paths);
        }
    }

    /**
     * The purchase of a site's director.
     *
     * @param type instance type in the provider's words
     * @param zone empty for any
     * @param idle how long a director stays without work, 0 s to 30 d
     * @param abandonedAfter after so long without a word from the head it powers itself off, 10 min to 30 d
     * @param image the provider's image id; empty for that of the nodes
     * @param at a machine that is there already: nothing is bought then, and the others but idle say nothing
     */
    public record Director(
            String type,
            Market market,
            String zone,
            Duration idle,
            Duration abandonedAfter,
            String image,
            Optional<GivenDirector> at,
            Optional<Money> trialBudget) {}
}
