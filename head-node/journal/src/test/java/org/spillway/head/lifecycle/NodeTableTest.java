package org.spillway.head.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;

/** Every row of the table. */
final class NodeTableTest {
    private static final Path GOLDEN = Path.of("src/test/resources/org/spillway/head/lifecycle/node-table.txt");
    private static final Set<Contact> NO_HOPE = EnumSet.of(Contact.OVERDUE, Contact.SILENT, Contact.EXPIRED);

    private record Row(NodeState state, Sight sight, Contact contact, boolean hasJob, boolean director) {
        NodeVerdict verdict() {
            return NodeTable.verdict(state, sight, contact, hasJob, director);
        }
    }

    private static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (NodeState state : NodeState.values()) {
            for (Sight sight : Sight.values()) {
                for (Contact contact : Contact.values()) {
                    for (int i = 0; i < 4; i++) {
                        rows.add(new Row(state, sight, contact, (i & 1) == 1, (i & 2) == 2));
                    }
                }
            }
        }
        return rows;
    }

    @Test
    void everyRowTakesAStepThatTheJournalAllows() {
        assertThat(rows()).hasSize(15 * 7 * 6 * 4);
        assertThat(rows())
                .filteredOn(row -> {
                    NodeState next = row.verdict().next();
                    return next != row.state() && !row.state().next().contains(next);
                })
                .isEmpty();
    }

    @Test
    void aJobIsRequeuedOnlyWhenNothingOfItCanRunAnyMore() {
        assertThat(rows())
                .filteredOn(row -> row.verdict().requeue())
                .isNotEmpty()
                .allSatisfy(row -> {
                    assertThat(row.hasJob()).isTrue();
                    assertThat(row.sight() == Sight.GONE || row.contact() == Contact.EXPIRED)
                            .isTrue();
                });
    }

    @Test
    void aJobIsNeverLeftBehindOnARecordThatEnds() {
        assertThat(rows())
                .filteredOn(row -> row.hasJob()
                        && !row.state().isTerminal()
                        && row.verdict().next().isTerminal())
                .isNotEmpty()
                .allSatisfy(row -> assertThat(row.verdict().requeue()).isTrue());
    }

    @Test
    void aRecordEndsOnlyWhenItsInstanceIsProvenGone() {
        assertThat(rows())
                .filteredOn(
                        row -> !row.state().isTerminal() && row.verdict().next().isTerminal())
                .isNotEmpty()
                .allSatisfy(row -> assertThat(row.sight()).isEqualTo(Sight.GONE));
        assertThat(rows())
                .filteredOn(row -> !row.state().isTerminal() && row.sight() == Sight.GONE)
                .allSatisfy(row -> assertThat(row.verdict().next().isTerminal()).isTrue());
    }

    @Test
    void nothingFollowsForARecordThatHasEnded() {
        assertThat(rows())
                .filteredOn(row -> row.state().isTerminal())
                .allSatisfy(row ->
                        assertThat(row.verdict()).isEqualTo(new NodeVerdict(row.state(), false, false, Cause.NONE)));
    }

    @Test
    void aHealthyReadyNodeIsNeverEnded() {
        assertThat(rows())
                .filteredOn(row -> row.state() == NodeState.READY
                        && EnumSet.of(Sight.UNPROVEN, Sight.PENDING, Sight.RUNNING)
                                .contains(row.sight())
                        && !NO_HOPE.contains(row.contact()))
                .isNotEmpty()
                .allSatisfy(row -> assertThat(row.verdict())
                        .isEqualTo(new NodeVerdict(NodeState.READY, false, false, Cause.NONE)));
    }

    @Test
    void aDrainingNodeIsNotEndedUnderItsJob() {
        assertThat(rows())
                .filteredOn(row -> row.state() == NodeState.DRAINING
                        && row.hasJob()
                        && row.sight() == Sight.RUNNING
                        && row.contact() == Contact.WELL)
                .hasSize(2)
                .allSatisfy(row -> assertThat(row.verdict().terminate()).isFalse());
    }

    @Test
    void whateverMovesOrEndsSaysWhy() {
        assertThat(rows())
                .filteredOn(row -> row.verdict().terminate() && row.state() != NodeState.TERMINATING)
                .isNotEmpty()
                .allSatisfy(row -> assertThat(row.verdict().cause()).isNotEqualTo(Cause.NONE));
    }

    /** Money that serves nobody: from any state, what is not heard of comes to be ended, and asked again until gone. */
    @Test
    void aLiveInstanceThatServesNobodyIsEndedAtLast() {
        for (Row from : rows()) {
            boolean live = from.sight() != Sight.UNNAMED && from.sight() != Sight.GONE;
            if (from.state().isTerminal() || !live || !NO_HOPE.contains(from.contact())) {
                continue;
            }
            Row end = fixpoint(from);
            assertThat(end.state()).as("from %s", from).isEqualTo(NodeState.TERMINATING);
            assertThat(end.verdict().terminate()).as("from %s", from).isEqualTo(from.sight() != Sight.ENDING);
            assertThat(end.verdict().requeue())
                    .as("from %s", from)
                    .isEqualTo(from.hasJob() && from.contact() == Contact.EXPIRED);
        }
    }

    @Test
    void noInputMakesTheTableRunInCircles() {
        rows().forEach(NodeTableTest::fixpoint);
    }

    private static Row fixpoint(Row from) {
        Set<NodeState> been = new HashSet<>();
        Row row = from;
        while (been.add(row.state())) {
            row = new Row(row.verdict().next(), from.sight(), from.contact(), from.hasJob(), from.director());
        }
        assertThat(row.verdict().next()).as("a circle from %s", from).isEqualTo(row.state());
        return row;
    }

    /** The whole table, so that each change of it is read in a review. Written anew by -Dgolden.update=true. */
    @Test
    void theTableIsTheOneThatWasReviewed() throws IOException {
        String table = text();
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(GOLDEN, table);
        }
        assertThat(table).isEqualTo(Files.readString(GOLDEN));
    }

    private static String text() {
        StringBuilder text = new StringBuilder("""
                # state, sight, contacts -> what follows for: node, node with a job, director
                # a state: it goes there; . it stays; ! the instance is asked to end; R the job is requeued
                # rows in which nothing follows for any of the three are left out
                """);
        for (NodeState state : NodeState.values()) {
            for (Sight sight : Sight.values()) {
                Map<String, List<String>> contacts = new LinkedHashMap<>();
                for (Contact contact : Contact.values()) {
                    String cells = cell(new Row(state, sight, contact, false, false))
                            + " " + cell(new Row(state, sight, contact, true, false))
                            + " " + cell(new Row(state, sight, contact, false, true));
                    contacts.computeIfAbsent(cells, any -> new ArrayList<>()).add(contact.name());
                }
                contacts.remove(". . .");
                contacts.forEach((cells, which) -> text.append("%s %s %s -> %s\n"
                        .formatted(
                                state,
                                sight,
                                which.size() == Contact.values().length ? "any" : String.join("|", which),
                                cells)));
            }
        }
        return text.toString();
    }

    private static String cell(Row row) {
        NodeVerdict verdict = row.verdict();
        String next = verdict.next() == row.state() ? "." : verdict.next().name();
        return next + (verdict.terminate() ? "!" : "") + (verdict.requeue() ? "R" : "");
    }
}
