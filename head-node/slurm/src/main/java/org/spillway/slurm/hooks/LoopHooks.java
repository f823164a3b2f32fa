package org.spillway.slurm.hooks;

import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.spillway.head.loop.handover.DataAnswer;
import org.spillway.head.tenant.HeadDesk;
import org.spillway.slurm.hooks.SlurmApi.Stage;

/**
 * Slurm's hooks, answered by the head.
 *
 * @param lines takes the lines of the job with that number
 * @param node the head's id of the node that has that name in Slurm
 */
public record LoopHooks(
        HeadDesk head, BiFunction<String, String, Optional<String>> lines, Function<String, Optional<String>> node)
        implements SlurmHooks {
    /** Shorter than the hook's own patience with the head. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Override
    public Optional<String> lines(String number, String text) {
        return lines.apply(number, text);
    }

    @Override
    public Stage dataIn(String number) {
        return stage(head.dataIn(number));
    }

    @Override
    public Stage dataOut(String number) {
        return stage(head.dataOut(number));
    }

    @Override
    public Stage preRun(String number) {
        return stage(head.onNodes(number, PATIENCE));
    }

    /** Staged data is removed when the job's record has ended, and not before: it may be asked for again. */
    @Override
    public Stage teardown(String number) {
        head.left(number);
        return new Stage.Ready();
    }

    @Override
    public Optional<String> nodeOf(String slot) {
        return node.apply(slot);
    }

    @Override
    public void wake() {
        head.wake();
    }

    @Override
    public String remove(String id) {
        return head.remove(id);
    }

    private static Stage stage(DataAnswer answer) {
        return switch (answer) {
            case DataAnswer.Ready ready -> new Stage.Ready();
            case DataAnswer.Wait(String sentence) -> new Stage.Wait(sentence);
            case DataAnswer.Failed(String sentence) -> new Stage.Failed(sentence);
        };
    }
}
