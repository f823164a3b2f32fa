package org.spillway.head.web;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.CauseView;
import org.spillway.api.ClusterChange;
import org.spillway.api.ClusterOrder;
import org.spillway.api.ClusterRun;
import org.spillway.api.ClusterTerms;
import org.spillway.api.ClusterView;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.ClustersApi;
import org.spillway.policy.Money;

/** Clusters on demand of two users: ada's runs, grace's waits for approval; both are asked and changed in memory. */
final class BusyClusters implements ClustersApi {
    static final Caller ADA = new Caller("ada", 1001, 1001, false);
    static final Caller GRACE = new Caller("grace", 1002, 1002, false);

    private final Map<String, ClusterView> all = new LinkedHashMap<>();
    /** Requests so far, in words. */
    final List<String> asked = new ArrayList<>();

    BusyClusters() {
        put("demo1", "ada", "RUNNING", "");
        put("big", "grace", "WAITING_FOR_APPROVAL", "nodes: found 20; at most 8 together");
        put("lost", "ada", "FAILED", "stage nodes: " + BusyHead.MARKUP);
    }

    private void put(String name, String owner, String state, String reason) {
        Instant made = BusyHead.NOON.minusSeconds(1800);
        boolean waits = state.equals("WAITING_FOR_APPROVAL");
        all.put(
                name,
                new ClusterView(
                        "hydro-c" + (all.size() + 1),
                        name,
                        "local-east",
                        owner,
                        List.of(owner, "alan"),
                        state,
                        reason,
                        "",
                        made,
                        waits ? 20 : 2,
                        "gpu.small",
                        waits ? "" : "127.87.1.1",
                        made,
                        made.plus(Duration.ofHours(8)),
                        Money.parse("20"),
                        Money.parse(waits ? "0" : "0.20"),
                        Money.parse(waits ? "0" : "7.4321"),
                        waits
                                ? List.of()
                                : List.of(
                                        new ClusterView.StageView("head-instance", made, made.plusSeconds(3)),
                                        new ClusterView.StageView(
                                                "head-install", made.plusSeconds(3), made.plusSeconds(11)),
                                        new ClusterView.StageView("nodes", made.plusSeconds(11), null)),
                        "",
                        state.equals("FAILED") ? "log " + BusyHead.MARKUP : "",
                        List.of(new ClusterView.NoticeView(
                                made, "cluster " + name + " " + BusyHead.MARKUP, "SENT", "", "")),
                        waits ? "" : "/home/ada/results",
                        "base",
                        "embedded",
                        waits
                                ? new ClusterView.ApprovalView(
                                        reason,
                                        made,
                                        made.plus(Duration.ofDays(7)),
                                        List.of("root", "carol"),
                                        false,
                                        "",
                                        null)
                                : null,
                        told(reason),
                        CauseView.NONE,
                        CauseView.NONE));
    }

    private static boolean sees(Caller caller, ClusterView view) {
        return caller.admin() || view.users().contains(caller.user());
    }

    private ClusterView as(Caller caller, ClusterView view) {
        var approval = view.approval();
        return approval == null || !caller.admin() ? view : with(view, view.state(), view.reason(), true);
    }

    private static ClusterView with(ClusterView view, String state, String reason, boolean mine) {
        var asked = view.approval();
        return new ClusterView(
                view.id(),
                view.name(),
                view.site(),
                view.owner(),
                view.users(),
                state,
                reason,
                view.remark(),
                view.since(),
                view.nodes(),
                view.nodeType(),
                view.address(),
                view.createdAt(),
                view.expiresAt(),
                view.budget(),
                view.headPricePerHour(),
                view.spent(),
                view.stages(),
                view.failure(),
                view.log(),
                view.notices(),
                view.results(),
                view.image(),
                view.workload(),
                asked == null
                        ? null
                        : new ClusterView.ApprovalView(
                                asked.why(),
                                asked.askedAt(),
                                asked.until(),
                                asked.approvers(),
                                mine,
                                asked.by(),
                                asked.decidedAt()),
                told(reason),
                view.remarkCause(),
                view.failureCause());
    }

    private static CauseView told(String text) {
        return text.isEmpty() ? CauseView.NONE : new CauseView("TOLD", Map.of("text", text), text);
    }

    @Override
    public synchronized List<ClusterView> list(Caller caller) {
        return all.values().stream()
                .filter(view -> sees(caller, view))
                .map(view -> as(caller, view))
                .toList();
    }

    @Override
    public List<ClusterView> all(Caller caller) {
        return list(caller);
    }

    @Override
    public synchronized ClusterView get(Caller caller, String name) {
        var view = all.get(name);
        if (view == null || !sees(caller, view)) {
            throw new ApiException(Code.NOT_FOUND, "no cluster '" + name + "'", "");
        }
        return as(caller, view);
    }

    @Override
    public synchronized ClusterView create(Caller caller, ClusterOrder order) {
        if (order.nodes() > 100) {
            throw new ApiException(Code.LIMIT_EXCEEDED, "nodes: found " + order.nodes(), "site allows up to 100");
        }
        asked.add(caller.user() + " " + order);
        put(order.name(), caller.user(), "REQUESTED", "");
        return get(caller, order.name());
    }

    @Override
    public synchronized ClusterView delete(Caller caller, String name) {
        asked.add(caller.user() + " deletes " + name);
        all.put(name, with(get(caller, name), "DELETING", "deleted by " + caller.user(), false));
        return get(caller, name);
    }

    @Override
    public synchronized ClusterView change(Caller caller, String name, ClusterChange change) {
        var view = get(caller, name);
        asked.add(caller.user() + " " + name + " " + change);
        if (change instanceof ClusterChange.Approve) {
            all.put(name, with(view, "CREATING", "", false));
        } else if (change instanceof ClusterChange.Stop) {
            all.put(name, with(view, "STOPPED", "stopped by " + caller.user(), false));
        } else if (change instanceof ClusterChange.Start) {
            all.put(name, with(view, "RUNNING", "", false));
        }
        return get(caller, name);
    }

    @Override
    public int comply(ClusterTerms terms) {
        throw new UnsupportedOperationException("terms are told to a child's head, and this one is nobody's child");
    }

    @Override
    public Relayed relay(Caller caller, String name, String method, String path, String key, byte[] body) {
        return new Relayed(200, Map.of("nodes", new BusyHead().nodes()));
    }

    @Override
    public ClusterRun.Result run(Caller caller, String name, ClusterRun command) {
        throw new UnsupportedOperationException("these clusters are shown, and have no head that runs a command");
    }
}
