package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.cloud.CallMeter;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.Instance;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.RateLimits;
import org.spillway.cloud.Site;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.Market;
import org.spillway.policy.OfferingId;
import org.spillway.proof.bench.EmulatedAccount.Vendor;
import org.spillway.proof.faultsim.CallsSimulation;

/**
 * Calls for each vendor beside the allowances that it publishes: what a listing is made of is counted by the driver on an
 * emulated front; how often the head lists is counted of the production loop, in simulated time.
 */
final class CallBench {
    private static final int BOOTING = 1000;
    private static final int TRACKED = 1200;
    private static final Duration WINDOW = Duration.ofSeconds(15);
    private static final int PAUSE_SECONDS = 600;
    private static final int CALLS_IN_PAUSE = 20;
    private static final double SHARE = 20;
    private static final int IN_A_LAUNCH = 300;

    private final Path launcher;

    CallBench(Path launcher) {
        this.launcher = launcher;
    }

    List<Figure> measure() throws IOException, InterruptedException {
        List<Figure> figures = new ArrayList<>();
        for (Vendor vendor : Vendor.values()) {
            try (EmulatedAccount account = EmulatedAccount.start(launcher, vendor)) {
                of(vendor, account, figures);
            } catch (CloudException failed) {
                throw new IOException(vendor.word() + ": " + failed.reason() + ", " + failed.getMessage(), failed);
            }
        }
        return figures;
    }

    private static void of(Vendor vendor, EmulatedAccount account, List<Figure> figures)
            throws IOException, InterruptedException, CloudException {
        Site site = account.site();
        String name = "cloud." + vendor.word() + ".";
        CallMeter meter = site.calls().orElseThrow(() -> new IOException(vendor.word() + " counts no calls"));
        Set<String> ids = launch(site, vendor);
        int listing = reads(meter, () -> site.compute().list());
        figures.add(Figure.plain(name + "listing", listing, "calls", "a listing of " + ids.size() + " machines"));
        RateLimits limits = site.rateLimits();
        int minute = CallsSimulation.booting(limits, listing, BOOTING);
        String how = "a minute in which " + BOOTING + " machines boot";
        figures.add(Figure.plain(name + "booting", minute, "calls", how));
        if (vendor != Vendor.OPENSTACK) {
            double allowed = 60 * limits.listings().perSecond();
            figures.add(Figure.below(
                    SHARE + 0.01,
                    name + "booting.share",
                    100 * minute / allowed,
                    "%",
                    "of " + Math.round(allowed) + " a minute, as published; at most " + (int) SHARE));
        }
        int steady = CallsSimulation.steady(limits, listing, TRACKED, WINDOW);
        figures.add(Figure.below(
                2,
                name + "tracked",
                steady,
                "listings",
                "in any " + WINDOW.toSeconds() + " s while " + TRACKED + " machines run jobs; at most one"));
        account.pauses(vendor, PAUSE_SECONDS);
        refused(site);
        int held = reads(meter, () -> {
            for (int i = 0; i < CALLS_IN_PAUSE; i++) {
                refused(site);
            }
        });
        figures.add(Figure.below(
                1, name + "held", held, "calls", "while the provider has asked for a pause of the same bucket"));
    }

    private static void refused(Site site) throws IOException {
        try {
            site.compute().list();
        } catch (CloudException paused) {
            return;
        }
        throw new IOException("a listing was answered in a pause");
    }

    private interface Asked {
        void ask() throws CloudException, IOException;
    }

    private static int reads(CallMeter meter, Asked asked) throws CloudException, IOException {
        long before = meter.total(CallMeter.Kind.READ);
        asked.ask();
        return (int) (meter.total(CallMeter.Kind.READ) - before);
    }

    private static Set<String> launch(Site site, Vendor vendor) throws IOException {
        Set<String> ids = new HashSet<>();
        for (int i = 0; ids.size() < TRACKED; i++) {
            LaunchAnswer answer = site.compute()
                    .launch(LaunchRequest.of(
                                    "calls-" + i,
                                    1,
                                    new OfferingId(EmulatedAccount.SITE, vendor.zone, vendor.type, Market.ON_DEMAND),
                                    IN_A_LAUNCH)
                            .withTags(Map.of(Instance.TAG_ROLE, "NODE")));
            if (!(answer.outcome() instanceof LaunchOutcome.Launched)) {
                throw new IOException("a launch gave " + answer.outcome());
            }
            answer.instances().forEach(instance -> ids.add(instance.id()));
        }
        return ids;
    }
}
