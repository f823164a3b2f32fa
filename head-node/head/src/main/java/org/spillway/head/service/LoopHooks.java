package org.spillway.head.service;

import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.spillway.api.ApiException;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.loop.handover.DataAnswer;
import org.spillway.head.rest.SlurmApi.Stage;

/**
 * Slurm's hooks, answered on the loop's thread.
 *
 * @param lines takes the lines of the job with that number
 * @param node the head's id of the node that has that name in Slurm
 * @param removal has that node removed, and says what it is then
 */
record LoopHooks(
        Loop loop,
        LoopRunner runner,
        BiFunction<String, String, Optional<String>> lines,
        Function<String, Optional<String>> node,
        UnaryOperator<String> removal)
        implements SlurmHooks {

    @Override
    public Optional<String> lines(String number, String text) {
        return lines.apply(number, text);
    }

    @Override
    public Stage dataIn(String number) {
        return stage(runner.ask(now -> loop.dataIn(number)));
    }

    @Override
    public Stage dataOut(String number) {
        return stage(runner.ask(now -> loop.dataOut(number)));
    }

    /** Staged data is removed when the job's record has ended, and not before: it may be asked for again. */
    @Override
    public Stage teardown(String number) {
        return new Stage.Ready();
    }

    @Override
    public Optional<String> nodeOf(String slot) {
        return node.apply(slot);
    }

    @Override
    public void wake() {
        runner.ask(now -> true);
    }

    @Override
    public String remove(String id) {
        try {
            return removal.apply(id);
        } catch (ApiException refused) {
            return refused.getMessage();
        }
    }

    private static Stage stage(DataAnswer answer) {
        return switch (answer) {
            case DataAnswer.Ready ready -> new Stage.Ready();
            case DataAnswer.Wait(String sentence) -> new Stage.Wait(sentence);
            case DataAnswer.Failed(String sentence) -> new Stage.Failed(sentence);
        };
    }
}
