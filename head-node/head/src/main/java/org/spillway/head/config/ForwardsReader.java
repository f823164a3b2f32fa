package org.spillway.head.config;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.director.wire.Forwards;
import org.spillway.director.wire.Isolation;
import org.spillway.head.config.HeadConfig.Site;
import org.spillway.head.config.HeadConfig.Workload;
import org.spillway.head.forward.HomeForward;
import org.spillway.settings.Section;

/** The list {@code sites.NAME.nodes.forwards}. */
final class ForwardsReader {
    private static final int MOST = 16;
    private static final int MOST_PORTS = 16;

    private static final Pattern PLACE =
            Pattern.compile("(\\[[0-9A-Fa-f:.]{2,45}\\]|[^:\\[\\]]{1,253}):([0-9,-]{1,200})");
    private static final Pattern HOST =
            Pattern.compile("[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*");
    private static final Pattern NUMERIC = Pattern.compile(".*:.*|[0-9.]+");
    /** Names that mean something else in a job's room. */
    private static final Pattern TAKEN = Pattern.compile("localhost(\\..*)?|ip6-.*|spillway-director|rank-[0-9]+");

    private static final Pattern RANGE = Pattern.compile("([0-9]{1,5})(?:-([0-9]{1,5}))?");

    private static final String TO =
            "HOST:PORTS at home such as licence.example.org:27000,27010-27012, up to 16 ports of 1 to 65535";
    private static final String AS =
            "the HOST or HOST:PORTS by which jobs know it: a name, none of a job's own, and as many ports as in to";
    private static final String GROUPS = "names of groups whose members may reach it, or ['*'] for whoever has a job";

    private ForwardsReader() {}

    private record Place(String host, List<Integer> ports) {}

    static List<HomeForward> read(Section nodes, Isolation isolation) {
        List<HomeForward> all = new ArrayList<>();
        for (var section : nodes.sections("forwards", MOST)) {
            HomeForward each = forward(section);
            if (all.stream().anyMatch(other -> other.name().equals(each.name()))) {
                section.mistake("name", "found '" + each.name() + "' a second time; allowed: a name for each");
            }
            all.stream()
                    .filter(other -> other.host().equals(each.host())
                            && other.ports().stream().anyMatch(each.ports()::contains))
                    .findFirst()
                    .ifPresent(other -> section.mistake(
                            section.has("as") ? "as" : "to",
                            "found a port of " + each.host() + " that " + other.name()
                                    + " has; allowed: each port of a name once"));
            all.add(each);
        }
        if (!all.isEmpty() && isolation == Isolation.OFF) {
            nodes.mistake("forwards", "found beside isolation: off; allowed: where jobs have rooms of their own");
        }
        return List.copyOf(all);
    }

    /** Jobs of another manager have no names of their own. */
    static void agree(Section section, Map<String, Site> sites, Workload workload) {
        if (workload.foreign().isEmpty()) {
            return;
        }
        sites.values().stream()
                .filter(site -> !site.forwards().isEmpty())
                .forEach(
                        site -> section.section(site.name(), false)
                                .section("nodes", false)
                                .mistake(
                                        "forwards",
                                        "found with workload.manager: " + workload.manager()
                                                + ", whose jobs have no names of their own; allowed: with the embedded queue only"));
    }

    private static HomeForward forward(Section section) {
        String name = section.matching(
                "name", null, "[a-z0-9][a-z0-9-]{0,39}", "up to 40 lower-case letters, digits and dashes");
        Place nowhere = new Place("", List.of());
        Place to = section.value("to", null, nowhere, TO, text -> place(text, TO));
        Place as = section.has("as") ? section.value("as", null, nowhere, AS, text -> as(text, to)) : name(section, to);
        List<String> groups = groups(section);
        HomeForward.Bounds usual = HomeForward.Bounds.USUAL;
        var bounds = new HomeForward.Bounds(
                section.integer("perJob", usual.perJob(), 1, 200),
                section.integer("perNode", usual.perNode(), 1, 10_000),
                section.integer("perSite", usual.perSite(), 1, 10_000),
                section.duration("idle", usual.idle(), Duration.ofMinutes(1), Duration.ofDays(30)));
        section.unasked(List.of("as"));
        section.noMore();
        return new HomeForward(name, to.host(), to.ports(), as.host(), as.ports(), groups, bounds);
    }

    private static List<String> groups(Section section) {
        List<String> groups = new ArrayList<>();
        section.words("groups", GROUPS).forEach((word, where) -> {
            if (word.matches("[A-Za-z0-9_][A-Za-z0-9._@$ -]{0,99}") || word.equals(Forwards.EVERYBODY)) {
                groups.add(word);
            } else {
                section.mistakeAt(where, "groups", "found '" + word + "'; allowed: " + GROUPS);
            }
        });
        if (groups.size() > 1 && groups.contains(Forwards.EVERYBODY)) {
            section.mistake("groups", "found '*' beside others; allowed: " + GROUPS);
        }
        return groups;
    }

    /** Jobs find a number without asking anybody for it: such a service needs a name. */
    private static Place name(Section section, Place to) {
        String host = to.host().toLowerCase(Locale.ROOT);
        if (NUMERIC.matcher(host).matches() || TAKEN.matcher(host).matches()) {
            section.mistake("as", "missing beside to: " + to.host() + "; allowed: " + AS);
        }
        return new Place(host, to.ports());
    }

    private static Place as(String text, Place to) {
        Place found = text.contains(":") ? place(text, AS) : new Place(text, to.ports());
        String host = found.host().toLowerCase(Locale.ROOT);
        if (!HOST.matcher(host).matches()
                || NUMERIC.matcher(host).matches()
                || TAKEN.matcher(host).matches()
                || found.ports().size() != to.ports().size()) {
            throw new IllegalArgumentException("found '" + text + "'; allowed: " + AS);
        }
        return new Place(host, found.ports());
    }

    private static Place place(String text, String allowed) {
        Matcher place = PLACE.matcher(text);
        List<Integer> ports = place.matches() ? ports(place.group(2)) : List.of();
        if (ports.isEmpty()
                || ports.size() > MOST_PORTS
                || ports.stream().distinct().count() < ports.size()
                || !(place.group(1).startsWith("[")
                        || HOST.matcher(place.group(1)).matches())) {
            throw new IllegalArgumentException("found '" + text + "'; allowed: " + allowed);
        }
        return new Place(place.group(1).replaceAll("[\\[\\]]", ""), ports);
    }

    /** Empty for what is malformed. */
    private static List<Integer> ports(String text) {
        List<Integer> ports = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            Matcher range = RANGE.matcher(part);
            if (!range.matches()) {
                return List.of();
            }
            int first = Integer.parseInt(range.group(1));
            int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
            if (first < 1 || last > 65_535 || last < first || last - first >= MOST_PORTS) {
                return List.of();
            }
            for (int port = first; port <= last; port++) {
                ports.add(port);
            }
        }
        return ports;
    }
}
