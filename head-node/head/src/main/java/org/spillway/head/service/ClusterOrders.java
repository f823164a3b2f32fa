package org.spillway.head.service;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.ClusterOrder;
import org.spillway.director.directory.DirectoryStore;
import org.spillway.director.directory.PosixUser;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.ClusterSpec;
import org.spillway.head.loop.Loop;
import org.spillway.head.rest.Caller;
import org.spillway.head.staging.ResultsHome;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;
import org.spillway.stage.worker.Identity;

/** Makes of an order for a cluster what it is by this head's configuration, its users and its sites' offerings. */
final class ClusterOrders {
    private static final int MOST_ID = 20;
    private static final Duration READING = Duration.ofSeconds(5);

    private final HeadConfig config;
    private final Loop loop;
    private final DirectoryStore directory;
    private final Admission admission;
    private final ResultsHome results;
    private final ChildChoices choices;

    ClusterOrders(
            HeadConfig config,
            Loop loop,
            DirectoryStore directory,
            Admission admission,
            ResultsHome results,
            ChildChoices choices) {
        this.config = config;
        this.loop = loop;
        this.directory = directory;
        this.admission = admission;
        this.results = results;
        this.choices = choices;
    }

    /** @throws ApiException with what cannot be had, and what can */
    ClusterSpec spec(Caller caller, ClusterOrder order, Instant now) {
        HeadConfig.Site site = site(order.site());
        List<ClusterRecord.User> users = users(caller, order.users());
        if (order.nodes() > site.maxNodes()) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "nodes: found " + order.nodes(),
                    "site " + site.name() + " allows up to " + site.maxNodes());
        }
        Offering offering = offering(order);
        var spec = new ClusterSpec(
                order.name(),
                order.site(),
                users,
                new ClusterSpec.Fleet(
                        order.nodes(),
                        offering.id().instanceType(),
                        image(order.image()),
                        choices.manager(order.workload(), site.name(), site.driver())),
                Duration.ofSeconds(order.ttlSeconds()),
                order.budget(),
                now,
                order.results());
        refuseFolder(spec);
        return spec;
    }

    /** As the owner: whether results will find a place is better known before anything is bought. */
    private void refuseFolder(ClusterSpec spec) {
        if (spec.results().isEmpty()) {
            return;
        }
        var owner = spec.owner();
        var who = new Identity(
                owner.name(),
                owner.uid(),
                owner.gid(),
                owner.groups().stream().map(ClusterRecord.Group::gid).toList());
        try {
            results.check(who, Path.of(spec.results()), "cluster-" + spec.name());
        } catch (IOException | InvalidPathException refused) {
            throw new ApiException(
                    Code.BAD_REQUEST,
                    "results: found '" + spec.results() + "': " + refused.getMessage(),
                    "allowed: a folder that " + owner.name() + " may write");
        }
    }

    private HeadConfig.Site site(String name) {
        HeadConfig.Site site = config.sites().get(name);
        if (site == null) {
            throw new ApiException(
                    Code.BAD_REQUEST,
                    "there is no site '" + name + "'",
                    "sites: " + String.join(", ", config.sites().keySet()));
        }
        choices.refuseDriver(site.name(), site.driver());
        return site;
    }

    /** The parent's own is written down as none: so are clusters from before there was a choice. */
    private String image(String name) {
        if (name.isEmpty() || name.equals(config.image().name())) {
            return "";
        }
        var images = config.clusters().images();
        if (!images.containsKey(name)) {
            var allowed = new ArrayList<>(List.of(config.image().name()));
            allowed.addAll(images.keySet());
            throw new ApiException(
                    Code.BAD_REQUEST,
                    "image: found '" + name + "', which clusters.images of the head's configuration does not name",
                    "allowed: " + String.join(", ", allowed));
        }
        return name;
    }

    private List<ClusterRecord.User> users(Caller caller, List<String> others) {
        var users = new LinkedHashMap<String, ClusterRecord.User>();
        ClusterRecord.User owner = directory
                .user((long) caller.uid())
                .map(this::user)
                .orElseThrow(() -> new ApiException(
                        Code.FORBIDDEN,
                        "user " + caller.user() + " (uid " + caller.uid() + ") is not in the cluster's directory",
                        "ask the administrator"));
        admission.known(owner.name(), owner.uid());
        users.put(owner.name(), owner);
        for (String name : others) {
            ClusterRecord.User other = directory
                    .user(name)
                    .map(this::user)
                    .orElseThrow(() -> new ApiException(
                            Code.BAD_REQUEST,
                            "users: found '" + name + "', who is not in the cluster's directory",
                            "allowed: login names that it has"));
            admission.known(other.name(), other.uid());
            users.putIfAbsent(other.name(), other);
        }
        return List.copyOf(users.values());
    }

    private ClusterRecord.User user(PosixUser user) {
        var groups = new ArrayList<ClusterRecord.Group>();
        directory
                .groupsOf(user.name())
                .forEach(group -> groups.add(new ClusterRecord.Group(group.name(), (int) group.gidNumber())));
        return new ClusterRecord.User(
                user.name(), (int) user.uidNumber(), (int) user.gidNumber(), user.homeDirectory(), groups);
    }

    private Offering offering(ClusterOrder order) {
        List<Offering> offerings = offerings(order.site());
        return offerings.stream()
                .filter(one -> one.id().market() == Market.ON_DEMAND
                        && one.resources().gpus() >= order.gpus()
                        && (order.type().isEmpty() || one.id().instanceType().equals(order.type())))
                .min(Comparator.comparing(Offering::pricePerHour).thenComparing(Offering::id))
                .orElseThrow(() -> new ApiException(
                        Code.NO_OFFERING,
                        "site " + order.site() + " offers no "
                                + (order.type().isEmpty() ? "node" : order.type())
                                + (order.gpus() == 0 ? "" : " with " + order.gpus() + " GPUs"),
                        "'spillway offerings " + order.site() + "' lists what it has"));
    }

    /** A head that has just started reads them in a moment. */
    private List<Offering> offerings(String site) {
        long end = System.nanoTime() + READING.toNanos();
        while (true) {
            List<Offering> known = loop.offerings(site);
            if (!known.isEmpty()) {
                return known;
            }
            if (System.nanoTime() - end > 0) {
                String trouble = loop.trouble(site).text();
                throw new ApiException(
                        Code.UNAVAILABLE,
                        "what site " + site + " offers is not known" + (trouble.isEmpty() ? " yet" : ": " + trouble),
                        "try again in a moment");
            }
            try {
                Thread.sleep(100);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
                throw new ApiException(Code.UNAVAILABLE, "this head is stopping", "start it again");
            }
        }
    }

    /** The first letters of this cluster's name, and a number that is never given again. */
    String id(long serial) {
        String end = "-c" + serial;
        String name = config.cluster().replaceAll("^-+", "");
        return name.substring(0, Math.min(name.length(), MOST_ID - end.length()))
                .replaceAll("-+$", "")
                .concat(end)
                .replaceAll("^-", "s-");
    }
}
