package org.spillway.slurm.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.spillway.head.rest.Caller;
import org.spillway.slurm.hooks.SlurmApi.Stage;

final class SlurmDeskTest {
    private final List<String> said = new ArrayList<>();
    private final SlurmHooks hooks = new Hooks();
    // No script is judged here.
    private final SlurmDesk desk = new SlurmDesk("slurm", Set.of("west-gpu-1", "west-gpu-2"), hooks, null);

    private Optional<String> noRoom = Optional.empty();
    private Stage staged = new Stage.Wait("soon");

    private final class Hooks implements SlurmHooks {
        @Override
        public Optional<String> lines(String number, String lines) {
            said.add("lines " + number + " " + lines.strip());
            return noRoom;
        }

        @Override
        public Stage dataIn(String number) {
            said.add("data-in " + number);
            return staged;
        }

        @Override
        public Stage preRun(String number) {
            return new Stage.Wait(number);
        }

        @Override
        public Stage dataOut(String number) {
            return new Stage.Ready();
        }

        @Override
        public Stage teardown(String number) {
            return new Stage.Ready();
        }

        @Override
        public Optional<String> nodeOf(String slot) {
            return Optional.ofNullable(Map.of("west-gpu-1", "n17").get(slot));
        }

        @Override
        public void wake() {
            said.add("wake");
        }

        @Override
        public String remove(String node) {
            said.add("remove " + node);
            return "is ended when nothing runs on it";
        }
    }

    @Test
    void whoSpeaksForSlurm() {
        assertThat(desk.mayAct(new Caller("root", 0, 0, true))).isTrue();
        assertThat(desk.mayAct(new Caller("slurm", 64030, 64030, false))).isTrue();
        assertThat(desk.mayAct(new Caller("spillway", 990, 990, true))).isFalse();
        assertThat(desk.mayAct(new Caller("alice", 1000, 1000, false))).isFalse();
    }

    @Test
    void aJobsLinesComeBeforeTheQuestion() {
        assertThat(desk.dataIn("4711", "#SPILLWAY in=x\n")).isEqualTo(new Stage.Wait("soon"));
        assertThat(said).containsExactly("lines 4711 #SPILLWAY in=x", "data-in 4711");
    }

    @Test
    void whoseLinesFindNoRoomIsToldSoUnlessItIsStagedAlready() {
        noRoom = Optional.of("the lines take 8 MiB");
        assertThat(desk.dataIn("4711", "#SPILLWAY in=x\n")).isEqualTo(new Stage.Wait("the lines take 8 MiB"));
        staged = new Stage.Ready();
        assertThat(desk.dataIn("4711", "#SPILLWAY in=x\n")).isEqualTo(new Stage.Ready());
    }

    @Test
    void linesThatNobodyUnderstandsFailAtOnce() {
        var stage = desk.dataIn("4711", "#!/bin/sh\n#SPILLWAY nonsense\n");
        assertThat(stage).isInstanceOf(Stage.Failed.class);
        assertThat(((Stage.Failed) stage).why()).startsWith("line 2: nonsense: not known");
        assertThat(said).isEmpty();
    }

    @Test
    void resumeBuysNothingByItself() {
        assertThat(desk.resume(List.of("west-gpu-1", "west-gpu-2", "onprem1")))
                .containsExactly(
                        new SlurmSlot("west-gpu-1", true, "n17", "is there already"),
                        new SlurmSlot("west-gpu-2", true, "", "a node comes when the scaler finds a job for it"),
                        new SlurmSlot("onprem1", false, "", "not a node of Spillway: nothing is done"));
        assertThat(said).containsExactly("wake");
    }

    @Test
    void suspendEndsOursAndNothingElse() {
        assertThat(desk.suspend(List.of("west-gpu-1", "west-gpu-2", "onprem1")))
                .extracting(SlurmSlot::what)
                .containsExactly(
                        "is ended when nothing runs on it", "has no node", "not a node of Spillway: nothing is done");
        assertThat(said).containsExactly("remove n17");
    }
}
