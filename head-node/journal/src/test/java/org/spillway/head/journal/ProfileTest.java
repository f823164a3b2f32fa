package org.spillway.head.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.policy.Fabric;

/** A node's profile, and records of releases in which all nodes were alike. */
final class ProfileTest {
    private static final NodeRecord.Profile ML = new NodeRecord.Profile("ml", List.of("solver"), 3);

    @Test
    void aRecordWithoutOneIsOfNoCategory() {
        NodeRecord node = Entries.node("n1", NodeState.READY);
        String body = EntryJson.write(node);
        String old = body.replaceAll(",\"profile\":\\{[^}]*\\}", "");
        assertThat(old).isNotEqualTo(body).doesNotContain("profile");
        assertThat(EntryJson.read("node", "n1", old)).isEqualTo(node);
        assertThat(node.profile()).isEqualTo(NodeRecord.Profile.PLAIN);
    }

    @Test
    void releasesBefore010CalledItAGuise() {
        NodeRecord node = Entries.node("n1", NodeState.READY).as(ML);
        String old = EntryJson.write(node).replace("\"profile\":", "\"guise\":");
        assertThat(old).contains("\"guise\":{");
        assertThat(EntryJson.read("node", "n1", old)).isEqualTo(node);
    }

    @Test
    void itIsKeptThroughEveryOtherChange() {
        NodeRecord node = Entries.node("n1", NodeState.READY).as(ML);
        assertThat(EntryJson.read("node", "n1", EntryJson.write(node))).isEqualTo(node);
        assertThat(List.of(
                        node.to(NodeState.DRAINING, Cause.NONE, Entries.NOW),
                        node.withCommittedFor(java.time.Duration.ofHours(1)),
                        node.withCare(NodeRecord.Care.NONE),
                        node.withJoin("r", "c"),
                        node.takenBack()))
                .extracting(NodeRecord::profile)
                .containsOnly(ML);
    }

    @Test
    void whatItIsToBecomeOutlivesTheHeadAndEarlierReleasesSaidNothingOfIt() {
        NodeRecord node = Entries.node("n1", NodeState.DRAINING)
                .as(ML.fixed(true))
                .withCare(new NodeRecord.Care(
                        true, true, ML.turnedInto("", List.of()).fixed(true)));
        String body = EntryJson.write(node);
        assertThat(EntryJson.read("node", "n1", body)).isEqualTo(node);
        String old = body.replaceAll(",\"next\":\\{[^}]*\\}", "").replaceAll(",\"fixed\":(true|false)", "");
        assertThat(old).doesNotContain("next").doesNotContain("fixed");
        assertThat(EntryJson.read("node", "n1", old)).isEqualTo(node.as(ML).withCare(new NodeRecord.Care(true, true)));
    }

    @Test
    void aRecordWithoutAFabricIsOnNone() {
        NodeRecord node = Entries.node("n1", NodeState.READY);
        String body = EntryJson.write(node);
        String old = body.replaceAll(",\"fabric\":\\{[^}]*\\}", "");
        assertThat(old).isNotEqualTo(body).doesNotContain("fabric");
        assertThat(EntryJson.read("node", "n1", old)).isEqualTo(node);
        assertThat(node.fabric()).isEqualTo(Fabric.NONE);
        NodeRecord gangs = node.on(new Fabric("efa", "gang-7"));
        assertThat(EntryJson.read("node", "n1", EntryJson.write(gangs))).isEqualTo(gangs);
        assertThat(List.of(
                        gangs.to(NodeState.DRAINING, Cause.NONE, Entries.NOW),
                        gangs.as(ML),
                        gangs.withCare(NodeRecord.Care.NONE),
                        gangs.takenBack()))
                .extracting(NodeRecord::fabric)
                .containsOnly(new Fabric("efa", "gang-7"));
    }

    @Test
    void eachChangeIsATurn() {
        NodeRecord node = Entries.node("n1", NodeState.READY).as(ML);
        NodeRecord next = node.repurposed(ML.turnedInto("", List.of()), Cause.NONE, Entries.NOW);
        assertThat(next.nodeState()).isEqualTo(NodeState.REPURPOSING);
        assertThat(next.profile()).isEqualTo(new NodeRecord.Profile("", List.of(), 4));
        assertThat(next.purchase()).as("its price goes on").isEqualTo(node.purchase());
    }
}
