package org.spillway.slurm.hooks;

import java.util.List;
import java.util.Set;
import org.spillway.head.rest.Caller;
import org.spillway.slurm.manager.StagingLines;

/** Answers Slurm's hooks. */
public final class SlurmDesk implements SlurmApi {
    private final String slurmUser;
    private final Set<String> slots;
    private final SlurmHooks hooks;
    private final SlurmCheck check;

    /**
     * @param slurmUser login name
     * @param slots all names that Slurm declares for the head
     */
    public SlurmDesk(String slurmUser, Set<String> slots, SlurmHooks hooks, SlurmCheck check) {
        this.slurmUser = slurmUser;
        this.slots = Set.copyOf(slots);
        this.hooks = hooks;
        this.check = check;
    }

    @Override
    public boolean mayAct(Caller caller) {
        return caller.uid() == 0 || caller.user().equals(slurmUser);
    }

    @Override
    public Stage dataIn(String number, String lines) {
        // Nobody looked at a script that was submitted past the filter, or while its like was not installed.
        if (StagingLines.parse(lines, "/job", "", "") instanceof StagingLines.Result.Refused refused) {
            return new Stage.Failed(refused.sentence());
        }
        var noRoom = hooks.lines(number, lines);
        var stage = hooks.dataIn(number);
        // A job that the head has taken over long ago needs its lines no more.
        return stage instanceof Stage.Wait && noRoom.isPresent() ? new Stage.Wait(noRoom.get()) : stage;
    }

    @Override
    public Stage preRun(String number) {
        return hooks.preRun(number);
    }

    @Override
    public Stage dataOut(String number) {
        return hooks.dataOut(number);
    }

    @Override
    public Stage teardown(String number) {
        return hooks.teardown(number);
    }

    @Override
    public void check(Caller caller, SlurmScript script) {
        check.judge(caller, script);
    }

    @Override
    public List<SlurmSlot> resume(List<String> names) {
        hooks.wake();
        return names.stream()
                .map(name -> {
                    if (!slots.contains(name)) {
                        return notOurs(name);
                    }
                    String node = hooks.nodeOf(name).orElse("");
                    return new SlurmSlot(
                            name,
                            true,
                            node,
                            node.isEmpty() ? "a node comes when the scaler finds a job for it" : "is there already");
                })
                .toList();
    }

    @Override
    public List<SlurmSlot> suspend(List<String> names) {
        return names.stream()
                .map(name -> {
                    if (!slots.contains(name)) {
                        return notOurs(name);
                    }
                    String node = hooks.nodeOf(name).orElse("");
                    return new SlurmSlot(name, true, node, node.isEmpty() ? "has no node" : hooks.remove(node));
                })
                .toList();
    }

    private static SlurmSlot notOurs(String name) {
        return new SlurmSlot(name, false, "", "not a node of Spillway: nothing is done");
    }
}
