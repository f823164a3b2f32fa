package org.spillway.director;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.director.wire.PullOrder;
import org.spillway.stage.pull.Gate;
import org.spillway.stage.pull.Networks;
import org.spillway.stage.pull.Pauses;
import org.spillway.stage.pull.PullBook;
import org.spillway.stage.pull.Puller;
import org.spillway.stage.store.PieceIntake;

/**
 * The head's orders to pull inputs from other ends.
 *
 * <pre>
 * POST /v1/pulls/JOB/UID/BATCH          an order; one that is being carried out goes on
 * GET /v1/pulls/JOB/UID/BATCH?from=N    how far it is, and results from the Nth on when it has ended; 404 for no such
 * DELETE /v1/pulls/JOB/UID/BATCH        ends and forgets it
 * </pre>
 *
 * Nobody's order is carried out: one that nobody asks for, such as a dead head's, ends.
 */
final class PullDesk {
    private static final Pattern PATH =
            Pattern.compile("/v1/pulls/([A-Za-z0-9-]{1,64})/([0-9]{1,9})/([A-Za-z0-9]{1,64})");
    private static final Duration PATIENCE = Duration.ofSeconds(2);
    private static final Duration UNASKED_MOST = Duration.ofSeconds(90);
    private static final int FILES_AT_ONCE = 16;

    private final StagingSpace staging;
    private final Predicate<InetSocketAddress> own;
    private final InstantSource steady;
    private final Pauses pauses = new Pauses();
    private final Semaphore turns = new Semaphore(FILES_AT_ONCE, true);
    private final Map<Integer, PullBook> books = new ConcurrentHashMap<>();
    private final Map<String, Batch> batches = new ConcurrentHashMap<>();

    private static final class Batch {
        final PullBatch pulls;
        volatile Instant asked;

        Batch(PullBatch pulls, Instant asked) {
            this.pulls = pulls;
            this.asked = asked;
        }
    }

    /** @param own the director's own ports, which nobody may have it ask */
    PullDesk(StagingSpace staging, Predicate<InetSocketAddress> own, InstantSource steady) {
        this.staging = staging;
        this.own = own;
        this.steady = steady;
    }

    static boolean isFor(Request request) {
        return request.path().startsWith("/v1/pulls/");
    }

    Answer answer(Request request) throws IOException {
        Matcher path = PATH.matcher(request.path());
        if (!path.matches()) {
            return Answer.error(404, "no such thing");
        }
        String key = path.group(1) + "/" + path.group(2) + "/" + path.group(3);
        return switch (request.method()) {
            case "POST" -> begin(key, Integer.parseInt(path.group(2)), request.body(WireJson.MAX_BYTES));
            case "GET" -> state(key, request.query("from"));
            case "DELETE" -> {
                Batch batch = batches.remove(key);
                if (batch != null) {
                    batch.pulls.cancel();
                }
                yield Answer.ok("ended\n");
            }
            default -> Answer.error(405, "POST, GET or DELETE");
        };
    }

    private synchronized Answer begin(String key, int uid, byte[] body) throws IOException {
        if (batches.containsKey(key)) {
            return Answer.ok("goes on\n");
        }
        PullOrder order;
        Gate gate;
        try {
            order = WireJson.readPullOrder(body);
            gate = new Gate(Networks.of(order.networks()), own, order.trust());
        } catch (WireJson.Malformed | IllegalArgumentException e) {
            return Answer.error(400, "no order to pull"); // what is wrong with it may be a secret
        }
        PullBook book = books.get(uid);
        if (book == null) {
            book = PullBook.open(staging.pullBook(uid));
            books.put(uid, book);
        }
        PieceIntake intake = staging.intake(uid);
        var ways = new Puller.Ways(gate, pauses, InstantSource.system());
        PullBatch pulls = new PullBatch(order, new PullBatch.Means(ways, intake, book, staging, turns));
        batches.put(key, new Batch(pulls, steady.instant()));
        pulls.start();
        return Answer.ok("begun\n");
    }

    private Answer state(String key, String from) throws IOException {
        Batch batch = batches.get(key);
        if (batch == null) {
            return Answer.error(404, "no such order");
        }
        batch.asked = steady.instant();
        try {
            int first = from.matches("[0-9]{1,6}") ? Integer.parseInt(from) : 0;
            return new Answer.Text(200, WireJson.write(batch.pulls.state(first, PATIENCE.toMillis())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.error(503, "the director ends");
        }
    }

    /** Ends what nobody asks for any more. */
    void tick() {
        Instant then = steady.instant().minus(UNASKED_MOST);
        batches.forEach((key, batch) -> {
            if (batch.asked.isBefore(then) && batches.remove(key, batch)) {
                batch.pulls.cancel();
            }
        });
    }
}
