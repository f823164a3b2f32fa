package org.spillway.stage.worker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.tree.Glob;
import org.spillway.stage.tree.TarReader;
import org.spillway.stage.worker.UserFiles.Failure;
import org.spillway.stage.worker.UserFiles.Rule;
import org.spillway.stage.worker.UserFiles.Taken;
import org.spillway.stage.worker.UserFiles.Unpacked;

/** Which member of a bundle goes where. Looks at names only. */
final class UnpackPlan {
    /** Folders count, too. */
    private static final int MEMBERS_MAX = 2 * Bundles.FILES_MAX;

    /**
     * @param name of the member
     * @param anchor the folder, chosen by the user, that {@code file} is not to leave
     */
    record Target(int rule, String name, Path anchor, Path file) {}

    private record Ready(Glob glob, Rule rule) {}

    private final List<Ready> rules;
    private final List<@Nullable Target> targets = new ArrayList<>();
    private final Set<Path> destinations = new HashSet<>();
    private final int[] files;
    private final long[] bytes;
    private final int[] covered;
    private final TreeMap<Integer, Failure> failures = new TreeMap<>();
    private final List<String> reasons = new ArrayList<>();
    /** Members that are not in their places, by name. */
    private final Map<String, Path> unplaced = new TreeMap<>();

    private long skipped;
    private long names;

    UnpackPlan(List<Rule> rules) {
        this.rules = rules.stream()
                .map(rule -> new Ready(Glob.parse(rule.pattern()), rule))
                .toList();
        this.files = new int[rules.size()];
        this.bytes = new long[rules.size()];
        this.covered = new int[rules.size()];
    }

    /** Of a bundle with too much in it the rest is refused, and what came before is put into its place. */
    void add(TarReader.Entry entry) throws FileRefused {
        boolean full = targets.size() == MEMBERS_MAX;
        Target target = entry.kind() == TarReader.Kind.FOLDER ? null : decide(entry, full);
        if (!full) {
            targets.add(target);
        }
    }

    /** Where the member at that place goes; null for nowhere. */
    @Nullable
    Target target(int place) {
        return place < targets.size() ? targets.get(place) : null;
    }

    /** Whether a file that is the member's beginning gets the rest. */
    UserFiles.Growth growth(Target target) {
        return rules.get(target.rule()).rule().growth();
    }

    /** Members and their places, but for those that are not there. */
    Map<String, Path> placed() {
        Map<String, Path> placed = new TreeMap<>();
        for (Target target : targets) {
            if (target != null && !unplaced.containsKey(target.name())) {
                placed.put(target.name(), target.file());
            }
        }
        return placed;
    }

    Map<String, Path> unplaced() {
        return unplaced;
    }

    Unpacked result() {
        List<Taken> taken = new ArrayList<>();
        for (int i = 0; i < files.length; i++) {
            taken.add(new Taken(files[i], bytes[i], covered[i]));
        }
        return new Unpacked(taken, skipped, reasons, List.copyOf(failures.values()));
    }

    /** The member is not in its place. */
    void failed(Target target, long memberBytes, IOException why) {
        int rule = target.rule();
        unplaced.put(target.name(), target.file());
        files[rule]--;
        bytes[rule] -= memberBytes;
        failed(rule, why);
    }

    private void failed(int rule, IOException why) {
        Failure before = failures.get(rule);
        failures.put(
                rule,
                before == null
                        ? new Failure(rule, 1, shortened(WorkerFiles.describe(why)), !WorkerFiles.isMachines(why))
                        : new Failure(rule, before.members() + 1, before.said(), before.refused()));
    }

    private static String shortened(String said) {
        return said.length() > 2000 ? said.substring(0, 2000) : said;
    }

    private @Nullable Target decide(TarReader.Entry entry, boolean full) throws FileRefused {
        if (entry.kind() != TarReader.Kind.FILE) {
            return skip(entry, "is no regular file, or its name is not UTF-8");
        }
        String unsafe = unsafe(entry.name());
        if (unsafe != null) {
            return skip(entry, unsafe);
        }
        String name = withoutDots(entry.name());
        int first = -1;
        for (int i = rules.size() - 1; i >= 0 && !name.isEmpty(); i--) {
            if (rules.get(i).glob().covers(name)) {
                covered[i]++;
                first = i;
            }
        }
        if (full && first >= 0) {
            unplaced.put(name, rules.get(first).rule().destination());
            failed(
                    first,
                    new FileRefused(Bundles.say(name) + ": the bundle has more than " + MEMBERS_MAX + " members"));
            return null;
        }
        return first < 0 ? skip(entry, "no output names it") : take(first, name, entry);
    }

    private @Nullable Target take(int rule, String name, TarReader.Entry entry) throws FileRefused {
        Target target = place(rule, rules.get(rule), name);
        int length = target.file().toString().length();
        if (names + length > Bundles.NAMES_MAX) {
            unplaced.put(name, target.file());
            failed(rule, new FileRefused(Bundles.say(name) + ": the names in the bundle are too long together"));
            return null;
        }
        names += length;
        if (!destinations.add(target.file())) {
            return skip(entry, "another member was put at its destination before");
        }
        files[rule]++;
        bytes[rule] += entry.bytes();
        return target;
    }

    private @Nullable Target skip(TarReader.Entry entry, String why) {
        skipped++;
        if (reasons.size() < Bundles.REASONS_MAX) {
            reasons.add(Bundles.say(entry.name()) + ": " + why);
        }
        return null;
    }

    private static @Nullable String unsafe(String name) {
        if (name.startsWith("/")) {
            return "its name is absolute";
        }
        if (("/" + name + "/").contains("/../")) {
            return "its name climbs by '..'";
        }
        if (name.chars().anyMatch(Character::isISOControl)) {
            return "its name holds control characters";
        }
        return name.getBytes(StandardCharsets.UTF_8).length > Bundles.NAME_BYTES_MAX ? "its name is too long" : null;
    }

    /** GNU tar writes {@code ./a} when it is given that. */
    private static String withoutDots(String name) {
        return Path.of("/" + name).normalize().toString().substring(1);
    }

    private static Target place(int number, Ready ready, String name) throws FileRefused {
        Rule rule = ready.rule();
        String base = ready.glob().base();
        String below = base.isEmpty() ? name : name.length() == base.length() ? "" : name.substring(base.length() + 1);
        Path destination = rule.destination().normalize();
        if (rule.tree()) {
            String kept = below.isEmpty() ? name.substring(name.lastIndexOf('/') + 1) : below;
            return new Target(number, name, destination, destination.resolve(kept));
        }
        if (ready.glob().isPlain() && !below.isEmpty()) {
            return new Target(number, name, destination, destination.resolve(below));
        }
        Path folder = destination.getParent();
        if (folder == null) {
            throw new FileRefused("the root folder cannot be the place of a file");
        }
        return new Target(number, name, folder, destination);
    }
}
