package org.spillway.head.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.spillway.head.limits.Cap;
import org.spillway.head.limits.Cap.Span;
import org.spillway.head.limits.QueueLimits;
import org.spillway.head.limits.Shares;
import org.spillway.policy.Limits.Scope;
import org.spillway.policy.Limits.Unit;
import org.spillway.settings.Quantities;
import org.spillway.settings.Section;
import org.spillway.settings.Suggestion;

/** The list {@code limits} and the section {@code shares}. */
final class LimitsReader {
    private static final int MOST_LIMITS = 1000;
    private static final int MOST_JOBS = 1_000_000;
    private static final int MOST_SHARES = 1000;
    private static final int MOST_UNITS = 1_000_000_000;
    private static final String NAMED = "[A-Za-z0-9_][A-Za-z0-9._@-]{0,99}";
    private static final String NAMES = "a name of letters, digits, dots, dashes, underscores and @";
    private static final String TYPED = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}\\*?";
    private static final List<String> HOLDERS = List.of("all", "site", "queue", "user", "account", "licence");
    private static final List<String> AMOUNTS =
            List.of("nodes", "cpus", "gpus", "moneyPerDay", "moneyPerMonth", "launchesPerMinute", "licences");

    private final Set<String> sites;
    private final Set<String> queues;
    private final List<Cap> caps = new ArrayList<>();

    private LimitsReader(Set<String> sites, Set<String> queues) {
        this.sites = sites;
        this.queues = queues;
    }

    /** @param sites and queues that there are */
    static List<Cap> limits(Section root, Set<String> sites, Set<String> queues) {
        var reader = new LimitsReader(sites, queues);
        root.sections("limits", MOST_LIMITS).forEach(reader::read);
        return List.copyOf(reader.caps);
    }

    private void read(Section section) {
        var holders = HOLDERS.stream().filter(section::has).toList();
        if (holders.size() != 1) {
            section.mistakeHere("found " + (holders.isEmpty() ? "none" : String.join(" and ", holders))
                    + "; allowed: one of " + String.join(", ", HOLDERS));
        }
        var holder = holders.isEmpty() ? "all" : holders.getFirst();
        var name = name(section, holder);
        var types = types(section, holder);
        var scope = types.isEmpty() ? scope(holder) : Scope.QUOTA_FAMILY;
        int before = caps.size();
        boolean licence = holder.equals("licence");
        if (licence) {
            number(section, "licences", scope, name, types, Unit.LICENCES);
        } else {
            number(section, "nodes", scope, name, types, Unit.NODES);
            number(section, "cpus", scope, name, types, Unit.CPUS);
            number(section, "gpus", scope, name, types, Unit.GPUS);
            money(section, "moneyPerDay", scope, name, types, Span.DAY);
            money(section, "moneyPerMonth", scope, name, types, Span.MONTH);
        }
        if (holder.equals("site") && types.isEmpty()) {
            number(section, "launchesPerMinute", Scope.LAUNCHES_PER_MINUTE, name, types, Unit.NODES);
        }
        if (caps.size() == before && AMOUNTS.stream().noneMatch(section::has)) {
            section.mistakeHere("found no amount; allowed: "
                    + (licence ? "licences" : String.join(", ", AMOUNTS.subList(0, holder.equals("site") ? 6 : 5))));
        }
        section.noMore();
    }

    private static Scope scope(String holder) {
        return switch (holder) {
            case "site" -> Scope.SITE;
            case "queue" -> Scope.QUEUE;
            case "user" -> Scope.USER;
            case "account" -> Scope.ACCOUNT;
            case "licence" -> Scope.LICENCE;
            default -> Scope.ALL;
        };
    }

    private String name(Section section, String holder) {
        return switch (holder) {
            case "site" -> section.oneOf("site", null, List.copyOf(sites));
            case "queue" -> {
                var allowed = new ArrayList<>(queues);
                allowed.add(Cap.EACH);
                yield section.oneOf("queue", null, allowed);
            }
            case "user", "account" ->
                section.matching(holder, null, NAMED + "|\\*", NAMES + ", or \"*\" for each by itself");
            case "licence" -> section.matching("licence", null, NAMED, NAMES);
            default -> {
                section.oneOf("all", "true", List.of("true"));
                yield "";
            }
        };
    }

    private static List<String> types(Section section, String holder) {
        if (!holder.equals("site")) {
            return List.of();
        }
        var types = section.wordsIfAny("types", "a list of instance types, such as [g5.*]");
        types.keySet().stream()
                .filter(type -> !type.matches(TYPED))
                .forEach(type -> section.mistake(
                        "types", "found '" + type + "'; allowed: an instance type, or its beginning and *"));
        return List.copyOf(types.keySet());
    }

    private void number(Section section, String key, Scope scope, String name, List<String> types, Unit unit) {
        if (section.has(key)) {
            add(section, key, new Cap(scope, name, types, unit, section.integer(key, null, 0, MOST_UNITS), Span.NOW));
        } else {
            section.scalar(key, "");
        }
    }

    private void money(Section section, String key, Scope scope, String name, List<String> types, Span span) {
        if (section.has(key)) {
            long micros = section.money(key).micros();
            add(section, key, new Cap(scope, name, types, Unit.MONEY_MICROS, micros, span));
        } else {
            section.scalar(key, "");
        }
    }

    private void add(Section section, String key, Cap cap) {
        boolean twice = caps.stream()
                .anyMatch(old -> old.scope() == cap.scope()
                        && old.limitName().equals(cap.limitName())
                        && old.unit() == cap.unit()
                        && old.span() == cap.span());
        if (twice) {
            section.mistake(key, "found a second limit of the same; allowed: one");
        } else {
            caps.add(cap);
        }
    }

    static QueueLimits submissions(Section section) {
        var usual = QueueLimits.USUAL;
        int jobs = section.integer("jobs", usual.jobs(), 1, MOST_JOBS);
        var limits = new QueueLimits(
                jobs,
                section.integer("jobsPerUser", Math.min(usual.jobsPerUser(), jobs), 1, jobs),
                section.integer("arrayTasks", usual.arrayTasks(), 1, usual.arrayTasks()),
                section.value(
                        "textPerUser",
                        usual.textBytesPerUser(),
                        usual.textBytesPerUser(),
                        "1MiB to 1TiB",
                        LimitsReader::text));
        section.noMore();
        return limits;
    }

    private static long text(String text) {
        long bytes = -1;
        try {
            bytes = Quantities.bytes(text);
        } catch (IllegalArgumentException malformed) {
            // As one that is too small.
        }
        if (bytes < 1 << 20 || bytes > 1L << 40) {
            throw new IllegalArgumentException("found '" + text + "'; allowed: 1MiB to 1TiB");
        }
        return bytes;
    }

    /** Empty where nothing is shared. */
    static Optional<Shares> shares(Section root, Set<String> queues) {
        var section = root.section("shares", false);
        if (!root.has("shares")) {
            return Optional.empty();
        }
        var by = section.oneOf("by", "account", List.of("account", "queue"));
        var halfLife = section.duration("halfLife", Duration.ofDays(7), Duration.ofHours(1), Duration.ofDays(365));
        int others = section.integer("others", 1, 1, 1_000_000);
        var weightSection = section.section("weights", false);
        Map<String, Double> weights = new HashMap<>();
        for (var name : List.copyOf(weightSection.keys())) {
            if (weights.size() == MOST_SHARES) {
                weightSection.mistake(name, "found more than " + MOST_SHARES + " weights; allowed: " + MOST_SHARES);
                break;
            }
            if (by.equals("queue") && !queues.contains(name)) {
                weightSection.mistake(
                        name,
                        "found this name; allowed: " + String.join(", ", queues) + Suggestion.phrase(name, queues));
            } else if (!name.matches(NAMED)) {
                weightSection.mistake(name, "found this name; allowed: " + NAMES);
            }
            weights.put(name, (double) weightSection.integer(name, null, 1, 1_000_000));
        }
        section.noMore();
        var kind = by.equals("queue") ? Shares.Kind.QUEUE : Shares.Kind.ACCOUNT;
        return Optional.of(new Shares(kind, weights, others, halfLife));
    }
}
