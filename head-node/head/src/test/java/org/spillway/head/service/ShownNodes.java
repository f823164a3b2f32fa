package org.spillway.head.service;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.api.ApiException;
import org.spillway.api.NodeExplainView;
import org.spillway.api.NodeLogsView;
import org.spillway.api.NodePageView;
import org.spillway.api.NodeState;
import org.spillway.api.NodeView;
import org.spillway.director.wire.Report;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.explain.NodeFacts;
import org.spillway.head.explain.NodeStory;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.OutcomeEntry;
import org.spillway.head.loop.state.Heard;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.OfferingId;
import org.spillway.scaler.plan.Breakers.Fault;
import org.spillway.scaler.plan.Breakers.NodeOutcome;
import org.spillway.scaler.plan.Breakers.Stage;

/** Nodes, one of each kind, in a journal, as its page shows it. */
public final class ShownNodes {
    private static final Instant NOON = Instant.parse("2026-11-27T12:00:00Z");
    private static final String IMAGE = "4f5e6d7c8b9a4f5e6d7c8b9a4f5e6d7c8b9a4f5e6d7c8b9a4f5e6d7c8b9a4f5e";
    private static final String VERSION = "91ab34cd91ab34cd91ab34cd91ab34cd91ab34cd91ab34cd91ab34cd91ab34cd";
    private static final String XID = "xids: NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.";

    private final Journal journal = new Journal(new MemoryJournalStore(), Instant.MIN);
    private final List<Report.GateCheck> gate = new ArrayList<>();
    private List<String> jobs = List.of();
    private boolean wasHeard = true;
    private Instant now = NOON;
    private NodeRecord node;

    private ShownNodes(String site, String id, String zone, String type, String price) {
        node = NodeRecord.of(draft -> {
            draft.id = id;
            draft.site = site;
            draft.nodeState = NodeState.BOOTING;
            draft.cause = new NodeCause.JobsWait(site);
            draft.since = NOON;
            draft.place = new NodeRecord.Place("i-0a1b", "10.1.0.17", 22, "10.1.0.17");
            draft.purchase = draft.purchase.with(bought -> {
                bought.offering = new OfferingId(site, zone, type, Market.ON_DEMAND);
                bought.pricePerHour = Money.parse(price);
                bought.from = NOON;
            });
        });
        journal.commit(now, node);
    }

    private ShownNodes to(NodeState state, Cause cause) {
        now = now.plusSeconds(60);
        node = node.to(state, cause, now);
        journal.commit(now, node);
        return this;
    }

    private ShownNodes as(NodeRecord changed) {
        node = changed;
        journal.commit(now, node);
        return this;
    }

    private ShownNodes came(Stage stage, String host, @Nullable Fault fault) {
        journal.commit(
                now,
                new OutcomeEntry(
                        node.id(), new NodeOutcome(now, node.offering(), stage, "", node.id(), host, fault), true));
        return this;
    }

    private ShownNodes found(String check, boolean passed, String detail) {
        gate.add(new Report.GateCheck(check, passed, detail));
        return this;
    }

    private ShownNodes gate() {
        return found("certificate", true, node.id())
                .found("program", true, "fetched")
                .found("isolation", true, "cgroups 2, rooms")
                .found("image", true, IMAGE)
                .found("directory", true, "212 users")
                .found("gpus", true, "8 counted")
                .found("workdir", true, "writable")
                .found("mounts", true, "/scratch, /projects")
                .found("root", true, VERSION + " 6.12.48")
                .found("names", true, "4 peers")
                .found("forwards", true, "27000");
    }

    /** A node of home, which runs two jobs. */
    public static NodePageView home() {
        ShownNodes shown = new ShownNodes("home", "home-1", "home", "xeon", "0");
        shown.jobs = List.of("41", "42");
        return shown.to(NodeState.JOINING, Cause.NONE)
                .to(NodeState.READY, Cause.NONE)
                .came(Stage.USED, "", null)
                .found("certificate", true, "home-1")
                .found("health", true, "well")
                .page();
    }

    /** A node of a cloud that is ready, of a category, and kept. */
    public static NodePageView ready() {
        ShownNodes shown = new ShownNodes("east", "east-17", "a", "gpu.large", "14.00");
        shown.to(NodeState.JOINING, Cause.NONE).to(NodeState.READY, Cause.NONE).came(Stage.USED, "a-h7", null);
        shown.as(shown.node
                .as(new NodeRecord.Profile("ml", List.of("solver"), 1, true))
                .withCare(new NodeRecord.Care(true, false)));
        return shown.gate().found("health", true, "well").page();
    }

    /** A node that was refused at its gate, and is being ended. */
    public static NodePageView refused() {
        return new ShownNodes("east", "east-18", "a", "gpu.large", "14.00")
                .to(NodeState.JOINING, Cause.NONE)
                .to(
                        NodeState.TERMINATING,
                        new NodeCause.GateFailed("mounts", "/projects: no answer from nfs-1 in 20 s"))
                .came(
                        Stage.FAILED,
                        "a-h7",
                        new Fault(NOON.plusSeconds(120), "mounts", "/projects: no answer from nfs-1 in 20 s", ""))
                .found("certificate", true, "east-18")
                .found("mounts", false, "/projects: no answer from nfs-1 in 20 s")
                .page();
    }

    /** A node that fell sick behind a job. */
    public static NodePageView sick() {
        ShownNodes shown = new ShownNodes("east", "east-19", "b", "gpu.large", "14.00");
        shown.jobs = List.of("44");
        return shown.to(NodeState.JOINING, Cause.NONE)
                .to(NodeState.READY, Cause.NONE)
                .to(NodeState.DRAINING, new NodeCause.Sick(XID))
                .came(Stage.USED, "b-h3", new Fault(NOON.plusSeconds(180), "health", XID, "43"))
                .gate()
                .found("health", false, XID)
                .page();
    }

    /** A node of a Slurm, whose administrators keep it from jobs. */
    public static NodePageView slurm() {
        return new ShownNodes("east", "east-20", "b", "cpu.large", "0.40")
                .to(NodeState.JOINING, Cause.NONE)
                .to(NodeState.READY, new NodeCause.Withheld("Slurm: DRAIN, slow disk [ada]"))
                .came(Stage.JOINED, "", null)
                .gate()
                .found("health", true, "well")
                .found("slurm", true, "slurmd 26.05.1")
                .page();
    }

    /** A node that is gone: nobody hears it any more. */
    public static NodePageView gone() {
        ShownNodes shown = new ShownNodes("east", "east-3", "a", "cpu.large", "0.40");
        shown.wasHeard = false;
        return shown.to(NodeState.JOINING, Cause.NONE)
                .to(NodeState.READY, Cause.NONE)
                .to(NodeState.UNREACHABLE, NodeFact.LEASE_NOT_RENEWED)
                .came(Stage.USED, "", new Fault(NOON.plusSeconds(120), Fault.LOST, "", "12"))
                .to(NodeState.TERMINATING, NodeFact.NOT_HEARD)
                .to(NodeState.TERMINATED, NodeFact.NOT_HEARD)
                .page();
    }

    private NodePageView page() {
        Heard heard = new Heard(
                wasHeard
                        ? new Report(
                                1,
                                "0.1.0",
                                "boot",
                                "store",
                                1,
                                List.of(),
                                List.of(new Report.NodeReport(node.id(), 1, true, IMAGE, gate, null, null)),
                                List.of(),
                                List.of(IMAGE),
                                Report.DirectoryReport.NONE,
                                0)
                        : null);
        return new NodePageDesk(journal, this::view, id -> Optional.of(story()), site -> heard, this::logs)
                .of(node.id())
                .orElseThrow();
    }

    private NodeExplainView story() {
        NodeFacts facts = new NodeFacts(
                node.id(),
                node.site(),
                new NodeFacts.Life(node.nodeState(), node.since(), node.reason()),
                new NodeFacts.Bought(NOON, "jobs wait in " + node.site(), "d12"),
                jobs,
                node.care().keep(),
                false,
                new NodeFacts.Idle(now, Duration.ofMinutes(5)),
                "",
                List.of());
        return new NodeExplainView(node.id(), node.nodeState(), NodeStory.of(facts, now), "d12");
    }

    private NodeView view(NodeRecord record) {
        return NodeView.of(view -> {
            view.id = record.id();
            view.site = record.site();
            view.state = record.nodeState();
            view.instance = record.instance() == null ? "" : record.instance();
            view.address = record.address();
            view.since = record.since();
            view.pricePerHour = record.pricePerHour();
            view.reason = record.reason();
            view.jobs = jobs;
            view.category = record.profile().category();
            view.overlays = record.profile().overlays();
            view.image = gate.isEmpty() ? "" : IMAGE;
            view.version = gate.size() > 3 ? VERSION : "";
            view.kernel = gate.size() > 3 ? "6.12.48" : "";
        });
    }

    private NodeLogsView logs(String id, int boot, List<String> sources) {
        if (node.site().equals("home")) {
            throw new ApiException(ApiException.Code.NOT_FOUND, "nothing is kept of it", "");
        }
        return new NodeLogsView(
                id, List.of(new NodeLogsView.BootView(1, "00112233445566aa", NOON, now, 4000)), 1, List.of());
    }
}
