package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import org.spillway.api.ClusterOrder;
import org.spillway.api.ClusterView;
import org.spillway.cli.CliFailure;
import org.spillway.policy.Money;

/** A cluster on demand of one node, asked by its owner; its head is a process below the folder of the test. */
record OnDemand(HeadFixture parent, String name) {
    /** Asks for it until its parent knows what the site offers. */
    static OnDemand create(HeadFixture parent, String name) {
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> {
                    try {
                        parent.client().post("/clusters", order(name));
                        return true;
                    } catch (CliFailure notYet) {
                        assertThat(notYet).hasMessageContaining("not known");
                        return false;
                    }
                }))
                .isTrue();
        return new OnDemand(parent, name);
    }

    static ClusterOrder order(String name) {
        return new ClusterOrder(name, "east", 1, 0, "", 3600, Money.parse("5"), List.of(), "", "", "");
    }

    String jobs() {
        return "/clusters/" + name + "/head/jobs";
    }

    ClusterView view() {
        return parent.client().get("/clusters/" + name, ClusterView.class);
    }

    /** Until it is so or over. */
    ClusterView await(Predicate<ClusterView> condition) {
        ClusterView[] last = new ClusterView[1];
        Processes.eventually(HeadFixture.PATIENCE, () -> {
            try {
                last[0] = view();
                return condition.test(last[0]) || last[0].isOver();
            } catch (CliFailure away) {
                return false;
            }
        });
        assertThat(last[0]).as(parent.tail()).matches(condition);
        return last[0];
    }

    void awaitState(String state) {
        await(now -> now.state().equals(state));
    }

    void awaitStage(String stage) {
        await(now -> now.stages().stream().anyMatch(one -> one.stage().equals(stage)));
    }

    /** Waits until it lives. */
    long head() {
        long[] found = new long[1];
        assertThat(Processes.eventually(HeadFixture.PATIENCE, () -> {
                    found[0] = Processes.ofInstances(parent.folder()).stream()
                            .filter(pid -> Processes.commandLine(pid).contains("org.spillway.cli.Main serve"))
                            .filter(pid -> Processes.workingFolder(pid).endsWith("/spillway-head"))
                            .findFirst()
                            .orElse(0L);
                    return found[0] != 0;
                }))
                .as(parent.tail())
                .isTrue();
        return found[0];
    }

    /** Of its head's process. */
    Path folder() {
        return Path.of(Processes.workingFolder(head()));
    }

    String log() throws IOException {
        Path folder = folder();
        Path before = folder.resolve("head.log.1");
        return (Files.exists(before) ? Files.readString(before) : "") + Files.readString(folder.resolve("head.log"));
    }

    /** Removes it; nothing of it is left. */
    void delete() {
        parent.client().post("/clusters/" + name + "/delete");
        awaitState("DELETED");
    }
}
