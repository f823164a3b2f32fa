package org.spillway.head.ondemand;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.ClusterState;
import org.spillway.api.ClusterState.Stage;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.LoopPart;
import org.spillway.head.loop.port.Effects;
import org.spillway.head.loop.state.Rivals;

/**
 * Says to the machine of each cluster's head which head commands it, so that two that were made of one state find out
 * where no director could tell them: the second would end the cluster by the time and the budget that it had in the copy,
 * and give its number to another. See {@link Rivals}.
 */
public final class Commanders implements LoopPart {
    private static final Logger LOG = LoggerFactory.getLogger(Commanders.class);
    private static final Duration BEAT = Duration.ofSeconds(4);
    private static final Duration BETWEEN_QUESTIONS = Duration.ofSeconds(1);

    private final Journal journal;
    private final Effects effects;
    private final Children children;
    private final Supplier<Rivals> rivals;
    private final LongSupplier numbers;
    private final Map<String, Instant> spoken = new HashMap<>();

    /** @param numbers each above all that were given before */
    public Commanders(
            Journal journal, Effects effects, Children children, Supplier<Rivals> rivals, LongSupplier numbers) {
        this.journal = journal;
        this.effects = effects;
        this.children = children;
        this.rivals = rivals;
        this.numbers = numbers;
    }

    /** Clusters whose head's machine was installed, and is not to go. */
    private List<ClusterRecord> answering() {
        return journal.clusters().stream().filter(Commanders::answers).toList();
    }

    private static boolean answers(ClusterRecord child) {
        return child.clusterState() == ClusterState.RUNNING
                || (child.clusterState().hasStages() && child.stage().compareTo(Stage.HEAD_START) >= 0);
    }

    @Override
    public List<String> led() {
        return answering().stream().map(child -> Rivals.cluster(child.id())).toList();
    }

    @Override
    public void ask(Instant now) {
        answering().forEach(child -> say(child, false, now));
    }

    @Override
    public void advance(Instant now, boolean releasing) {
        spoken.keySet()
                .removeIf(id -> journal.cluster(id).filter(Commanders::answers).isEmpty());
        for (ClusterRecord child : answering()) {
            say(child, !rivals.get().onlyAsks(Rivals.cluster(child.id())), now);
        }
    }

    private void say(ClusterRecord child, boolean commands, Instant now) {
        String key = Clusters.key(child, "commanded");
        Instant last = spoken.get(child.id());
        Duration pause = commands ? BEAT : BETWEEN_QUESTIONS;
        if (effects.isUnderWay(key) || (last != null && now.isBefore(last.plus(pause)))) {
            return;
        }
        long number = commands ? numbers.getAsLong() : 0;
        spoken.put(child.id(), now);
        effects.begin(
                key,
                () -> children.commanded(child, number),
                told -> rivals.get().heard(Rivals.cluster(child.id()), number, told, now),
                failure -> LOG.debug("cluster {} is not told who commands it: {}", child.id(), failure.getMessage()));
    }

    @Override
    public boolean isBusy() {
        return false;
    }
}
