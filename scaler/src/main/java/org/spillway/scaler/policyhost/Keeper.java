package org.spillway.scaler.policyhost;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;

/** The thread that looks at the folder, has new files checked, and starts and ends children. Nobody waits for it. */
final class Keeper implements AutoCloseable {
    private static final int SEEDS = 200;
    private static final int SEEDS_AGAIN = 20;
    private static final Duration ENDING = Duration.ofSeconds(10);
    private static final int SHORT_DIGEST = 12;

    private final PolicyHostSettings settings;
    private final Roster roster;
    private final Nursery nursery;
    private final Containment containment;
    private final InstantSource clock;
    private final PolicyHost.Listener log;
    private final PolicyFiles files;
    private final PolicyArchive archive;
    private final Map<String, PolicyFiles.Look> seenOnce = new TreeMap<>();
    private final Semaphore wake = new Semaphore(0);
    private final Thread thread = new Thread(this::keep, "policies");
    private volatile @Nullable ClusterSnapshot present;
    private volatile boolean closed;

    Keeper(
            PolicyHostSettings settings,
            Roster roster,
            Containment containment,
            InstantSource clock,
            PolicyHost.Listener log) {
        this.settings = settings;
        this.roster = roster;
        this.containment = containment;
        this.clock = clock;
        this.log = log;
        nursery = new Nursery(containment, settings.memoryMib(), settings.deadline(), log::info);
        files = new PolicyFiles(settings.folder(), Containment.uid());
        archive = new PolicyArchive(settings.kept());
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** There is something to do. */
    void wake() {
        wake.release();
    }

    /** The cluster as it is, to warm up with. */
    void seen(ClusterSnapshot now) {
        present = now;
    }

    private void keep() {
        log.info("a policy from a file " + containment.description());
        int swept = Leftovers.sweep(Path.of(System.getProperty("java.io.tmpdir")), Containment.uid());
        if (swept > 0) {
            log.info("removed " + swept + (swept == 1 ? " folder" : " folders")
                    + " of policies that a head before this one has left");
        }
        boolean first = true;
        while (!closed) {
            try {
                look(first);
                first = false;
                startWanted();
                save();
                if (wake.tryAcquire(settings.poll().toMillis(), TimeUnit.MILLISECONDS)) {
                    wake.drainPermits();
                }
            } catch (InterruptedException stop) {
                return;
            } catch (RuntimeException fault) {
                log.warn("policies could not be looked after: " + fault);
            }
        }
    }

    private void save() {
        try {
            roster.save();
        } catch (IOException full) {
            log.warn("what became of policies could not be written: " + full.getMessage());
        }
    }

    /** New and changed files are checked once two looks found them the same: a file may be in the middle of being copied. */
    private void look(boolean first) {
        Map<String, PolicyFiles.Look> now = files.look();
        if (first) {
            roster.onlyOf(now.keySet());
        }
        roster.all().stream()
                .map(plugin -> plugin.file)
                .filter(file -> !now.containsKey(file))
                .forEach(this::removed);
        for (Map.Entry<String, PolicyFiles.Look> entry : now.entrySet()) {
            Plugin plugin = roster.of(entry.getKey());
            boolean settled = entry.getValue().equals(seenOnce.put(entry.getKey(), entry.getValue()));
            if (settled && !entry.getValue().equals(plugin.looked)) {
                plugin.looked = entry.getValue();
                roster.changed(plugin);
                examine(plugin);
            } else if (settled && roster.isDueAgain(plugin)) {
                examine(plugin);
            }
        }
        seenOnce.keySet().retainAll(now.keySet());
    }

    private void removed(String file) {
        Plugin plugin = roster.removed(file).orElse(null);
        if (plugin == null) {
            return;
        }
        if (plugin.good != null) {
            log.info("policy " + plugin.name() + ": its file " + file + " was removed");
        }
        if (plugin.running != null) {
            plugin.running.close();
        }
    }

    private void examine(Plugin plugin) {
        String digest = "";
        try {
            byte[] content = files.read(plugin.file);
            digest = PolicyFiles.digest(content);
            if (plugin.good != null && plugin.good.digest().equals(digest)) {
                roster.asBefore(plugin);
                return;
            }
            take(plugin, digest, content, SEEDS);
            log.info("policy " + plugin.name() + " of " + plugin.file + " passed its check, version "
                    + shortened(digest));
        } catch (NotTaken refused) {
            if (plugin.good == null) {
                revive(plugin);
            }
            boolean news = roster.refuse(plugin, digest, refused.findings());
            if (!news) {
                return;
            }
            log.warn("policy file " + plugin.file + " is not taken: "
                    + String.join(
                            " | ",
                            refused.findings().stream().map(Finding::toString).toList())
                    + (plugin.good == null ? "" : "; its version " + shortened(plugin.good.digest()) + " stays"));
        }
    }

    /** The version that decided before the head was restarted, where the file does not pass any more. */
    private void revive(Plugin plugin) {
        String digest = roster.lastGood(plugin.file).orElse("");
        try {
            Optional<PolicyArchive.Version> kept = archive.find(digest);
            if (kept.isPresent()) {
                take(plugin, digest, kept.get().content(), SEEDS_AGAIN);
            }
        } catch (IOException | NotTaken gone) {
            log.warn("the last good version of policy file " + plugin.file + " cannot be used: " + gone.getMessage());
        }
    }

    private void take(Plugin plugin, String digest, byte[] content, int seeds) throws NotTaken {
        Nursery.Grown grown = nursery.grow(plugin.file, content, settings.texts(), seeds, present);
        ChildProcess former;
        try {
            former = roster.take(plugin, grown, digest, content);
        } catch (NotTaken clash) {
            grown.child().close();
            throw clash;
        }
        if (former != null) {
            former.close();
        }
        try {
            archive.keep(
                    new PolicyArchive.Version(plugin.file, digest, content), roster.digestsInUse(), clock.instant());
        } catch (IOException full) {
            log.warn("version " + shortened(digest) + " of policy " + plugin.name()
                    + " could not be kept, so its decisions cannot be replayed: " + full.getMessage());
        }
    }

    private static String shortened(String digest) {
        return digest.length() > SHORT_DIGEST ? digest.substring(0, SHORT_DIGEST) : digest;
    }

    /** Children of whom nobody is asked are ended; the one that is wanted and not there is started. */
    private void startWanted() {
        roster.takeEnded().forEach(ChildProcess::close);
        for (Plugin plugin : roster.all()) {
            Roster.Need need = roster.need(plugin);
            if (need.idle() != null) {
                need.idle().close();
            }
            if (need.start() && plugin.good != null) {
                startAgain(plugin, plugin.good);
            }
            roster.arrived(plugin);
        }
    }

    private void startAgain(Plugin plugin, Plugin.Good good) {
        try {
            Nursery.Grown grown = nursery.grow(plugin.file, good.content(), settings.texts(), SEEDS_AGAIN, present);
            roster.started(plugin, grown.child());
        } catch (NotTaken failed) {
            List<Finding> findings = failed.findings();
            log.warn("policy " + good.name() + " " + roster.didNotStart(plugin, findings.getFirst()));
        }
    }

    /** Ends all children. */
    @Override
    public void close() throws IOException {
        closed = true;
        thread.interrupt();
        try {
            thread.join(ENDING);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Plugin plugin : roster.all()) {
            ChildProcess child = plugin.running;
            if (child != null) {
                child.close();
            }
        }
        roster.takeEnded().forEach(ChildProcess::close);
        save();
        nursery.close();
    }
}
