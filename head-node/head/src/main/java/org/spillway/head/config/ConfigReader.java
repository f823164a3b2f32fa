package org.spillway.head.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.spillway.head.config.HeadConfig.Budget;
import org.spillway.head.config.HeadConfig.Image;
import org.spillway.head.config.HeadConfig.Pinned;
import org.spillway.head.config.HeadConfig.Queue;
import org.spillway.head.config.HeadConfig.Scaler;
import org.spillway.head.config.HeadConfig.Site;
import org.spillway.policy.builtin.ChainPolicy;
import org.spillway.scaler.plan.Breakers;
import org.spillway.scaler.plan.SickGroups;
import org.spillway.settings.ConfigMistakes;
import org.spillway.settings.Problems;
import org.spillway.settings.Quantities;
import org.spillway.settings.Section;
import org.spillway.settings.SettingsFile;
import org.spillway.settings.Suggestion;
import org.spillway.stage.tree.ImageName;
import org.yaml.snakeyaml.nodes.Node;

/** Reads {@code spillway.yaml}. Changes nothing and makes nothing. */
public final class ConfigReader {
    private static final int MOST_QUEUES = 256;
    private static final int MOST_SITES = 64;
    private static final long DEFAULT_MEMORY = 256L << 20;
    private static final String MEMORY = "a size in MiB or GiB from 64MiB to 64GiB, such as 256MiB";
    static final String NAME = "[a-z0-9][a-z0-9-]{0,39}";

    private final Path file;
    private final Path base;
    private final Installed installed;
    private final Problems problems;

    private ConfigReader(Path file, Installed installed) {
        this.problems = new Problems();
        this.file = file.toAbsolutePath().normalize();
        this.base = Optional.ofNullable(this.file.getParent()).orElse(this.file);
        this.installed = installed;
    }

    /**
     * @param file named in mistakes as it is given here
     * @throws ConfigMistakes with everything that is wrong
     */
    public static HeadConfig read(Path file, Installed installed) throws ConfigMistakes {
        var reader = new ConfigReader(file, installed);
        var config = SettingsFile.node(reader.file, reader.problems).map(reader::head);
        if (!reader.problems.none() || config.isEmpty()) {
            throw new ConfigMistakes(file.toString(), reader.problems.inOrder());
        }
        return config.get();
    }

    private HeadConfig head(Node node) {
        var root = new Section(problems, "", node, node);
        var cluster =
                root.matching("cluster", null, "[a-z0-9-]{1,20}", "1 to 20 lower-case letters, digits and dashes");
        var state = root.path("state", base.resolve("state"), base);
        var socket = SettingsFile.socket(root, state, base);
        var socketMode = root.oneOf("socketMode", "666", List.of("600", "660", "666"));
        var currency = currency(root);
        var timeZone =
                root.value("timeZone", ZoneId.systemDefault(), ZoneId.of("UTC"), "a time zone", ConfigReader::zone);
        var lease = root.duration("lease", Duration.ofMinutes(10), Duration.ofSeconds(5), Duration.ofDays(1));
        var budget = budget(root.section("budget", true));
        var directory = DirectoryReader.read(root.section("directory", true), base);
        var image = image(root.section("image", true));
        var pinned = pinned(root.section("pinned", false));
        var queueSection = root.section("queues", true);
        var scalerSection = root.section("scaler", false);
        var mounts = new MountsReader(root.keysOf("categories"));
        var siteSection = root.section("sites", true);
        var sites = sites(siteSection, cluster, state, currency, mounts);
        var scaler = scaler(scalerSection, state, sites);
        var queues = queues(queueSection, sites);
        var workload = WorkloadReader.read(root.section("workload", false), base, sites.keySet(), installed.managers());
        MarketsReader.agree(queueSection, queues, workload);
        ForwardsReader.agree(siteSection, sites, workload);
        var web = WebReader.read(root.section("web", false), base);
        var offerings = root.section("offerings", false);
        var offeringsRefresh =
                offerings.duration("refresh", Duration.ofMinutes(10), Duration.ofMinutes(1), Duration.ofDays(1));
        offerings.noMore();
        var breakers = breakers(root.section("breakers", false));
        var decisionSection = root.section("decisions", false);
        var decisions = new HeadConfig.Decisions(
                decisionSection.duration("keptFor", Duration.ofDays(400), Duration.ofHours(1), Duration.ofDays(3650)),
                decisionSection.integer("most", 10_000, 1, 10_000_000));
        decisionSection.noMore();
        var archive = ArchiveSettings.read(root.section("archive", false));
        var nodeLogs = NodeLogSettings.read(root.section("nodes", false));
        var interactive = InteractiveSettings.read(root.section("interactive", false));
        var limits = LimitsReader.limits(root, sites.keySet(), queues.keySet());
        var submissions = LimitsReader.submissions(root.section("submissions", false));
        var shares = LimitsReader.shares(root, queues.keySet());
        var staging = StagingReader.read(root.section("staging", false), base);
        var mail = MailReader.read(root, base);
        var clusters = ClustersReader.read(root.section("clusters", false), base, image.name());
        var roles = new RolesReader(problems, base, state.resolve(HeadConfig.VERSIONS)).read(root, queues, workload);
        var backup = BackupReader.read(root, state, base);
        var onDemand = OnDemandReader.read(root);
        root.noMore();
        var config = new HeadConfig(
                file,
                cluster,
                state,
                socket,
                socketMode,
                currency,
                timeZone,
                lease,
                budget,
                directory,
                image,
                workload,
                pinned,
                queues,
                scaler,
                sites,
                web,
                offeringsRefresh,
                breakers,
                decisions,
                archive,
                nodeLogs,
                interactive,
                limits,
                submissions,
                shares,
                staging,
                mail,
                clusters,
                roles,
                backup,
                onDemand);
        if (problems.none()) {
            enoughRoom(config, queueSection);
        }
        return config;
    }

    private static Breakers.Settings breakers(Section section) {
        var usual = Breakers.Settings.DEFAULTS;
        var settings = new Breakers.Settings(
                section.integer("bootFailures", usual.bootFailures(), 0, 1000),
                section.integer("unreadyPercent", usual.unreadyPercent(), 0, 100),
                section.integer("unreadyLeast", usual.unreadyLeast(), 1, 10_000),
                section.duration("directorSilence", usual.silence(), Duration.ZERO, Duration.ofDays(1)),
                section.integer("unusedNodes", usual.unusedNodes(), 0, 1000),
                section.integer("unproven", usual.unproven(), 0, 10_000),
                new SickGroups.Settings(
                        section.integer("sickNodes", usual.sick().least(), 0, 1000),
                        section.integer("sickPercent", usual.sick().percent(), 1, 100),
                        section.duration(
                                "sickWithin", usual.sick().within(), Duration.ofMinutes(10), Duration.ofDays(30)),
                        section.duration("sickRest", usual.sick().rest(), Duration.ofSeconds(1), Duration.ofDays(1))));
        section.noMore();
        return settings;
    }

    private static String currency(Section root) {
        var allowed = "three capital letters such as EUR";
        return root.value("currency", "EUR", "EUR", allowed, text -> {
            if (!text.matches("[A-Z]{3}")) {
                throw new IllegalArgumentException("found '" + text + "'; allowed: " + allowed);
            }
            return text;
        });
    }

    private static ZoneId zone(String text) {
        try {
            return ZoneId.of(text);
        } catch (DateTimeException unknown) {
            throw new IllegalArgumentException(
                    "found '" + text + "'; allowed: a time zone such as Europe/Berlin"
                            + Suggestion.phrase(text, ZoneId.getAvailableZoneIds()),
                    unknown);
        }
    }

    private static Budget budget(Section section) {
        var limit = section.money("limit");
        var period = section.oneOf("period", null, List.of("hour", "day", "month"));
        section.noMore();
        return new Budget(limit, Budget.Period.valueOf(period.toUpperCase(Locale.ROOT)));
    }

    /** A directory that becomes an image or a part of one. */
    static Path tree(Section section, Path base) {
        var tree = section.path("tree", null, base);
        if (section.has("tree") && !Files.isDirectory(tree)) {
            section.mistake("tree", "found '" + tree + "', which is not a directory; allowed: an existing directory");
        }
        return tree;
    }

    private Image image(Section section) {
        var name = section.matching("name", "base", NAME, "lower-case letters, digits and dashes");
        var tree = tree(section, base);
        section.noMore();
        return new Image(name, tree);
    }

    /** Real paths: what lies behind a link is pinned as well. */
    private Pinned pinned(Section section) {
        var projects =
                List.copyOf(section.wordsIfAny("projects", "a list of projects").keySet());
        var paths = new ArrayList<Path>();
        section.wordsIfAny("paths", "a list of absolute paths").forEach((path, where) -> {
            try {
                var absolute = Path.of(path);
                if (absolute.isAbsolute()) {
                    paths.add(absolute.toRealPath());
                    return;
                }
            } catch (IOException | InvalidPathException unusable) {
                // Told below.
            }
            problems.add(where, section.at("paths"), "found '" + path + "'; allowed: absolute paths that exist");
        });
        section.noMore();
        return new Pinned(projects, paths);
    }

    private Map<String, Site> sites(Section section, String cluster, Path state, String currency, MountsReader mounts) {
        var reader = new SiteReader(installed, cluster, state, base, currency, mounts);
        var sites = new LinkedHashMap<String, Site>();
        for (var name : names(section, MOST_SITES)) {
            sites.put(name, reader.read(name, section.section(name, true)));
        }
        return sites;
    }

    private Map<String, Queue> queues(Section section, Map<String, Site> sites) {
        var queues = new LinkedHashMap<String, Queue>();
        String standard = "";
        for (var name : names(section, MOST_QUEUES)) {
            var queue = queue(name, section.section(name, true), sites);
            if (queue.isDefault() && !standard.isEmpty()) {
                section.mistake(name, "found a second default queue beside '" + standard + "'; allowed: one");
            } else if (queue.isDefault()) {
                standard = name;
            }
            queues.put(name, queue);
        }
        return queues;
    }

    private Queue queue(String name, Section section, Map<String, Site> sites) {
        var wanted = section.words(
                "sites",
                "a list of sites, such as ["
                        + sites.keySet().stream().findFirst().orElse("east") + "]");
        wanted.forEach((site, where) -> {
            if (!sites.containsKey(site)) {
                problems.add(
                        where,
                        section.at("sites"),
                        "found '" + site + "'; allowed: " + String.join(", ", sites.keySet())
                                + Suggestion.phrase(site, sites.keySet()));
            }
        });
        var maxWalltime =
                section.duration("maxWalltime", Duration.ofDays(1), Duration.ofMinutes(1), Duration.ofDays(30));
        boolean isDefault = section.flag("default", false);
        var least = section.section("minNodes", false);
        int most = wanted.keySet().stream()
                .limit(1)
                .filter(sites::containsKey)
                .mapToInt(site -> Objects.requireNonNull(sites.get(site)).maxNodes())
                .findFirst()
                .orElse(Integer.MAX_VALUE);
        var minNodes = section.has("minNodes") ? Optional.of(least(least, most)) : Optional.<HeadConfig.Keep>empty();
        var markets = MarketsReader.read(section);
        var container = container(section);
        section.noMore();
        return new Queue(name, List.copyOf(wanted.keySet()), maxWalltime, isDefault, minNodes, markets, container);
    }

    private static String container(Section section) {
        return section.value("container", "", "", ImageName.KNOWN, image -> {
            try {
                return image.equals(ImageName.NONE) ? "" : ImageName.of(image).text();
            } catch (IllegalArgumentException unknown) {
                throw new IllegalArgumentException(
                        "found '" + image + "': " + unknown.getMessage() + "; allowed: " + ImageName.KNOWN, unknown);
            }
        });
    }

    /** Nodes that are always there for a queue. */
    private static HeadConfig.Keep least(Section section, int maxNodes) {
        var type = section.matching("type", null, "\\S{1,100}", "an instance type of the provider");
        int count = section.integer("count", 1, 1, Math.max(1, maxNodes));
        section.noMore();
        return new HeadConfig.Keep(type, count, true);
    }

    /** The kept nodes may not be more than may be there. */
    private static void enoughRoom(HeadConfig config, Section queues) {
        for (var site : config.sites().values()) {
            int kept =
                    config.kept(site).stream().mapToInt(HeadConfig.Keep::count).sum();
            if (kept > site.maxNodes()) {
                config.queues().values().stream()
                        .filter(queue -> queue.minNodes().isPresent()
                                && queue.sites().getFirst().equals(site.name()))
                        .findFirst()
                        .ifPresent(queue -> queues.mistake(
                                queue.name(),
                                "found " + kept + " nodes that are always there in site " + site.name()
                                        + "; allowed: its maxNodes, " + site.maxNodes()));
            }
        }
    }

    /** The keys of a section whose keys are names that the administrator chooses. */
    static List<String> names(Section section, int most) {
        var names = List.copyOf(section.keys());
        if (names.isEmpty() || names.size() > most) {
            section.mistakeHere("found " + names.size() + " names; allowed: 1 to " + most);
        }
        for (var name : names) {
            if (!name.matches(NAME)) {
                section.mistake(name, "found this name; allowed: lower-case letters, digits and dashes, at most 40");
            }
        }
        return names.size() > most ? names.subList(0, most) : names;
    }

    private Scaler scaler(Section section, Path state, Map<String, Site> sites) {
        var names = List.copyOf(installed.policies().keySet());
        var beside = Optional.ofNullable(state.getParent()).orElse(state).resolve("policies.d");
        var folder = section.path("policies", beside, base);
        boolean files = section.has("policies") || Files.isDirectory(folder);
        var standard = section.has("chain") ? ChainPolicy.NAME : names.contains("queue-depth") ? "queue-depth" : null;
        var policy = files
                ? section.matching(
                        "policy",
                        standard,
                        NAME,
                        String.join(", ", names) + ", or the name of a policy in " + folder
                                + ": lower-case letters, digits and dashes")
                : section.oneOf("policy", standard, names);
        var policies = new HeadConfig.Policies(
                folder,
                section.value("policyMemory", DEFAULT_MEMORY, DEFAULT_MEMORY, MEMORY, ConfigReader::memory),
                section.duration(
                        "policyDeadline", Duration.ofMillis(100), Duration.ofMillis(10), Duration.ofSeconds(10)),
                section.integer("policyStrikes", 3, 1, 1000));
        var tick = section.duration("tick", Duration.ofSeconds(1), Duration.ofMillis(100), Duration.ofMinutes(1));
        Record values = new None();
        var settings = section.section("settings", false);
        var rules = ScalerParts.rules(section);
        Record defaults = installed.policies().get(policy);
        boolean chained = section.has("chain");
        var others = ScalerParts.Others.none();
        if (!chained && (section.says("policy", policy) || !section.has("policy"))) {
            others = ScalerParts.others(settings, ScalerParts.keys(defaults), installed.policies(), files);
            if (defaults == null) {
                // The allowed settings are known when the policy has been loaded.
                others.texts().put(policy, ScalerParts.texts(settings));
                settings.noMore();
            } else {
                values = PolicySettings.read(settings, defaults);
            }
        }
        var chain = ScalerParts.chain(section, settings, policy, values, rules);
        if (chain.isPresent()) {
            if (chained) {
                others = ScalerParts.others(settings, ScalerParts.members(chain.get()), installed.policies(), files);
            } else {
                others.builtIn().put(policy, values);
            }
            policy = ChainPolicy.NAME;
            values = chain.get();
        }
        if (chained) {
            settings.noMore();
        }
        var schedule = ScalerParts.schedule(section, sites);
        if (!schedule.isEmpty()) {
            ScalerParts.someoneLooks(section, policy, values);
        }
        boolean dryRun = section.flag("dryRun", false);
        section.noMore();
        return new Scaler(policy, tick, values, others.builtIn(), others.texts(), rules, policies, schedule, dryRun);
    }

    private static Long memory(String text) {
        try {
            long bytes = Quantities.bytes(text);
            if (bytes >= 64 << 20 && bytes <= 64L << 30 && bytes % (1 << 20) == 0) {
                return bytes;
            }
        } catch (IllegalArgumentException malformed) {
            // As one that is too small.
        }
        throw new IllegalArgumentException("found '" + text + "'; allowed: " + MEMORY);
    }

    /** A page that shows everything is served to this machine only. */
    /** Stands for the settings of a policy that is not there. */
    private record None() {}
}
