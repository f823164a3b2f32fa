package org.spillway.scaler.policyhost;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Planner;
import org.spillway.policy.ScalingPolicy;
import org.spillway.policy.Wish;
import org.spillway.scaler.Decider;

/**
 * Decides with the policy that the administrator wants, built in or from a file, and with a built-in one when that gives no
 * answer. A thread of its own looks at the folder, has new files checked and starts children; who decides waits for none of
 * that, and for a child no longer than the deadline.
 */
public final class PolicyHost implements Decider, AutoCloseable {
    private static final int SEEDS = 200;
    private static final int SEEDS_AGAIN = 20;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final int MOST_DOUBLINGS = 6;
    private static final Duration ENDING = Duration.ofSeconds(10);

    private final PolicyHostSettings settings;
    private final Map<String, Builtin<?>> builtins;
    private final InstantSource clock;
    private final Listener log;
    private final PolicyFiles files;
    private final Nursery nursery;
    private final Containment containment;
    private final Object lock = new Object();
    private final PolicyRecords records;
    private final Map<String, Plugin> plugins = new TreeMap<>();
    private final Map<String, PolicyFiles.Look> seenOnce = new TreeMap<>();
    /** Killed by who decides, to be cleaned up after by who has time. */
    private final List<ChildProcess> ended = new ArrayList<>();

    private final Semaphore wake = new Semaphore(0);
    private final Thread keeper;

    /** The one that decides from the next tick on. */
    private String wanted;
    /** Enabled, and waiting for its child; the wanted one goes on meanwhile. Empty for none. */
    private String coming = "";

    private String deciding = "";
    private String note = "";
    private volatile @Nullable ClusterSnapshot present;
    private volatile boolean closed;

    /** A policy that needs no child. */
    public record Builtin<S extends Record>(ScalingPolicy<S> policy, S settings) {
        Decision decide(ClusterSnapshot now, Planner planner, String release, String note) {
            Source source = new Source(policy.name(), "", release, settings);
            return new Decision(source, policy.decide(now, settings, planner), note);
        }
    }

    /** Settings of a policy from a file, as its administrator wrote them; what is missing has its default. */
    public record Written(Map<String, String> texts) {
        public Written {
            texts = Map.copyOf(texts);
        }
    }

    /** Hears what administrators should know. */
    public interface Listener {
        void info(String sentence);

        void warn(String sentence);
    }

    /** It is asked for something that it cannot do; the message says why and what to do. */
    public static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1;
        private final boolean unknown;

        Refused(boolean unknown, String message) {
            super(message);
            this.unknown = unknown;
        }

        /** Whether there is no such policy. */
        public boolean isUnknown() {
            return unknown;
        }
    }

    private PolicyHost(
            PolicyHostSettings settings,
            Map<String, Builtin<?>> builtins,
            Containment containment,
            PolicyRecords records,
            InstantSource clock,
            Listener log) {
        this.settings = settings;
        this.builtins = new TreeMap<>(builtins);
        this.containment = containment;
        this.records = records;
        this.clock = clock;
        this.log = log;
        files = new PolicyFiles(settings.folder(), Containment.uid());
        nursery = new Nursery(containment, settings.memoryMib(), settings.deadline(), log::info);
        wanted = records.chosen(settings.configured()).orElse(settings.configured());
        keeper = new Thread(this::keep, "policies");
        keeper.setDaemon(true);
    }

    /**
     * @param builtins by name, the fallback of the settings among them
     * @throws IOException if the state file cannot be read
     */
    public static PolicyHost start(
            PolicyHostSettings settings,
            Map<String, Builtin<?>> builtins,
            Containment containment,
            InstantSource clock,
            Listener log)
            throws IOException {
        if (!builtins.containsKey(settings.fallback())) {
            throw new IllegalArgumentException("no such built-in policy: " + settings.fallback());
        }
        PolicyHost host =
                new PolicyHost(settings, builtins, containment, PolicyRecords.open(settings.state()), clock, log);
        if (!host.wanted.equals(settings.configured())) {
            log.info("policy " + host.wanted + " decides, as it was enabled; scaler.policy says "
                    + settings.configured());
        }
        host.keeper.start();
        return host;
    }

    @Override
    public Decision decide(ClusterSnapshot now, Planner planner) {
        present = now;
        String name;
        Plugin plugin;
        ChildProcess child;
        Source source;
        synchronized (lock) {
            name = wanted;
            plugin = plugin(name).orElse(null);
            child = plugin == null ? null : plugin.running;
            source = source(name, plugin);
        }
        Builtin<?> builtin = builtins.get(name);
        if (builtin != null) {
            return said(builtin.decide(now, planner, settings.release(), ""));
        }
        String why;
        if (plugin == null) {
            why = "there is no such policy in " + settings.folder();
        } else if (child == null) {
            synchronized (lock) {
                why = plugin.why();
            }
        } else {
            try {
                List<Wish> wishes = Nursery.decide(child, now, settings.deadline());
                synchronized (lock) {
                    plugin.strikes = 0;
                    plugin.failure = "";
                }
                return said(new Decision(source, wishes, ""));
            } catch (ChildFailure failure) {
                why = struck(plugin, child, failure.sentence());
            }
        }
        String sentence = "policy " + name + " " + why + "; " + settings.fallback() + " decides";
        Builtin<?> fallback = builtin(settings.fallback());
        return said(fallback.decide(now, planner, settings.release(), sentence));
    }

    private Source source(String name, @Nullable Plugin plugin) {
        Plugin.Good good = plugin == null ? null : plugin.good;
        Map<String, String> texts = name.equals(settings.configured()) ? settings.texts() : Map.of();
        return new Source(name, good == null ? "" : good.digest(), settings.release(), new Written(texts));
    }

    private Builtin<?> builtin(String name) {
        Builtin<?> found = builtins.get(name);
        if (found == null) {
            throw new IllegalStateException("no such built-in policy: " + name);
        }
        return found;
    }

    /** Says once what goes on for many ticks. */
    private Decision said(Decision decision) {
        synchronized (lock) {
            if (!decision.note().equals(note) && !decision.note().isEmpty()) {
                log.warn(decision.note());
            }
            if (!decision.source().policy().equals(deciding)) {
                log.info("policy " + decision.source().policy() + " decides");
            }
            note = decision.note();
            deciding = decision.source().policy();
        }
        return decision;
    }

    private String struck(Plugin plugin, ChildProcess child, String sentence) {
        String why;
        synchronized (lock) {
            if (plugin.running != child) {
                return sentence;
            }
            plugin.strikes++;
            plugin.failure = sentence;
            records.strike(plugin.name());
            plugin.struckOut = plugin.strikes >= settings.strikes();
            if (plugin.struckOut || !child.isAlive() || sentence.contains("was ended")) {
                plugin.running = null;
                child.kill();
                ended.add(child);
                plugin.notBefore = clock.instant().plus(pause(plugin.strikes));
            }
            why = sentence + " (failure " + plugin.strikes + " of " + settings.strikes() + ")";
            if (plugin.struckOut) {
                why += " and is disabled until its file changes or 'spillway policy enable " + plugin.name() + "'";
            }
        }
        wake.release();
        return why;
    }

    private static Duration pause(int strikes) {
        return FIRST_PAUSE.multipliedBy(1L << Math.min(MOST_DOUBLINGS, Math.max(0, strikes - 1)));
    }

    private Optional<Plugin> plugin(String name) {
        return plugins.values().stream()
                .filter(one -> one.good != null && one.name().equals(name))
                .findFirst();
    }

    private void keep() {
        log.info("a policy from a file " + containment.description());
        while (!closed) {
            try {
                look();
                startWanted();
                records();
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

    private void records() {
        try {
            synchronized (lock) {
                records.save();
            }
        } catch (IOException full) {
            log.warn("what became of policies could not be written: " + full.getMessage());
        }
    }

    /** New and changed files are checked once two looks found them the same: a file may be in the middle of being copied. */
    private void look() {
        Map<String, PolicyFiles.Look> now = files.look();
        List<String> gone = plugins().stream()
                .map(plugin -> plugin.file)
                .filter(file -> !now.containsKey(file))
                .toList();
        gone.forEach(this::removed);
        for (Map.Entry<String, PolicyFiles.Look> entry : now.entrySet()) {
            Plugin plugin;
            synchronized (lock) {
                plugin = plugins.computeIfAbsent(entry.getKey(), Plugin::new);
            }
            boolean settled = entry.getValue().equals(seenOnce.put(entry.getKey(), entry.getValue()));
            if (settled && !entry.getValue().equals(plugin.looked)) {
                plugin.looked = entry.getValue();
                examine(plugin);
            }
        }
        seenOnce.keySet().retainAll(now.keySet());
    }

    private List<Plugin> plugins() {
        synchronized (lock) {
            return List.copyOf(plugins.values());
        }
    }

    private void removed(String file) {
        Plugin plugin;
        ChildProcess child;
        synchronized (lock) {
            plugin = plugins.remove(file);
            child = plugin == null ? null : plugin.running;
            if (plugin != null && plugin.good != null) {
                records.end(plugin.name(), clock.instant(), "its file was removed");
                log.info("policy " + plugin.name() + ": its file " + file + " was removed");
            }
        }
        if (child != null) {
            child.close();
        }
    }

    private void examine(Plugin plugin) {
        String digest = "";
        try {
            byte[] content = files.read(plugin.file);
            digest = PolicyFiles.digest(content);
            Plugin.Good before = plugin.good;
            if (before != null && before.digest().equals(digest)) {
                synchronized (lock) {
                    plugin.refused = List.of();
                }
                return;
            }
            Nursery.Grown grown =
                    nursery.grow(plugin.file, content, settings.texts(), settings.configured(), SEEDS, present);
            take(plugin, grown, digest, content);
        } catch (NotTaken refused) {
            refuse(plugin, digest, refused.findings());
        }
    }

    private void take(Plugin plugin, Nursery.Grown grown, String digest, byte[] content) throws NotTaken {
        String name = grown.name();
        String taken = clash(plugin, name);
        if (!taken.isEmpty()) {
            grown.child().close();
            throw new NotTaken(plugin.file, taken);
        }
        Instant now = clock.instant();
        ChildProcess former;
        synchronized (lock) {
            former = plugin.running;
            Plugin.Good before = plugin.good;
            if (before != null && !before.name().equals(name)) {
                records.end(before.name(), now, "its file holds policy " + name + " now");
            }
            records.begin(name, new PolicyVersion(plugin.file, digest, true, now, null, "", 0));
            Instant since = records.since(name, digest).orElse(now);
            plugin.good = new Plugin.Good(name, digest, content, since, grown.settings());
            plugin.refused = List.of();
            plugin.strikes = 0;
            plugin.failure = "";
            plugin.struckOut = false;
            plugin.running = grown.child();
        }
        log.info("policy " + name + " of " + plugin.file + " passed its check, version " + digest.substring(0, 12));
        if (former != null) {
            former.close();
        }
    }

    private String clash(Plugin plugin, String name) {
        if (builtins.containsKey(name)) {
            return "its name is '" + name + "', which is built in; choose another";
        }
        return plugins().stream()
                .filter(other ->
                        other != plugin && other.good != null && other.name().equals(name))
                .findFirst()
                .map(other -> "its name is '" + name + "', and so is that of " + other.file + "; remove one of them")
                .orElse("");
    }

    private void refuse(Plugin plugin, String digest, List<Finding> findings) {
        synchronized (lock) {
            plugin.refused = findings;
            Plugin.Good good = plugin.good;
            if (!digest.isEmpty()) {
                records.begin(
                        plugin.name(),
                        new PolicyVersion(
                                plugin.file,
                                digest,
                                false,
                                clock.instant(),
                                clock.instant(),
                                findings.getFirst().toString(),
                                0));
            }
            log.warn("policy file " + plugin.file + " is not taken: "
                    + String.join(
                            " | ", findings.stream().map(Finding::toString).toList())
                    + (good == null ? "" : "; its version " + good.digest().substring(0, 12) + " stays"));
        }
    }

    /** Children of whom nobody is asked are ended; the one that is wanted and not there is started. */
    private void startWanted() {
        List<ChildProcess> killed;
        synchronized (lock) {
            killed = List.copyOf(ended);
            ended.clear();
        }
        killed.forEach(ChildProcess::close);
        for (Plugin plugin : plugins()) {
            ChildProcess idle = null;
            boolean due;
            synchronized (lock) {
                Plugin.Good good = plugin.good;
                boolean needed = good != null
                        && (good.name().equals(wanted) || good.name().equals(coming))
                        && !plugin.struckOut
                        && !records.isDisabled(good.name());
                ChildProcess child = plugin.running;
                if (child != null && (!needed || !child.isAlive())) {
                    idle = child;
                    plugin.running = null;
                }
                due = needed && plugin.running == null && !clock.instant().isBefore(plugin.notBefore);
            }
            if (idle != null) {
                idle.close();
            }
            if (due) {
                startAgain(plugin);
            }
            arrived(plugin);
        }
    }

    private void arrived(Plugin plugin) {
        synchronized (lock) {
            if (!coming.isEmpty() && plugin.running != null && plugin.name().equals(coming)) {
                wanted = coming;
                coming = "";
            }
        }
    }

    private void startAgain(Plugin plugin) {
        Plugin.Good good = plugin.good;
        if (good == null) {
            return;
        }
        try {
            Nursery.Grown grown = nursery.grow(
                    plugin.file, good.content(), settings.texts(), settings.configured(), SEEDS_AGAIN, present);
            synchronized (lock) {
                plugin.running = grown.child();
            }
        } catch (NotTaken failed) {
            synchronized (lock) {
                plugin.strikes++;
                plugin.failure = "did not start: " + failed.findings().getFirst();
                plugin.struckOut = plugin.strikes >= settings.strikes();
                plugin.notBefore = clock.instant().plus(pause(plugin.strikes));
                records.strike(good.name());
            }
            log.warn("policy " + good.name() + " " + plugin.failure);
        }
    }

    /**
     * Lets this policy decide from now on, and remembers it. One from a file takes over when its process is warm.
     *
     * @throws Refused if there is none of that name, or no version of it has passed
     */
    public void enable(String name) {
        synchronized (lock) {
            Plugin plugin = known(name);
            if (plugin != null) {
                if (plugin.good == null) {
                    throw new Refused(false, "policy " + name + " " + plugin.why());
                }
                plugin.struckOut = false;
                plugin.strikes = 0;
                plugin.notBefore = Instant.MIN;
            }
            records.setDisabled(name, false);
            records.choose(name, settings.configured());
            if (plugin == null || name.equals(wanted)) {
                wanted = name;
                coming = "";
            } else {
                coming = name;
            }
        }
        wake.release();
    }

    /**
     * Lets a policy from a file decide nothing any more, until it is enabled.
     *
     * @throws Refused if there is none of that name, or it is built in
     */
    public void disable(String name) {
        synchronized (lock) {
            if (known(name) == null) {
                throw new Refused(false, "policy " + name + " is built in; enable another one instead");
            }
            records.setDisabled(name, true);
            if (name.equals(coming)) {
                coming = "";
            }
            if (name.equals(wanted)
                    || records.chosen(settings.configured())
                            .filter(name::equals)
                            .isPresent()) {
                wanted = name.equals(settings.configured()) ? settings.fallback() : settings.configured();
                records.choose(wanted, settings.configured());
            }
        }
        wake.release();
    }

    /** @return null for a built-in one */
    private @Nullable Plugin known(String name) {
        if (builtins.containsKey(name)) {
            return null;
        }
        return plugins.values().stream()
                .filter(one -> one.name().equals(name) || one.file.equals(name))
                .findFirst()
                .orElseThrow(() -> new Refused(
                        true, "there is no policy '" + name + "'; 'spillway policy list' shows those that are"));
    }

    public PolicyOverview overview() {
        synchronized (lock) {
            List<PolicyOverview.One> all = new ArrayList<>();
            builtins.forEach((name, builtin) -> all.add(new PolicyOverview.One(
                    name,
                    name.equals(decides()) ? PolicyOverview.State.DECIDING : PolicyOverview.State.READY,
                    "",
                    "",
                    null,
                    0,
                    List.of(),
                    SettingDescription.of(builtin.settings()))));
            plugins.values().forEach(plugin -> all.add(view(plugin)));
            return new PolicyOverview(
                    decides(),
                    coming.isEmpty() ? wanted : coming,
                    note,
                    containment.description(),
                    settings.folder().toString(),
                    all);
        }
    }

    /** In the next tick, as things are. */
    private String decides() {
        boolean can = builtins.containsKey(wanted)
                || plugin(wanted).filter(one -> one.running != null).isPresent();
        return can ? wanted : settings.fallback();
    }

    private PolicyOverview.One view(Plugin plugin) {
        Plugin.Good good = plugin.good;
        List<String> findings =
                new ArrayList<>(plugin.refused.stream().map(Finding::toString).toList());
        if (!plugin.failure.isEmpty()) {
            findings.add(plugin.failure);
        }
        return new PolicyOverview.One(
                plugin.name(),
                state(plugin),
                plugin.file,
                good == null ? "" : good.digest(),
                good == null ? null : good.since(),
                plugin.strikes,
                findings,
                good == null ? List.of() : good.settings());
    }

    private PolicyOverview.State state(Plugin plugin) {
        if (plugin.good == null) {
            return plugin.refused.isEmpty() ? PolicyOverview.State.STARTING : PolicyOverview.State.REFUSED;
        }
        if (plugin.struckOut || records.isDisabled(plugin.name())) {
            return PolicyOverview.State.DISABLED;
        }
        if (!plugin.name().equals(wanted) && !plugin.name().equals(coming)) {
            return PolicyOverview.State.READY;
        }
        return plugin.running != null && plugin.name().equals(wanted)
                ? PolicyOverview.State.DECIDING
                : PolicyOverview.State.STARTING;
    }

    /** Versions of a policy, also of one that is gone, oldest first. @throws Refused if there never was one */
    public List<PolicyVersion> history(String name) {
        synchronized (lock) {
            List<PolicyVersion> versions = records.versions(name);
            if (versions.isEmpty()) {
                known(name);
            }
            return versions;
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        keeper.interrupt();
        try {
            keeper.join(ENDING);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        for (Plugin plugin : plugins()) {
            ChildProcess child = plugin.running;
            if (child != null) {
                child.close();
            }
        }
        List.copyOf(ended).forEach(ChildProcess::close);
        records();
        nursery.close();
    }
}
