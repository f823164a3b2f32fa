package org.spillway.head.service;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.ClusterChange;
import org.spillway.api.ClusterOrder;
import org.spillway.api.ClusterRun;
import org.spillway.api.ClusterState;
import org.spillway.api.ClusterTerms;
import org.spillway.api.ClusterView;
import org.spillway.api.Json;
import org.spillway.director.directory.DirectoryStore;
import org.spillway.director.directory.PosixUser;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.Change;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.ondemand.Approvers;
import org.spillway.head.ondemand.Children;
import org.spillway.head.ondemand.Clusters;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.ClustersApi;
import org.spillway.head.staging.ResultsHome;
import org.spillway.policy.Market;
import org.spillway.policy.Offering;
import org.spillway.stage.worker.Identity;

/** Clusters on demand as REST asks for them. What is refused has changed nothing. */
final class ClusterDesk implements ClustersApi {
    private static final int MOST_ID = 20;
    private static final Duration READING = Duration.ofSeconds(5);

    private final HeadConfig config;
    private final Journal journal;
    private final Loop loop;
    private final LoopRunner runner;
    private final Clusters clusters;
    private final Children children;
    private final DirectoryStore directory;
    private final Admission admission;
    private final ResultsHome results;
    private final Approvers approvers;
    private final ChildChoices choices;
    private final InstantSource clock;
    private final ClusterChanges changes;

    ClusterDesk(
            HeadConfig config,
            Journal journal,
            Loop loop,
            LoopRunner runner,
            Clusters clusters,
            Children children,
            DirectoryStore directory,
            Admission admission,
            ResultsHome results,
            Approvers approvers,
            ChildChoices choices,
            InstantSource clock) {
        this.config = config;
        this.journal = journal;
        this.loop = loop;
        this.runner = runner;
        this.clusters = clusters;
        this.children = children;
        this.directory = directory;
        this.admission = admission;
        this.results = results;
        this.approvers = approvers;
        this.choices = choices;
        this.clock = clock;
        this.changes = new ClusterChanges(config, journal, loop, runner, clusters, children, this::view);
    }

    @Override
    public List<ClusterView> list(Caller caller) {
        Instant now = clock.instant();
        return journal.clusters().stream()
                .filter(child -> sees(caller, child))
                .sorted(Comparator.comparing(
                                (ClusterRecord child) -> child.spec().createdAt())
                        .reversed()
                        .thenComparing(ClusterRecord::id))
                .map(child -> view(caller, child, now))
                .toList();
    }

    @Override
    public ClusterView get(Caller caller, String name) {
        return view(caller, visible(caller, name), clock.instant());
    }

    @Override
    public ClusterView create(Caller caller, ClusterOrder order) {
        HeadConfig.Site site = site(order.site());
        List<ClusterRecord.User> users = users(caller, order.users());
        if (order.nodes() > site.maxNodes()) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "nodes: found " + order.nodes(),
                    "site " + site.name() + " allows up to " + site.maxNodes());
        }
        Offering offering = offering(order);
        var spec = new ClusterRecord.Spec(
                order.name(),
                order.site(),
                users,
                order.nodes(),
                offering.id().instanceType(),
                Duration.ofSeconds(order.ttlSeconds()),
                order.budget(),
                clock.instant(),
                order.results(),
                image(order.image()),
                choices.manager(order.workload(), site.name(), site.driver()));
        refuseFolder(spec);
        return runner.change("clusters", now -> {
            refuseTaken(order.name());
            Optional<ClusterCause.AboveLimit> above = caller.admin() ? Optional.empty() : changes.needsApproval(spec);
            if (above.isPresent()) {
                changes.refuseTooManyThatWait();
            } else {
                changes.refuseTooMany();
            }
            if (loop.isReleasing()) {
                throw new ApiException(
                        Code.UNAVAILABLE, "this head is ending all its instances", "start it again to make clusters");
            }
            changes.refuseTooSmall(spec);
            changes.refuseOverQuota(spec, "");
            changes.refuseOverBudget(order.budget(), "", now);
            ClusterRecord asked = new ClusterRecord(
                    id(journal.store().nextSequence()),
                    spec,
                    ClusterState.REQUESTED,
                    ClusterState.Stage.HEAD_INSTANCE,
                    Cause.NONE,
                    now,
                    Cause.NONE,
                    "",
                    List.of(),
                    ClusterRecord.Machine.NONE,
                    null);
            ClusterRecord made = above.map(why -> asked.waiting(
                            why, now.plus(config.clusters().approval().within()), now))
                    .orElse(asked);
            return new Change<>(List.of(made), view(caller, made, now));
        });
    }

    private void refuseTaken(String name) {
        if (living(name).isPresent()) {
            throw new ApiException(Code.CONFLICT, "there is a cluster '" + name + "' already", "choose another name");
        }
    }

    /** As the owner: whether results will find a place is better known before anything is bought. */
    private void refuseFolder(ClusterRecord.Spec spec) {
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
    private String id(long serial) {
        String end = "-c" + serial;
        String name = config.cluster().replaceAll("^-+", "");
        return name.substring(0, Math.min(name.length(), MOST_ID - end.length()))
                .replaceAll("-+$", "")
                .concat(end)
                .replaceAll("^-", "s-");
    }

    @Override
    public ClusterView delete(Caller caller, String name) {
        ClusterRecord child = owned(caller, name, "delete");
        return runner.change("clusters", now -> {
            ClusterRecord current = journal.cluster(child.id()).orElse(child);
            if (!current.isLive() || current.clusterState() == ClusterState.DELETING) {
                return Change.none(view(caller, current, now));
            }
            ClusterRecord going = current.isMade()
                    ? current.deleting(new ClusterCause.DeletedBy(caller.user()), now)
                    : current.withdrawn(new ClusterCause.WithdrawnBy(caller.user()), now);
            return new Change<>(List.of(going), view(caller, going, now));
        });
    }

    private ClusterRecord owned(Caller caller, String name, String what) {
        ClusterRecord child = visible(caller, name);
        if (!caller.admin() && caller.uid() != child.spec().owner().uid()) {
            throw new ApiException(
                    Code.FORBIDDEN,
                    "user " + caller.user() + " may not " + what + " cluster " + name,
                    "ask its owner, " + child.spec().owner().name());
        }
        return child;
    }

    @Override
    public ClusterView change(Caller caller, String name, ClusterChange change) {
        ClusterRecord child = switch (change) {
            case ClusterChange.Approve approve -> approved(caller, name, "approve");
            case ClusterChange.Reject reject -> approved(caller, name, "reject");
            case ClusterChange.Scale scale -> owned(caller, name, "change");
            case ClusterChange.Extend extend -> owned(caller, name, "change");
            case ClusterChange.Stop stop -> owned(caller, name, "change");
            case ClusterChange.Start start -> owned(caller, name, "change");
        };
        return changes.apply(caller, child, change);
    }

    /** Nobody agrees to what they ask for themselves, but administrators, who are not asked at all. */
    private ClusterRecord approved(Caller caller, String name, String what) {
        ClusterRecord child = visible(caller, name);
        if (!mayApprove(caller, child)) {
            throw new ApiException(
                    Code.FORBIDDEN,
                    "user " + caller.user() + " may not " + what + " cluster " + name,
                    "ask one of: " + String.join(", ", approvers.inWords()));
        }
        return child;
    }

    private boolean mayApprove(Caller caller, ClusterRecord child) {
        return caller.admin() || (caller.uid() != child.spec().owner().uid() && approvers.names(caller.uid()));
    }

    @Override
    public int comply(ClusterTerms terms) {
        HeadConfig.Site site = config.sites().get(terms.site());
        if (site == null || !site.driver().equals("delegated")) {
            throw new ApiException(
                    Code.CONFLICT,
                    "no parent says what this head may have in a site '" + terms.site() + "'",
                    "change its configuration, and start it again");
        }
        return runner.ask(now -> loop.allow(terms.site(), terms.nodes(), terms.budget(), now));
    }

    @Override
    public Relayed relay(Caller caller, String name, String method, String path, String key, byte[] body) {
        ClusterRecord child = running(caller, name);
        Optional<ClusterRecord.User> user = user(child, caller);
        try {
            var answer = children.ask(child, user.orElse(null), new Children.Question(method, path, key, body));
            return new Relayed(answer.status(), Json.tree(answer.body()));
        } catch (IOException away) {
            throw new ApiException(
                    Code.UNAVAILABLE, "the head of cluster " + name + " does not answer", "try again in a moment");
        }
    }

    private ClusterRecord running(Caller caller, String name) {
        ClusterRecord child = visible(caller, name);
        if (child.clusterState() != ClusterState.RUNNING) {
            throw new ApiException(
                    Code.CONFLICT,
                    "cluster " + name + " is " + child.clusterState(),
                    "'spillway cluster show " + name + "' tells more");
        }
        return child;
    }

    private static Optional<ClusterRecord.User> user(ClusterRecord child, Caller caller) {
        return child.spec().users().stream()
                .filter(one -> one.uid() == caller.uid())
                .findFirst();
    }

    @Override
    public ClusterRun.Result run(Caller caller, String name, ClusterRun command) {
        ClusterRecord child = running(caller, name);
        ClusterRecord.User user = user(child, caller)
                .orElseThrow(() -> new ApiException(
                        Code.FORBIDDEN,
                        "user " + caller.user() + " is none of the users of cluster " + name,
                        "they are "
                                + child.spec().users().stream()
                                        .map(ClusterRecord.User::name)
                                        .collect(Collectors.joining(", "))));
        try {
            var ran = children.run(child, user, command.command());
            return new ClusterRun.Result(ran.exit(), ran.output(), ran.errors());
        } catch (IOException away) {
            throw new ApiException(
                    Code.UNAVAILABLE,
                    "the command has no whole answer: " + away.getMessage(),
                    "it may have run; write long outputs to a file");
        }
    }

    private Optional<ClusterRecord> living(String name) {
        return journal.clusters().stream()
                .filter(child -> child.isLive() && child.spec().name().equals(name))
                .findFirst();
    }

    private ClusterRecord visible(Caller caller, String name) {
        return journal.clusters().stream()
                .filter(child -> child.spec().name().equals(name) && sees(caller, child))
                .max(Comparator.comparing(ClusterRecord::isLive)
                        .thenComparing(child -> child.spec().createdAt()))
                .orElseThrow(() -> new ApiException(
                        Code.NOT_FOUND, "no cluster '" + name + "'", "'spillway cluster list' lists yours"));
    }

    private boolean sees(Caller caller, ClusterRecord child) {
        return caller.admin()
                || child.admits(caller.uid())
                || (child.clusterState() == ClusterState.WAITING_FOR_APPROVAL && approvers.names(caller.uid()));
    }

    private ClusterView view(Caller caller, ClusterRecord child, Instant now) {
        var spec = child.spec();
        Cause remark = clusters.remark(child.id());
        return new ClusterView(
                child.id(),
                spec.name(),
                spec.site(),
                spec.owner().name(),
                spec.users().stream().map(ClusterRecord.User::name).toList(),
                child.clusterState().name(),
                child.reason(),
                remark.text(),
                child.since(),
                spec.nodes(),
                spec.nodeType(),
                child.head().address(),
                spec.createdAt(),
                spec.expires(),
                spec.budget(),
                child.head().priceNow(),
                clusters.spent(child, now),
                child.steps().stream()
                        .map(step -> new ClusterView.StageView(step.stage().text(), step.begun(), step.ended()))
                        .toList(),
                child.failure().text(),
                child.log(),
                journal.notices(child.id()).stream()
                        .map(one -> new ClusterView.NoticeView(
                                one.at(), one.sentence(), one.status().name(), one.why(), one.to()))
                        .toList(),
                spec.results(),
                spec.image().isEmpty() ? config.image().name() : spec.image(),
                spec.hasManager() ? spec.workload() : HeadConfig.Workload.OWN,
                approval(caller, child),
                CauseViews.of(child.cause()),
                CauseViews.of(remark),
                CauseViews.of(child.failure()));
    }

    private ClusterView.@Nullable ApprovalView approval(Caller caller, ClusterRecord child) {
        ClusterRecord.Approval asked = child.approval();
        return asked == null
                ? null
                : new ClusterView.ApprovalView(
                        asked.why().text(),
                        asked.askedAt(),
                        asked.until(),
                        approvers.inWords(),
                        child.clusterState() == ClusterState.WAITING_FOR_APPROVAL && mayApprove(caller, child),
                        asked.by(),
                        asked.decidedAt());
    }
}
