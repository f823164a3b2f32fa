package org.spillway.head.service;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.JobSubmission;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.JobSpec;
import org.spillway.policy.Demand;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;
import org.spillway.scaler.plan.FirstFitPlanner;

/**
 * Where a job may run: the sites of its queue, less those that it does not want, that are too small for it, or to which
 * its data may not go.
 *
 * @param offerings of a site, as last read; none when it was not read yet, and then anything may fit there
 */
record AllowedSites(HeadConfig config, Function<String, List<Offering>> offerings) {
    /** @param notes why some are missing */
    record Choice(List<String> sites, List<String> notes) {}

    /**
     * @param pinnedPath one of its inputs that may not leave home; empty for none
     * @throws ApiException when none is left
     */
    Choice choose(
            HeadConfig.Queue queue, JobSubmission asked, JobSpec.Need need, String pinnedPath, Instant submittedAt) {
        List<String> notes = new ArrayList<>();
        List<String> wanted = wanted(queue, asked);
        String pinned = pinned(asked, pinnedPath);
        if (!pinned.isEmpty()) {
            List<String> homely = wanted.stream().filter(this::isHome).toList();
            if (homely.isEmpty()) {
                throw new ApiException(
                        Code.BAD_REQUEST,
                        pinned + ", and none of the sites where this job may run is at home: "
                                + String.join(", ", wanted),
                        "submit it to a queue with a site at home");
            }
            notes.add(pinned + ": it runs at home only");
            wanted = homely;
        }
        List<String> wide =
                narrowed(wanted, site -> mayHave(site, need.nodes()), notes, "may not have that many nodes");
        if (wide.isEmpty()) {
            throw tooWide(wanted, need.nodes());
        }
        Set<Market> markets = markets(queue, need);
        List<String> large =
                narrowed(wide, site -> isLarge(queue, site, need), notes, "has no instance type that is large enough");
        if (large.isEmpty()) {
            throw new ApiException(
                    Code.NO_OFFERING,
                    "no instance type of queue " + queue.name() + " is large enough for this job",
                    tooSmall(queue, wide, need, submittedAt));
        }
        List<String> sold = narrowed(
                large,
                site -> offerings.apply(site).isEmpty()
                        || offered(queue, site)
                                .anyMatch(one -> need.perNode().fitsIn(one.resources())
                                        && markets.contains(one.id().market())),
                notes,
                "sells what is large enough in other markets than " + texts(markets) + " only");
        if (sold.isEmpty()) {
            throw new ApiException(
                    Code.NO_OFFERING,
                    "what is large enough for this job in queue " + queue.name() + " is not sold " + texts(markets),
                    need.markets().isEmpty()
                            ? "the administrator says what the queue may buy: queues." + queue.name() + ".markets"
                            : "leave out --market, or choose among those of the queue: " + texts(queue.markets()));
        }
        return new Choice(sold, notes);
    }

    /** The queue's markets, or the part of them that the job wants. */
    private static Set<Market> markets(HeadConfig.Queue queue, JobSpec.Need need) {
        if (!queue.markets().containsAll(need.markets())) {
            Set<Market> more = new TreeSet<>(need.markets());
            more.removeAll(queue.markets());
            throw new ApiException(
                    Code.BAD_REQUEST,
                    "queue " + queue.name() + " buys nothing " + texts(more),
                    "markets of queue " + queue.name() + ": " + texts(queue.markets()));
        }
        return need.markets().isEmpty() ? queue.markets() : need.markets();
    }

    private static String texts(Set<Market> markets) {
        return markets.stream().sorted().map(Market::text).collect(Collectors.joining(", "));
    }

    private List<String> wanted(HeadConfig.Queue queue, JobSubmission asked) {
        for (String site : asked.sites()) {
            if (!queue.sites().contains(site)) {
                throw new ApiException(
                        Code.BAD_REQUEST,
                        config.sites().containsKey(site)
                                ? "queue " + queue.name() + " does not use site '" + site + "'"
                                : "there is no site '" + site + "'",
                        "sites of queue " + queue.name() + ": " + String.join(", ", queue.sites()));
            }
        }
        List<String> wanted = queue.sites().stream()
                .filter(site -> asked.sites().isEmpty() || asked.sites().contains(site))
                .filter(site -> switch (asked.constraint()) {
                    case "home" -> isHome(site);
                    case "cloud" -> !isHome(site);
                    default -> true;
                })
                .toList();
        if (wanted.isEmpty()) {
            throw new ApiException(
                    Code.BAD_REQUEST,
                    "constraint " + asked.constraint() + " leaves no site of queue " + queue.name(),
                    "its sites: " + String.join(", ", queue.sites()));
        }
        return wanted;
    }

    private boolean isHome(String site) {
        HeadConfig.Site configured = config.sites().get(site);
        return configured != null && configured.home();
    }

    private String pinned(JobSubmission asked, String path) {
        if (config.pinned().projects().contains(asked.project())) {
            return "project " + asked.project() + " may not leave home (pinned.projects)";
        }
        return path.isEmpty() ? "" : path + " may not leave home (pinned.paths)";
    }

    private boolean mayHave(String site, int nodes) {
        HeadConfig.Site configured = config.sites().get(site);
        return configured != null && configured.maxNodes() >= nodes;
    }

    /** Offerings that nodes for the queue may be. */
    private Stream<Offering> offered(HeadConfig.Queue queue, String site) {
        HeadConfig.Category category = config.roles().of(queue.name()).orElse(null);
        return offerings.apply(site).stream()
                .filter(offering ->
                        category == null || category.allows(offering.id().instanceType()));
    }

    private boolean isLarge(HeadConfig.Queue queue, String site, JobSpec.Need need) {
        return offerings.apply(site).isEmpty()
                || offered(queue, site).anyMatch(offering -> need.perNode().fitsIn(offering.resources()));
    }

    private static List<String> narrowed(
            List<String> sites, Predicate<String> stays, List<String> notes, String otherwise) {
        List<String> left = sites.stream().filter(stays).toList();
        if (!left.isEmpty()) {
            sites.stream()
                    .filter(site -> !left.contains(site))
                    .forEach(site -> notes.add("it will not run in site " + site + ", which " + otherwise));
        }
        return left;
    }

    private ApiException tooWide(List<String> sites, int nodes) {
        String most = config.sites().values().stream()
                .filter(site -> sites.contains(site.name()))
                .map(site -> site.name() + " may have " + site.maxNodes())
                .collect(Collectors.joining(", "));
        return new ApiException(
                Code.LIMIT_EXCEEDED, nodes + " nodes are more than any of its sites may have (maxNodes)", most);
    }

    /** In the planner's words: what is missing, and the largest that there is. */
    private String tooSmall(HeadConfig.Queue queue, List<String> sites, JobSpec.Need need, Instant submittedAt) {
        List<Offering> offered =
                sites.stream().flatMap(site -> offered(queue, site)).toList();
        Demand demand = Demand.of(draft -> {
            draft.shape = "job";
            draft.queue = queue.name();
            draft.perNode = need.perNode();
            draft.oldestSubmit = submittedAt;
            draft.walltime = need.walltime();
            draft.sites = sites;
        });
        return new FirstFitPlanner(offered)
                .pack(List.of(demand), List.of(), offered)
                .unplaced()
                .getOrDefault("job", "");
    }
}
