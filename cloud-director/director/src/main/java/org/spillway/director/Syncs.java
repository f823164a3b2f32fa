package org.spillway.director;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.Synced;

/**
 * Rounds of outputs that nodes send while their jobs run. Each node has one here at a time: a round that begins takes the
 * place of the one before, which the head has dealt with or the node has given up. What nodes have said is lost with this
 * process, and said again as long as they wait.
 */
final class Syncs {
    private final StagingSpace staging;
    private final SiteState state;
    private final Map<SiteState.Task, Synced> told = new ConcurrentHashMap<>();

    Syncs(SiteState state, StagingSpace staging) {
        this.state = state;
        this.staging = staging;
    }

    private static String folder(JobOrder order) {
        return "jobs/" + order.job() + "/" + order.attempt() + "/sync/" + order.rank();
    }

    /** The key under which a round is to be stored; empty when there is no such round. */
    Optional<String> begin(JobOrder order, Request request) throws IOException {
        Optional<Integer> round = round(order, request);
        if (round.isEmpty()) {
            return Optional.empty();
        }
        String folder = folder(order);
        String key = folder + "/" + round.get();
        boolean known =
                staging.receivedBytes(key) > 0 || staging.sealedBytes(key).isPresent();
        if (!known) {
            told.remove(SiteState.Task.of(order));
            staging.remove(folder);
        }
        return Optional.of(key);
    }

    private static Optional<Integer> round(JobOrder order, Request request) {
        String number = request.queryFields().getOrDefault("round", "");
        return order.sync() == null || !number.matches("[1-9][0-9]{0,8}")
                ? Optional.empty()
                : Optional.of(Integer.valueOf(number));
    }

    /** A node's word that a round is here, and how far the head is: the number of a round, and what became of it. */
    Answer told(JobOrder order, Request request) throws IOException {
        JobOrder.Sync sync = order.sync();
        Optional<Integer> round = round(order, request);
        Map<String, String> fields = request.queryFields();
        String bytes = fields.getOrDefault("bytes", "");
        String sha256 = fields.getOrDefault("sha256", "");
        if (sync == null || round.isEmpty() || !bytes.matches("[0-9]{1,15}") || !sha256.matches("[0-9a-f]{64}")) {
            return Answer.error(404, "no such round");
        }
        String folder = folder(order);
        if (sync.done() >= round.get()) {
            told.remove(SiteState.Task.of(order));
            staging.remove(folder);
            return Answer.ok(sync.done() + (sync.again() ? " again\n" : " whole\n"));
        }
        Synced said = new Synced(round.get(), Long.parseLong(bytes), sha256);
        if (!isHere(folder, said)) {
            return Answer.error(404, "that round is not here");
        }
        // Rounds of ended attempts go with their jobs.
        told.keySet().removeIf(task -> state.order(task).isEmpty());
        told.put(SiteState.Task.of(order), said);
        return Answer.ok(sync.done() + " waits\n");
    }

    private boolean isHere(String folder, Synced said) throws IOException {
        OptionalLong here = staging.sealedBytes(folder + "/" + said.round());
        return here.isPresent() && here.getAsLong() == said.bytes();
    }

    /** The round that waits for the head; null for none. */
    @Nullable
    Synced of(JobOrder order) throws IOException {
        Synced said = told.get(SiteState.Task.of(order));
        JobOrder.Sync sync = order.sync();
        return said == null || sync == null || sync.done() >= said.round() || !isHere(folder(order), said)
                ? null
                : said;
    }
}
