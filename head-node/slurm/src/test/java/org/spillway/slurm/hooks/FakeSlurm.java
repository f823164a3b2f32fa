package org.spillway.slurm.hooks;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.head.rest.Caller;

/** Slurm's side of a head: it answers what it was told to, and keeps what it was asked. */
public final class FakeSlurm implements SlurmApi {
    public final List<String> asked = Collections.synchronizedList(new ArrayList<>());
    /** Answers in their order; the last one stays. */
    public final Deque<Stage> stages = new ArrayDeque<>(List.of(new Stage.Ready()));
    /** The fault of a script; empty for none. */
    public volatile String wrong = "";

    /** Where tests do not run as root. */
    public volatile boolean everybody;

    @Override
    public boolean mayAct(Caller caller) {
        return everybody || caller.uid() == 0 || caller.user().equals("slurm");
    }

    private synchronized Stage next(String what) {
        asked.add(what);
        return stages.size() == 1 ? stages.getFirst() : stages.removeFirst();
    }

    @Override
    public Stage dataIn(String number, String lines) {
        return next("data-in " + number + "\n" + lines);
    }

    @Override
    public Stage preRun(String number) {
        return next("pre-run " + number);
    }

    @Override
    public Stage dataOut(String number) {
        return next("data-out " + number);
    }

    @Override
    public Stage teardown(String number) {
        return next("teardown " + number);
    }

    @Override
    public void check(Caller caller, SlurmScript script) {
        asked.add("check " + script.folder() + " " + script.partitions() + "\n" + script.lines());
        if (!wrong.isEmpty()) {
            throw new ApiException(Code.BAD_REQUEST, wrong, "");
        }
    }

    @Override
    public List<SlurmSlot> resume(List<String> names) {
        asked.add("resume " + names);
        return slots(names);
    }

    @Override
    public List<SlurmSlot> suspend(List<String> names) {
        asked.add("suspend " + names);
        return slots(names);
    }

    private static List<SlurmSlot> slots(List<String> names) {
        return names.stream()
                .map(name -> name.startsWith("west-")
                        ? new SlurmSlot(name, true, "n1", "is there already")
                        : new SlurmSlot(name, false, "", "not a node of Spillway: nothing is done"))
                .toList();
    }
}
