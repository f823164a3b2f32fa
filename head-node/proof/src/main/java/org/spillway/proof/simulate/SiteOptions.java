package org.spillway.proof.simulate;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.api.Json;
import org.spillway.api.OfferingView;
import org.spillway.cli.CliFailure;
import org.spillway.head.config.ConfigReader;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.Installed;
import org.spillway.policy.Limits;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;
import org.spillway.scaler.simulate.log.NodeGroup;
import org.spillway.scaler.simulate.log.WorkloadLog;
import org.spillway.scaler.simulate.world.Scenario;
import org.spillway.scaler.simulate.world.SimulatedLimit;
import org.spillway.scaler.simulate.world.SimulatedOffering;
import org.spillway.scaler.simulate.world.SimulatedSite;
import org.spillway.scaler.simulate.world.StandardScenario;
import org.spillway.settings.ConfigMistakes;
import picocli.CommandLine.Option;

/** On which sites a log is replayed. */
final class SiteOptions {
    private static final int MOST_HOME_NODES = 1_000_000;
    private static final long MOST_FILE_BYTES = 256L << 20;

    @Option(
            names = "--sites",
            paramLabel = "FILE",
            description =
                    "The sites of this spillway.yaml with their maxNodes and its limits; needs --offerings. Default: two made-up clouds"
                            + " (docs/simulate.md).")
    @Nullable
    Path sites;

    @Option(
            names = "--offerings",
            paramLabel = "FILE",
            description =
                    "What those sites sell and for how much, as 'spillway offerings --json' printed it: no provider is"
                            + " asked here.")
    @Nullable
    Path offerings;

    @Option(
            names = "--boot",
            paramLabel = "TIME",
            description = "With --sites: median time from launch to a node that takes jobs; default 90s.")
    String boot = "90s";

    @Option(
            names = "--spot-life",
            paramLabel = "TIME",
            description = "With --sites: mean time until a spot node is taken back; default 24h.")
    String spotLife = "24h";

    @Option(
            names = "--home-nodes",
            paramLabel = "N",
            description =
                    "Nodes at home. Default: the machines that the log names; else so many that it would fill 85 %% of"
                            + " them on average.")
    int homeNodes;

    @Option(
            names = "--home-load",
            paramLabel = "SHARE",
            description =
                    "Instead: so many nodes at home that the log would fill this share of them on average, such as 0.85.")
    double homeLoad;

    private HeadConfig.Policies policies =
            new HeadConfig.Policies(Path.of("policies.d"), 256L << 20, Duration.ofMillis(100), 3);

    /** How policies from files are kept there: as the configuration says, once it was read; else as a head does by default. */
    HeadConfig.Policies policies() {
        return policies;
    }

    Scenario scenario(WorkloadLog whole, Installed installed, PrintWriter err) {
        if (homeNodes < 0 || homeNodes > MOST_HOME_NODES || !(homeLoad >= 0 && homeLoad <= 100)) {
            throw bad("--home-nodes takes 1 to " + MOST_HOME_NODES + ", --home-load more than 0 to 100", "");
        }
        if (homeNodes > 0 && homeLoad > 0) {
            throw bad("--home-nodes and --home-load contradict each other", "give one of them");
        }
        List<NodeGroup> home = StandardScenario.home(whole, homeNodes, homeLoad);
        if (sites == null) {
            return new Scenario(home, standard());
        }
        HeadConfig config = config(sites, installed, err);
        policies = config.scaler().policies();
        return new Scenario(home, configured(config, sites), limits(config));
    }

    /** Licences are not among them: logs do not say which job took one. */
    private static List<SimulatedLimit> limits(HeadConfig config) {
        return config.limits().stream()
                .filter(cap -> cap.scope() != Limits.Scope.LICENCE)
                .map(cap -> new SimulatedLimit(
                        cap.scope(),
                        cap.limitName(),
                        cap.unit(),
                        cap.most(),
                        SimulatedLimit.Span.valueOf(cap.span().name())))
                .toList();
    }

    private List<SimulatedSite> standard() {
        if (offerings != null || !boot.equals("90s") || !spotLife.equals("24h")) {
            throw bad("--offerings, --boot and --spot-life are about the sites of --sites", "give that, too");
        }
        return StandardScenario.clouds();
    }

    private HeadConfig config(Path file, Installed installed, PrintWriter err) {
        if (offerings == null) {
            throw bad(
                    "what the sites of " + file + " sell, and for how much, is known to their providers only",
                    "spillway offerings --config " + file
                            + " --json > offerings.json, then --offerings offerings.json");
        }
        try {
            return ConfigReader.read(file, installed);
        } catch (ConfigMistakes mistakes) {
            mistakes.lines().forEach(err::println);
            err.flush();
            throw bad("the configuration " + file + " cannot be used", "");
        }
    }

    private List<SimulatedSite> configured(HeadConfig config, Path file) {
        Path named = offerings == null ? file : offerings;
        List<Offering> sold = read(named);
        List<SimulatedSite> all = new ArrayList<>();
        for (HeadConfig.Site site : config.sites().values()) {
            List<SimulatedOffering> here = sold.stream()
                    .filter(one -> one.id().site().equals(site.name()) && isBought(config, one))
                    .map(one -> simulated(counted(one, config), site.maxNodes()))
                    .toList();
            if (here.isEmpty()) {
                throw bad(
                        named + " says nothing of site " + site.name() + " that its queues may buy",
                        "make it anew, for all sites, or look at queues.NAME.markets");
            }
            all.add(new SimulatedSite(site.name(), site.maxNodes(), here));
        }
        return all;
    }

    /** Jobs of a log have no queue of the head: what one queue of the site may buy is there for all of them. */
    private static boolean isBought(HeadConfig config, Offering one) {
        return config.queues().values().stream()
                .anyMatch(queue -> queue.sites().contains(one.id().site())
                        && queue.markets().contains(one.id().market()));
    }

    private static Offering counted(Offering one, HeadConfig config) {
        return config.limits().stream()
                .filter(cap -> !cap.types().isEmpty()
                        && cap.name().equals(one.id().site())
                        && cap.counts(one.id().instanceType()))
                .findFirst()
                .map(cap -> one.withQuotaFamily(cap.family()))
                .orElse(one);
    }

    private SimulatedOffering simulated(Offering offering, int capacity) {
        boolean spot = offering.id().market() == Market.SPOT;
        return new SimulatedOffering(
                offering,
                capacity,
                Times.duration("--boot", boot),
                StandardScenario.BOOT_SPREAD,
                spot ? StandardScenario.SPOT_SHORTAGE_EVERY : StandardScenario.SHORTAGE_EVERY,
                spot ? StandardScenario.SPOT_SHORTAGE_LASTS : StandardScenario.SHORTAGE_LASTS,
                spot ? Times.duration("--spot-life", spotLife) : Duration.ZERO);
    }

    private static List<Offering> read(Path file) {
        try {
            if (Files.size(file) > MOST_FILE_BYTES) {
                throw bad(file + " is larger than 256 MiB", "");
            }
            return Json.list(Files.readAllBytes(file), "offerings", OfferingView.class).stream()
                    .map(SiteOptions::offering)
                    .toList();
        } catch (IOException | IllegalArgumentException unreadable) {
            throw bad(
                    "the offerings " + file + " cannot be read: " + unreadable.getMessage(),
                    "make them with 'spillway offerings --json'");
        }
    }

    private static Offering offering(OfferingView view) {
        return Offering.of(
                        new OfferingId(
                                view.site(),
                                view.zone(),
                                view.type(),
                                Market.valueOf(
                                        view.market().toUpperCase(Locale.ROOT).replace('-', '_'))),
                        new Resources(
                                view.cpus(), view.memoryBytes(), view.gpus(), view.gpuModel(), view.localDiskBytes()),
                        view.pricePerHour())
                .withFeatures(Set.copyOf(view.features()));
    }

    private static CliFailure bad(String message, String hint) {
        return new CliFailure(CliFailure.BAD_INPUT, message, hint);
    }
}
