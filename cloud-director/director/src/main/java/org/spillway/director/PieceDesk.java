package org.spillway.director;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.stage.store.Digest;
import org.spillway.stage.store.InputPlan;
import org.spillway.stage.store.PieceStore;

/**
 * The head's questions to the store of inputs.
 *
 * <pre>
 * POST /v1/pieces/UID               first eight bytes of digests for a byte each: 1 for one that this user has sent
 * POST /v1/pieces/UID/lengths       four bytes of a length each, for a byte each: 1 where this user has sent such a piece
 * POST /v1/pieces/UID/of/JOB/N/RANK keeps what the results of an attempt are made of: 202 while that lasts, 200
 * POST /v1/inputs/JOB/UID/RECIPE    has the input put together: 202 while that lasts, 200 with BYTES SHA256,
 *                                   409 with digests that have to be sent, 404 when the recipe has to be
 * POST /v1/plans/JOB/UID            the plan of an input whose packs come now: nodes may read what has come of it
 * </pre>
 */
final class PieceDesk {
    private static final Logger LOG = LoggerFactory.getLogger(PieceDesk.class);
    private static final Pattern PIECES = Pattern.compile("/v1/pieces/([0-9]{1,9})");
    private static final Pattern LENGTHS = Pattern.compile("/v1/pieces/([0-9]{1,9})/lengths");
    private static final Pattern RESULTS =
            Pattern.compile("/v1/pieces/([0-9]{1,9})/of/([A-Za-z0-9-]{1,64}/[1-9][0-9]{0,5})/([0-9]{1,5})");
    private static final Pattern INPUT = Pattern.compile("/v1/inputs/([A-Za-z0-9-]{1,64})/([0-9]{1,9})/([0-9a-f]{64})");
    /** Shorter than anybody's limit of an answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final Pattern PLAN = Pattern.compile("/v1/plans/([A-Za-z0-9-]{1,64})/([0-9]{1,9})");
    /** Between two looks for what has come of an input that is on its way. */
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);
    /** Of an input of which nothing more comes. */
    private static final Duration EXPECTED = Duration.ofMinutes(5);

    private static final Duration BETWEEN_EVICTIONS = Duration.ofHours(1);
    private static final Duration BETWEEN_EVICTIONS_SHORT = Duration.ofSeconds(30);

    private final StagingSpace staging;
    private final InstantSource steady;
    private final Map<String, CompletableFuture<Answer>> underWay = new ConcurrentHashMap<>();
    private Instant evicted = Instant.MIN;

    PieceDesk(StagingSpace staging, InstantSource steady) {
        this.staging = staging;
        this.steady = steady;
    }

    static boolean isFor(Request request) {
        return Stream.of("/v1/pieces/", "/v1/inputs/", "/v1/plans/")
                .anyMatch(way -> request.path().startsWith(way));
    }

    Answer answer(Request request) throws IOException {
        Matcher pieces = PIECES.matcher(request.path());
        Matcher input = INPUT.matcher(request.path());
        if (!request.method().equals("POST")) {
            return Answer.error(405, "POST only");
        }
        if (pieces.matches()) {
            return have(Integer.parseInt(pieces.group(1)), request.body(PieceStore.ASKED_MOST * Long.BYTES));
        }
        Matcher plan = PLAN.matcher(request.path());
        if (plan.matches()) {
            return expect(plan.group(1), Integer.parseInt(plan.group(2)), request.body(InputPlan.BYTES_MAX));
        }
        if (input.matches()) {
            String key = PieceStore.inputKey(input.group(1));
            int uid = Integer.parseInt(input.group(2));
            String recipe = input.group(3);
            return once(request.path(), () -> text(staging.pieces().assemble(uid, recipe, key)));
        }
        Matcher lengths = LENGTHS.matcher(request.path());
        if (lengths.matches()) {
            return lengths(Integer.parseInt(lengths.group(1)), request.body(PieceStore.ASKED_MOST * Integer.BYTES));
        }
        Matcher results = RESULTS.matcher(request.path());
        return results.matches()
                ? keep(
                        request.path(),
                        Integer.parseInt(results.group(1)),
                        "jobs/" + results.group(2) + "/out/" + results.group(3))
                : Answer.error(404, "no such thing");
    }

    private Answer lengths(int uid, byte[] asked) throws IOException {
        int[] lengths = new int[asked.length / Integer.BYTES];
        ByteBuffer.wrap(asked).asIntBuffer().get(lengths);
        return new Answer.Text(200, staging.pieces().haveOfLength(uid, lengths));
    }

    private Answer keep(String path, int uid, String key) throws IOException {
        return once(path, () -> {
            staging.keepPieces(uid, key);
            return Answer.ok("kept\n");
        });
    }

    private interface Work {
        Answer done() throws IOException;
    }

    private Answer have(int uid, byte[] asked) throws IOException {
        long[] prefixes = new long[asked.length / Long.BYTES];
        ByteBuffer.wrap(asked).asLongBuffer().get(prefixes);
        return new Answer.Text(200, staging.pieces().have(uid, prefixes));
    }

    private Answer expect(String job, int uid, byte[] encoded) throws IOException {
        var input = staging.pieces().expect(uid, PieceStore.inputKey(job), InputPlan.read(encoded));
        Thread.ofVirtual().name("expect").start(() -> follow(job, input));
        return Answer.ok("");
    }

    /** As long as more comes; and then until a head that was killed meanwhile has asked for the whole. */
    private void follow(String job, PieceStore.Expected input) {
        try {
            Instant since = steady.instant();
            int last = -1;
            for (var right = input.advance();
                    right.isPresent() && steady.instant().isBefore(since.plus(EXPECTED));
                    right = input.advance()) {
                since = right.getAsInt() == last ? since : steady.instant();
                last = right.getAsInt();
                Thread.sleep(BETWEEN_LOOKS);
            }
            if (input.advance().isEmpty()) {
                Thread.sleep(EXPECTED);
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("the input of job {} is not read as it comes: {}", job, e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            input.giveUp();
        }
    }

    /** A question that is asked again while the answer is looked for gets that answer, and starts nothing more. */
    private Answer once(String path, Work work) throws IOException {
        var result = underWay.computeIfAbsent(path, one -> {
            var begun = new CompletableFuture<Answer>();
            Thread.ofVirtual().name("pieces").start(() -> {
                try {
                    begun.complete(work.done());
                } catch (IOException | RuntimeException e) {
                    begun.completeExceptionally(new CompletionException(e));
                }
            });
            return begun;
        });
        try {
            Answer found = result.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            underWay.remove(path, result);
            return found;
        } catch (TimeoutException e) {
            return Answer.text(202, "wait\n");
        } catch (ExecutionException e) {
            underWay.remove(path, result);
            throw new IOException(path + " was not done: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Answer.error(503, "the director ends");
        }
    }

    private static Answer text(PieceStore.Assembled found) {
        return switch (found) {
            case PieceStore.Assembled.Whole whole ->
                Answer.ok(whole.tar().bytes() + " " + whole.tar().sha256() + "\n");
            case PieceStore.Assembled.Missing missing ->
                Answer.text(409, missing.pieces().stream().map(Digest::hex).collect(Collectors.joining("\n")));
            case PieceStore.Assembled.NoRecipe ignored -> Answer.error(404, "no such recipe");
        };
    }

    /** Now and then, and sooner when room is short: the head sends nothing to a disk that is full. */
    synchronized void tick() {
        Instant now = steady.instant();
        try {
            Duration pause = staging.isRoomShort() ? BETWEEN_EVICTIONS_SHORT : BETWEEN_EVICTIONS;
            if (evicted.isBefore(now.minus(pause))) {
                evicted = now;
                Thread.ofVirtual().name("evict").start(this::evict);
            }
        } catch (IOException e) {
            LOG.warn("the staging space's room is not known: {}", e.toString());
        }
    }

    private void evict() {
        try {
            staging.evict();
        } catch (IOException | RuntimeException e) {
            LOG.warn("old inputs stay: {}", e.toString());
        }
    }
}
