package org.spillway.scaler.policyhost;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.scaler.BoundPolicy;
import org.spillway.scaler.Decider;

/** Which policies there are, which one decides and which should. Any thread; nothing in it waits for a child. */
final class Roster {
    private final PolicyHostSettings settings;
    private final Map<String, BoundPolicy<?>> builtins;
    private final PolicyRecords records;
    private final InstantSource clock;
    private final Map<String, Plugin> plugins = new TreeMap<>();
    /** Killed by who decides, to be cleaned up after by who has time. */
    private final List<ChildProcess> ended = new ArrayList<>();

    /** The one that decides from the next tick on. */
    private String wanted;
    /** Enabled, and waiting for its child; the wanted one goes on meanwhile. Empty for none. */
    private String coming = "";

    private String note = "";

    Roster(
            PolicyHostSettings settings,
            Map<String, BoundPolicy<?>> builtins,
            PolicyRecords records,
            InstantSource clock) {
        this.settings = settings;
        this.builtins = new TreeMap<>(builtins);
        this.records = records;
        this.clock = clock;
        wanted = records.chosen(settings.configured()).orElse(settings.configured());
    }

    synchronized String wanted() {
        return wanted;
    }

    /** Whose turn it is. */
    sealed interface Turn {
        record BuiltIn(String name, BoundPolicy<?> policy) implements Turn {}

        record FromFile(String name, Plugin plugin, ChildProcess child, Decider.Source source) implements Turn {}

        /**
         * Nobody's who could.
         *
         * @param why after the name
         */
        record Nobody(String name, String why) implements Turn {}
    }

    synchronized Turn turn() {
        BoundPolicy<?> builtin = builtins.get(wanted);
        if (builtin != null) {
            return new Turn.BuiltIn(wanted, builtin);
        }
        Plugin plugin = named(wanted).orElse(null);
        if (plugin == null || plugin.good == null) {
            return new Turn.Nobody(wanted, "there is no such policy in " + settings.folder());
        }
        ChildProcess child = plugin.running;
        return child == null
                ? new Turn.Nobody(wanted, plugin.why())
                : new Turn.FromFile(
                        wanted,
                        plugin,
                        child,
                        new Decider.Source(wanted, plugin.good.digest(), settings.release(), settings.of(wanted)));
    }

    /** Decides when the other cannot. */
    BoundPolicy<?> fallback() {
        BoundPolicy<?> found = builtins.get(settings.fallback());
        if (found == null) {
            throw new IllegalStateException("no such built-in policy: " + settings.fallback());
        }
        return found;
    }

    private Optional<Plugin> named(String name) {
        return plugins.values().stream()
                .filter(one -> one.good != null && one.name().equals(name))
                .findFirst();
    }

    /** @return whether this is another note than that of the last decision */
    synchronized boolean noted(String sentence) {
        boolean other = !sentence.equals(note);
        note = sentence;
        return other;
    }

    synchronized void answered(Plugin plugin) {
        plugin.strikes = 0;
        plugin.failure = "";
        if (!clock.instant().isBefore(plugin.tried.plus(Pauses.TRIAL.after(plugin.disabledTimes)))) {
            plugin.disabledTimes = 0;
        }
    }

    /** @return what it did, and what follows from it */
    synchronized String struck(Plugin plugin, ChildProcess child, String sentence) {
        if (plugin.running != child) {
            return sentence;
        }
        plugin.strikes++;
        plugin.failure = sentence;
        failed(plugin);
        if (plugin.struckOut || !child.isAlive()) {
            plugin.running = null;
            child.kill();
            ended.add(child);
        }
        String why = sentence + " (failure " + plugin.strikes + " of " + settings.strikes() + ")";
        return plugin.struckOut
                ? why + " and is disabled; " + plugin.again()
                        + ", when its file changes, or by 'spillway policy enable " + plugin.name() + "'"
                : why;
    }

    /** Counts a failure, and says when the policy is tried again. */
    private void failed(Plugin plugin) {
        records.strike(plugin.name());
        plugin.struckOut = plugin.strikes >= settings.strikes();
        if (plugin.struckOut) {
            plugin.disabledTimes++;
        }
        plugin.notBefore = clock.instant()
                .plus(plugin.struckOut ? Pauses.TRIAL.after(plugin.disabledTimes) : Pauses.START.after(plugin.strikes));
    }

    synchronized List<ChildProcess> takeEnded() {
        List<ChildProcess> all = List.copyOf(ended);
        ended.clear();
        return all;
    }

    synchronized List<Plugin> all() {
        return List.copyOf(plugins.values());
    }

    synchronized Plugin of(String file) {
        return plugins.computeIfAbsent(file, Plugin::new);
    }

    /** The newest file is the good one again. */
    synchronized void asBefore(Plugin plugin) {
        plugin.refused = List.of();
        plugin.refusals = 0;
    }

    /** Whether a file that did not pass is to be looked at again: what kept it from passing may be over. */
    synchronized boolean isDueAgain(Plugin plugin) {
        return plugin.refusals > 0 && !clock.instant().isBefore(plugin.examineAgain);
    }

    /** Another file is in its place: what was before says nothing of it. */
    synchronized void changed(Plugin plugin) {
        plugin.refusals = 0;
    }

    synchronized Optional<Plugin> removed(String file) {
        Plugin plugin = plugins.remove(file);
        if (plugin != null && plugin.good != null) {
            records.end(plugin.name(), clock.instant(), "its file was removed");
        }
        return Optional.ofNullable(plugin);
    }

    /** Versions of earlier lives whose file is not there any more are over. */
    synchronized void onlyOf(Set<String> files) {
        records.standing().stream()
                .filter(one -> !files.contains(one.version().file()))
                .forEach(one -> records.end(one.policy(), clock.instant(), "its file was removed"));
    }

    /** Digest of the last version of this file that passed, in an earlier life; empty for none. */
    synchronized Optional<String> lastGood(String file) {
        return records.standing().stream()
                .filter(one -> one.version().file().equals(file))
                .map(one -> one.version().digest())
                .findFirst();
    }

    synchronized Set<String> digestsInUse() {
        Set<String> digests = records.standing().stream()
                .map(one -> one.version().digest())
                .collect(Collectors.toCollection(TreeSet::new));
        plugins.values().stream()
                .map(plugin -> plugin.good)
                .filter(good -> good != null)
                .forEach(good -> digests.add(good.digest()));
        return digests;
    }

    /**
     * @return the child of the version before, to be ended; null for none
     * @throws NotTaken if another policy has its name
     */
    synchronized @Nullable ChildProcess take(Plugin plugin, Nursery.Grown grown, String digest, byte[] content)
            throws NotTaken {
        String name = grown.name();
        String taken = clash(plugin, name);
        if (!taken.isEmpty()) {
            throw new NotTaken(plugin.file, taken);
        }
        Instant now = clock.instant();
        ChildProcess former = plugin.running;
        Plugin.Good before = plugin.good;
        if (before != null && !before.name().equals(name)) {
            records.end(before.name(), now, "its file holds policy " + name + " now");
        }
        records.begin(name, new PolicyVersion(plugin.file, digest, true, now, null, "", 0));
        Instant since = records.since(name, digest).orElse(now);
        plugin.good = new Plugin.Good(name, digest, content, since, grown.settings());
        plugin.refused = List.of();
        plugin.refusals = 0;
        plugin.strikes = 0;
        plugin.failure = "";
        plugin.struckOut = false;
        plugin.disabledTimes = 0;
        plugin.running = grown.child();
        return former;
    }

    private String clash(Plugin plugin, String name) {
        if (builtins.containsKey(name)) {
            return "its name is '" + name + "', which is built in; choose another";
        }
        return named(name)
                .filter(other -> other != plugin)
                .map(other -> "its name is '" + name + "', and so is that of " + other.file + "; remove one of them")
                .orElse("");
    }

    /**
     * @param digest empty when it could not even be read
     * @return whether this is news: another file or other findings than the last time
     */
    synchronized boolean refuse(Plugin plugin, String digest, List<Finding> findings) {
        boolean news = plugin.refusals == 0 || !plugin.refused.equals(findings);
        plugin.refused = findings;
        plugin.refusals++;
        plugin.examineAgain = clock.instant().plus(Pauses.TRIAL.after(plugin.refusals));
        if (!digest.isEmpty()) {
            Instant now = clock.instant();
            String why = findings.getFirst().toString();
            records.begin(plugin.name(), new PolicyVersion(plugin.file, digest, false, now, now, why, 0));
        }
        return news;
    }

    /** @param idle a child that nobody asks, or a dead one, to be ended */
    record Need(@Nullable ChildProcess idle, boolean start) {}

    synchronized Need need(Plugin plugin) {
        Plugin.Good good = plugin.good;
        boolean needed = good != null
                && (good.name().equals(wanted) || good.name().equals(coming))
                && !records.isDisabled(good.name());
        ChildProcess idle = null;
        ChildProcess child = plugin.running;
        if (child != null && (!needed || !child.isAlive())) {
            idle = child;
            plugin.running = null;
        }
        return new Need(
                idle, needed && plugin.running == null && !clock.instant().isBefore(plugin.notBefore));
    }

    /** A policy that was disabled is on trial: another failure disables it again, for longer. */
    synchronized void started(Plugin plugin, ChildProcess child) {
        plugin.running = child;
        if (plugin.struckOut) {
            plugin.struckOut = false;
            plugin.strikes = settings.strikes() - 1;
            plugin.tried = clock.instant();
        }
    }

    /** @return what it did, after its name */
    synchronized String didNotStart(Plugin plugin, Finding why) {
        plugin.strikes++;
        plugin.failure = "did not start: " + why;
        failed(plugin);
        return plugin.failure;
    }

    /** An enabled policy takes over when it can be asked. */
    synchronized void arrived(Plugin plugin) {
        if (!coming.isEmpty() && plugin.running != null && plugin.name().equals(coming)) {
            wanted = coming;
            coming = "";
        }
    }

    synchronized void enable(String name) {
        Plugin plugin = known(name);
        if (plugin != null) {
            if (plugin.good == null) {
                throw new PolicyHost.Refused(false, "policy " + name + " " + plugin.why());
            }
            plugin.struckOut = false;
            plugin.strikes = 0;
            plugin.disabledTimes = 0;
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

    synchronized void disable(String name) {
        if (known(name) == null) {
            throw new PolicyHost.Refused(false, "policy " + name + " is built in; enable another one instead");
        }
        records.setDisabled(name, true);
        if (name.equals(coming)) {
            coming = "";
        }
        boolean chosen =
                records.chosen(settings.configured()).filter(name::equals).isPresent();
        if (name.equals(wanted) || chosen) {
            wanted = name.equals(settings.configured()) ? settings.fallback() : settings.configured();
            records.choose(wanted, settings.configured());
        }
    }

    /** @return null for a built-in one */
    private @Nullable Plugin known(String name) {
        if (builtins.containsKey(name)) {
            return null;
        }
        return plugins.values().stream()
                .filter(one -> one.name().equals(name) || one.file.equals(name))
                .findFirst()
                .orElseThrow(() -> new PolicyHost.Refused(
                        true, "there is no policy '" + name + "'; 'spillway policy list' shows those that are"));
    }

    synchronized List<PolicyVersion> history(String name) {
        List<PolicyVersion> versions = records.versions(name);
        if (versions.isEmpty()) {
            known(name);
        }
        return versions;
    }

    synchronized PolicyOverview overview(String containment) {
        String decides = decides();
        List<PolicyOverview.One> all = new ArrayList<>();
        builtins.forEach((name, builtin) -> all.add(PolicyOverview.One.builtIn(
                name,
                name.equals(decides) ? PolicyOverview.State.DECIDING : PolicyOverview.State.READY,
                SettingDescription.of(builtin.settings()))));
        plugins.values().forEach(plugin -> all.add(plugin.view(state(plugin))));
        String next = coming.isEmpty() ? wanted : coming;
        return new PolicyOverview(
                decides, next, note, containment, settings.folder().toString(), all);
    }

    /** In the next tick, as things are. */
    private String decides() {
        boolean can = builtins.containsKey(wanted)
                || named(wanted).filter(one -> one.running != null).isPresent();
        return can ? wanted : settings.fallback();
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

    synchronized void save() throws IOException {
        records.save();
    }
}
