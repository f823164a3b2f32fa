package org.spillway.head.doctor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.CloudDriver;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.cloud.Site;
import org.spillway.cloud.SiteSettings;
import org.spillway.cloud.transcript.Transcript;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.doctor.Examination.SiteExamined;

/** Examines sites, all at the same time, each for a bounded time. Needs no head and disturbs none. */
public final class Doctor {
    private final HeadConfig config;
    private final Map<String, CloudDriver> drivers;
    private final Duration limit;
    private final Also also;

    /**
     * More than looking.
     *
     * @param transcript takes note of calls and findings; null for none
     * @param launch the smallest machine of each site; null for none
     */
    public record Also(@Nullable Transcript transcript, LaunchProbe.@Nullable Means launch) {
        public static final Also NOTHING = new Also(null, null);
    }

    /**
     * @param limit for the driver's own checks of one site
     * @param also more than looking
     */
    public Doctor(HeadConfig config, Map<String, CloudDriver> drivers, Duration limit, Also also) {
        this.config = config;
        this.drivers = Map.copyOf(drivers);
        this.limit = limit;
        this.also = also;
    }

    /**
     * @param sites that the configuration names
     * @param progress told which sites are still awaited, whenever one is done; from one thread at a time
     */
    public Examination examine(Collection<String> sites, Consumer<Set<String>> progress) throws InterruptedException {
        SiteExamined[] done = new SiteExamined[sites.size()];
        Set<String> awaited = new TreeSet<>(sites);
        List<Thread> threads = new ArrayList<>();
        int next = 0;
        for (String name : sites) {
            int place = next++;
            HeadConfig.Site site = config.sites().get(name);
            if (site == null) {
                throw new IllegalArgumentException("no such site: " + name);
            }
            threads.add(Thread.ofVirtual().name("doctor " + name).start(() -> {
                done[place] = examined(site);
                synchronized (awaited) {
                    awaited.remove(name);
                    progress.accept(Set.copyOf(awaited));
                }
            }));
        }
        if (also.launch() != null) {
            // A machine that was launched ends before this process does, as by Ctrl-C.
            Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(threads), "doctor ends"));
        }
        List<Finding> head = new ArrayList<>(OwnChecks.head(config));
        head.addAll(DirectoryLook.of(config));
        for (Thread thread : threads) {
            thread.join();
        }
        return Examination.of(head, List.of(done));
    }

    private static void stop(List<Thread> threads) {
        threads.forEach(Thread::interrupt);
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    private SiteExamined examined(HeadConfig.Site site) {
        List<Finding> findings = new ArrayList<>(OwnChecks.site(config, site));
        findings.addAll(driver(site));
        return new SiteExamined(site.name(), site.driver(), Examination.worst(findings), findings);
    }

    private List<Finding> driver(HeadConfig.Site site) {
        CloudDriver driver = drivers.get(site.driver());
        if (driver == null) {
            return broken("driver", "there is no driver '" + site.driver() + "'", "use a release that has it");
        }
        Transcript transcript = also.transcript();
        SiteSettings settings = transcript == null
                ? site.settings()
                : site.settings().withRecorder(transcript.of(site.driver(), site.settings()));
        try (Site opened = driver.open(settings)) {
            List<Finding> found = new ArrayList<>(SiteLook.at(opened, config.needs(site), limit));
            LaunchProbe.Means means = also.launch();
            ProbeLedger ledger = new ProbeLedger(config.state(), site.name());
            if (means == null) {
                found.addAll(LaunchProbe.open(ledger));
            } else {
                boolean usable = Examination.worst(found) != Verdict.BROKEN;
                found.addAll(new LaunchProbe(opened, ledger, means.by(site.owner())).run(usable));
            }
            if (transcript != null) {
                found.forEach(one -> transcript.found(site.name(), one));
            }
            return found;
        } catch (SiteSettings.Invalid invalid) {
            return broken(
                    "settings",
                    (invalid.key().equals("prices") ? "" : "options.") + invalid.key() + ": " + invalid.getMessage(),
                    "correct the configuration");
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            return broken("time", "interrupted", "ask again");
        } catch (RuntimeException fault) {
            return broken("driver", "it cannot open the site: " + fault.getMessage(), "please report it");
        }
    }

    private static List<Finding> broken(String check, String detail, String repair) {
        return List.of(new Finding(check, Verdict.BROKEN, detail, repair));
    }
}
