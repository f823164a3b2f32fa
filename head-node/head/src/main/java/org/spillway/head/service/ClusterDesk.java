package org.spillway.head.service;

import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.ClusterMachine;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.ClusterSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.NoticeRecord;
import org.spillway.head.loop.Change;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.ondemand.Approvers;
import org.spillway.head.ondemand.Children;
import org.spillway.head.ondemand.Clusters;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.ClustersApi;
import org.spillway.head.rest.JobSight;
import org.spillway.head.rest.SessionsApi;

/** Clusters on demand as REST asks for them. What is refused has changed nothing. */
final class ClusterDesk implements ClustersApi {
    /** Of those that no budget period knows any more. */
    private static final int MOST_PAST = 1000;

    private static final Comparator<ClusterRecord> NEWEST = Comparator.comparing(
                    (ClusterRecord child) -> child.spec().createdAt())
            .reversed()
            .thenComparing(ClusterRecord::id);

    private final HeadConfig config;
    private final Journal journal;
    private final Loop loop;
    private final LoopRunner runner;
    private final Clusters clusters;
    private final Children children;
    private final Approvers approvers;
    private final ClusterOrders orders;
    private final JobSight sight;
    private final InstantSource clock;
    private final ClusterChanges changes;

    ClusterDesk(
            HeadConfig config,
            Journal journal,
            Loop loop,
            LoopRunner runner,
            Clusters clusters,
            Children children,
            Approvers approvers,
            ClusterOrders orders,
            JobSight sight,
            InstantSource clock) {
        this.config = config;
        this.journal = journal;
        this.loop = loop;
        this.runner = runner;
        this.clusters = clusters;
        this.children = children;
        this.approvers = approvers;
        this.orders = orders;
        this.sight = sight;
        this.clock = clock;
        this.changes = new ClusterChanges(config, journal, loop, runner, clusters, children, this::view);
    }

    @Override
    public List<ClusterView> list(Caller caller) {
        return views(caller, journal.clusters().stream());
    }

    @Override
    public List<ClusterView> all(Caller caller) {
        return views(caller, Stream.concat(journal.clusters().stream(), past(MOST_PAST)));
    }

    private List<ClusterView> views(Caller caller, Stream<ClusterRecord> children) {
        Instant now = clock.instant();
        return children.filter(child -> sees(caller, child))
                .sorted(NEWEST)
                .map(child -> view(caller, child, now))
                .toList();
    }

    /** Clusters that are on disk only. */
    private Stream<ClusterRecord> past(int most) {
        return journal.store().endedClusters(most).stream()
                .filter(child -> journal.cluster(child.id()).isEmpty());
    }

    @Override
    public JobSight sight() {
        return sight;
    }

    @Override
    public ClusterView get(Caller caller, String name) {
        return view(caller, visible(caller, name), clock.instant());
    }

    @Override
    public ClusterView create(Caller caller, ClusterOrder order) {
        ClusterSpec spec = orders.spec(caller, order, clock.instant());
        return runner.change("clusters", now -> {
            refuseTaken(order.name());
            Optional<ClusterCause.AboveLimit> above = caller.admin() ? Optional.empty() : changes.needsApproval(spec);
            if (above.isPresent()) {
                changes.refuseTooManyThatWait();
            } else {
                changes.refuseTooMany();
            }
            changes.refuseWhileNothingIsBought();
            changes.refuseTooSmall(spec);
            changes.refuseOverQuota(spec, "");
            changes.refuseOverBudget(order.budget(), "", now);
            ClusterRecord asked = new ClusterRecord(
                    orders.id(journal.store().nextSequence()),
                    spec,
                    ClusterState.REQUESTED,
                    ClusterState.Stage.HEAD_INSTANCE,
                    Cause.NONE,
                    now,
                    Cause.NONE,
                    "",
                    List.of(),
                    ClusterMachine.NONE,
                    null,
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
        return runner.ask(now -> {
            if (terms.endsAtSeconds() > 0) {
                loop.lifespan().endsAt(Instant.ofEpochSecond(terms.endsAtSeconds()));
            }
            return loop.allow(terms.site(), terms.nodes(), terms.budget(), now);
        });
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
    public SessionsApi.Line session(Caller caller, String name, String path) {
        ClusterRecord child = running(caller, name);
        try {
            return ClusterLine.open(children.line(child, oneOf(child, caller, name)), path);
        } catch (IOException away) {
            throw new ApiException(
                    Code.UNAVAILABLE, "the head of cluster " + name + " does not answer", "try again in a moment");
        }
    }

    private static ClusterRecord.User oneOf(ClusterRecord child, Caller caller, String name) {
        return user(child, caller)
                .orElseThrow(() -> new ApiException(
                        Code.FORBIDDEN,
                        "user " + caller.user() + " is none of the users of cluster " + name,
                        "they are "
                                + child.spec().users().stream()
                                        .map(ClusterRecord.User::name)
                                        .collect(Collectors.joining(", "))));
    }

    @Override
    public ClusterRun.Result run(Caller caller, String name, ClusterRun command) {
        ClusterRecord child = running(caller, name);
        ClusterRecord.User user = oneOf(child, caller, name);
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

    /** The living one of that name, else the latest. */
    private ClusterRecord visible(Caller caller, String name) {
        Predicate<ClusterRecord> wanted = child -> child.spec().name().equals(name) && sees(caller, child);
        return journal.clusters().stream()
                .filter(wanted)
                .max(Comparator.comparing(ClusterRecord::isLive)
                        .thenComparing(child -> child.spec().createdAt()))
                .or(() -> past(Integer.MAX_VALUE).filter(wanted).min(NEWEST))
                .orElseThrow(() -> new ApiException(
                        Code.NOT_FOUND, "no cluster '" + name + "'", "'spillway cluster list --all' lists yours"));
    }

    private List<NoticeRecord> notices(ClusterRecord child) {
        return journal.cluster(child.id()).isPresent()
                ? journal.notices(child.id())
                : journal.store().notices(child.id());
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
                notices(child).stream()
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
