package org.spillway.head.journal;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.api.ClusterState;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.cloud.fleet.Intent;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.LaunchCause;
import org.spillway.head.cause.LaunchCause.LaunchFact;
import org.spillway.head.cause.Told;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Demand;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.Limits;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.NodeView;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.OfferingStatus;
import org.spillway.policy.Resources;
import org.spillway.policy.ScheduleWindow;
import org.spillway.scaler.plan.Alternatives;
import org.spillway.scaler.plan.Bound;
import org.spillway.scaler.plan.Plan;
import org.spillway.scaler.plan.Step;
import org.spillway.stage.Checksum;

/** Entries with every field filled. */
public final class Entries {
    static final Instant NOW = Instant.parse("2026-01-05T08:00:00.123456789Z");
    static final OfferingId OFFERING = new OfferingId("here", "zone-a", "std.4", Market.SPOT);
    static final Resources RESOURCES = new Resources(4, 8L << 30, 2, "h100", 100L << 30);
    static final String DIGEST = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private Entries() {}

    static JobSpec spec(String key) {
        return JobSpec.of(draft -> {
            draft.name = "näme \"quoted\"";
            draft.owner = new JobSpec.Owner("alice", 1001, 1002);
            draft.project = "genome";
            draft.queue = "gpu";
            draft.sites = List.of("here", "there");
            draft.program = new JobSpec.Program(
                    "#!/bin/sh\necho \u00fcber '\\' \t \ud83d\ude00\n",
                    List.of("a b", "", "--x='1'"),
                    Map.of("PATH", "/bin", "EMPTY", ""));
            draft.need = new JobSpec.Need(RESOURCES, 2, Duration.ofMinutes(90).plusMillis(5));
            draft.priority = 7;
            draft.requeue = false;
            draft.after = List.of(new JobSpec.Dependency("12", true), new JobSpec.Dependency("13", false));
            draft.array = new JobSpec.ArrayTask("17", 3, 2);
            draft.data = new JobSpec.Data(
                    List.of(new JobSpec.Input("/home/alice/in put.bin", "in/")),
                    List.of(
                            new JobSpec.Output("out", "/home/alice/out", false, true),
                            new JobSpec.Output("b/*.{c,d}", "/home/alice/c", true, false)),
                    "/home/alice",
                    60,
                    new JobSpec.Streams("/home/alice/o", "/home/alice/e", true));
            draft.idempotencyKey = JobSpec.Key.of(key);
            draft.submittedAt = NOW.minusSeconds(5);
        });
    }

    static JobRecord job(String id, JobState state) {
        JobRun run = new JobRun(
                3,
                "here",
                List.of(
                        new JobRun.Rank(
                                "n1",
                                new JobRun.End(
                                        NOW.minusSeconds(60),
                                        NOW.minusSeconds(1),
                                        143,
                                        new Told("stopped"),
                                        true,
                                        "store-1",
                                        new Checksum(7, DIGEST),
                                        40L),
                                false),
                        new JobRun.Rank(
                                "n2",
                                null,
                                true,
                                new JobRun.Synced(4, NOW.minusSeconds(9), 2, 30, 90, "no room", true))),
                new JobRun.Staged("store-1", 4, new Checksum(42, DIGEST)),
                true,
                new JobRun.Published(List.of("out"), 3, 99),
                true,
                new JobRun.Foreign("4711", 2, NOW.minusSeconds(90)),
                new JobRun.Homeward(
                        NOW.minusSeconds(30), List.of(new JobRun.Unplaced("out", "/home/alice/out", "no room")), true),
                new Reclaimed(
                        2,
                        90_000,
                        new Money(1_500),
                        2,
                        "east",
                        "store-1",
                        List.of(new Checksum(8, DIGEST)),
                        Reclaimed.Way.HOME));
        return new JobRecord(id, spec("key-" + id), state, new Told("because of \u2026"), NOW, run);
    }

    static JobRecord fresh(String id) {
        return fresh(id, "key-" + id);
    }

    /** Just submitted, by uid 1001, under that key. */
    public static JobRecord fresh(String id, String key) {
        return new JobRecord(id, spec(key), JobState.SUBMITTED, Cause.NONE, NOW, JobRun.NONE);
    }

    /** The same job, of another user. */
    static JobRecord ofUser(JobRecord job, int uid) {
        return job.with(job.spec().with(draft -> draft.owner = new JobSpec.Owner("bob", uid, uid)));
    }

    static NodeRecord node(String id, NodeState state) {
        return NodeRecord.of(draft -> {
            draft.id = id;
            draft.site = "here";
            draft.role = NodeRecord.Role.DIRECTOR;
            draft.intent = "i1";
            draft.nodeState = state;
            draft.cause = new Told("a reason");
            draft.since = NOW;
            draft.purchase = Purchase.of(bought -> {
                bought.offering = OFFERING;
                bought.resources = RESOURCES;
                bought.pricePerHour = Money.parse("12.345678");
                bought.from = NOW.minusSeconds(100);
                bought.to = state.isTerminal() ? NOW : null;
                bought.committedFor = Duration.ofMinutes(17);
            });
            draft.place = new NodeRecord.Place("m-1", "127.0.1.2", 2222, "127.0.9.2");
            draft.joined = new NodeRecord.Joined(
                    "request-1", "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n", null);
            draft.care = new NodeRecord.Care(true, true);
        });
    }

    static IntentRecord intent(String id, Intent.State state) {
        LaunchRequest request = LaunchRequest.of(id, 2, OFFERING, 3)
                .withImage("ami-1")
                .withUserData("#cloud-config\nx: ${secret}\n")
                .withTags(Map.of("spillway-role", "NODE", "a", "b"));
        return new IntentRecord(
                new Intent(request, state, NOW, List.of("m-1", "m-2"), NOW.minusSeconds(3)),
                new LaunchCause.LaunchUnknown("no answer"));
    }

    static List<LaunchEntry> launches() {
        return List.of(
                launch("i1", new LaunchOutcome.Launched(3)),
                launch("i2", new LaunchOutcome.Partial(1, LaunchOutcome.Reason.QUOTA, "only one")),
                launch("i3", new LaunchOutcome.Refused(LaunchOutcome.Reason.CAPACITY, "none")),
                launch("i4", new LaunchOutcome.Unknown("lost")));
    }

    private static LaunchEntry launch(String id, LaunchOutcome outcome) {
        return new LaunchEntry(id, new LaunchRecord(NOW, OFFERING, 3, outcome));
    }

    static DecisionEntry decision(String id) {
        ClusterSnapshot snapshot = ClusterSnapshot.of(draft -> {
            draft.now = NOW;
            draft.demands = List.of(Demand.of(demand -> {
                demand.shape = "gpu@here";
                demand.queue = "gpu";
                demand.perNode = RESOURCES;
                demand.jobs = 2;
                demand.oldestSubmit = NOW;
                demand.walltime = Duration.ofHours(1);
                demand.sites = List.of("here");
                demand.features = Set.of("x86");
                demand.stageInRest = Map.of("here", Duration.ofSeconds(9));
                demand.history = List.of(launches().getFirst().launch());
            }));
            draft.nodes = List.of(new NodeView(
                    "n1",
                    "here",
                    OFFERING,
                    NodeView.Phase.IDLE,
                    RESOURCES,
                    RESOURCES,
                    NOW,
                    Money.ZERO,
                    true,
                    NodeView.Duty.NONE));
            draft.offerings =
                    List.of(Offering.of(OFFERING, RESOURCES, Money.parse("1.5")).withFeatures(Set.of("x86")));
            draft.statuses = List.of(new OfferingStatus(OFFERING, NOW, 2, Duration.ofSeconds(50), "short", 0));
            draft.limits = new Limits(Map.of("here", 9), Money.parse("77.5"));
            draft.windows = List.of(new ScheduleWindow("night", NOW, NOW.plusSeconds(60)));
        });
        return new DecisionEntry(
                id,
                snapshot,
                new Plan(
                        NOW,
                        "queue-depth",
                        List.of(
                                new Step.Launch(
                                        OFFERING,
                                        2,
                                        List.of("gpu@here"),
                                        Money.parse("3"),
                                        "two wait",
                                        null,
                                        new Step.Behind(List.of(OFFERING), Money.parse("0.5"))),
                                new Step.Release("n0", "idle"),
                                new Step.Hold("other", "no offering fits", Bound.Kind.POLICY, ""))),
                new DecisionEntry.Made("1.2", "queue-depth", "", "{\"idleTime\":\"PT5M\"}", "UTC"),
                List.of(new Alternatives(
                        OFFERING,
                        2,
                        Money.parse("3"),
                        List.of(new Alternatives.Other(OFFERING, 4, Money.parse("6"), "it costs 3.00 more")),
                        7)),
                false);
    }

    static DelegatedRecord delegated(DelegatedRecord.State state) {
        OfferingId small = new OfferingId("east", "a", "small", Market.SPOT);
        OfferingId large = new OfferingId("east", "a", "large", Market.SPOT);
        LaunchRequest request = new LaunchRequest(
                "i1",
                2,
                small,
                3,
                "debian",
                "sha256:0",
                Map.of("colour", "blue"),
                List.of(large),
                LaunchRequest.Placement.NONE);
        LaunchOutcome partial = new LaunchOutcome.Partial(2, LaunchOutcome.Reason.CAPACITY, "no more");
        boolean open = state == DelegatedRecord.State.CALLED;
        return new DelegatedRecord(
                "home-c1",
                request.token(),
                request,
                state,
                List.of(
                        new DelegatedRecord.Price(small, Money.parse("0.10")),
                        new DelegatedRecord.Price(large, Money.parse("1.50"))),
                Duration.ofSeconds(60),
                NOW,
                NOW.plusSeconds(2),
                open ? null : partial,
                open ? List.of() : List.of(new LaunchAnswer.Part(small, partial)),
                open
                        ? List.of()
                        : List.of(
                                new DelegatedRecord.Machine("m-1", small, Money.parse("0.10"), null),
                                new DelegatedRecord.Machine("m-2", large, Money.parse("1.50"), NOW.plusSeconds(9))),
                LaunchFact.NOT_ALL_NAMED);
    }

    /** A cluster of that id and name. */
    public static ClusterRecord cluster(String id, String name, ClusterState state, Instant at) {
        ClusterSpec spec = new ClusterSpec(
                name,
                "east",
                List.of(new ClusterRecord.User("ada", 1001, 100, "/home/ada", List.of())),
                new ClusterSpec.Fleet(2, "small", "torch", ""),
                Duration.ofHours(8),
                Money.parse("10"),
                at,
                "");
        return new ClusterRecord(
                id,
                spec,
                state,
                ClusterState.Stage.READY,
                new Told("because"),
                at,
                Cause.NONE,
                "",
                List.of(),
                ClusterMachine.NONE,
                Money.parse("1.5"),
                null);
    }

    /** A notice to the owner of that cluster, which stands in its timeline only. */
    public static NoticeRecord told(ClusterRecord cluster, String what, NoticeRecord.Status status) {
        return new NoticeRecord(
                cluster.id() + "." + what + ".1", cluster.id(), what, "", cluster.since(), status, "", "");
    }
}
