package org.spillway.head.loop;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.spillway.api.JobState;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Purchase;
import org.spillway.policy.Market;
import org.spillway.policy.Money;
import org.spillway.policy.Offering;
import org.spillway.policy.OfferingId;
import org.spillway.policy.Resources;

/** Jobs of one hour, and nodes at 3.60 an hour, in the site east. */
public final class Samples {
    public static final Instant NOW = Instant.parse("2026-01-05T10:00:00Z");
    public static final Offering SMALL = Offering.of(
            new OfferingId("east", "a", "small", Market.ON_DEMAND), Resources.of(4, 8, 0), Money.parse("3.60"));

    private Samples() {}

    /** @param key empty for a job that was given to the head */
    public static JobRecord job(String id, int nodes, String key, JobState state, JobRun run) {
        JobSpec spec = JobSpec.of(draft -> {
            draft.name = id;
            draft.owner = new JobSpec.Owner("ada", 1000, 1000);
            draft.queue = "long";
            draft.sites = List.of("east");
            draft.need = new JobSpec.Need(Resources.of(1, 1, 0), nodes, Duration.ofHours(1));
            draft.data = new JobSpec.Data(List.of(), List.of(), "/home/ada");
            draft.idempotencyKey = JobSpec.Key.of(key.isEmpty() ? "key-" + id : key);
            draft.submittedAt = NOW.minusSeconds(60);
        });
        return new JobRecord(id, spec, state, Cause.NONE, NOW.minusSeconds(30), run);
    }

    /** A job that waits for nodes in the site. */
    public static JobRecord queued(String id, int nodes) {
        return job(id, nodes, "", JobState.QUEUED, JobRun.NONE.at("east"));
    }

    /** Bought an hour ago and reserved for two. */
    public static NodeRecord node(String id, NodeState state) {
        return NodeRecord.of(draft -> {
            draft.id = id;
            draft.site = "east";
            draft.intent = "i-" + id;
            draft.nodeState = state;
            draft.since = NOW.minusSeconds(600);
            draft.purchase = Purchase.of(bought -> {
                bought.sold(SMALL);
                bought.from = NOW.minus(Duration.ofHours(1));
                bought.committedFor = Duration.ofHours(2);
            });
            draft.place = new NodeRecord.Place("instance-" + id, "10.0.0.1", 22, "10.0.0.1");
            draft.joined = new NodeRecord.Joined("", "certificate", null);
        });
    }
}
