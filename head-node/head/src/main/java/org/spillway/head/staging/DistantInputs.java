package org.spillway.head.staging;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.PullOrder;
import org.spillway.director.wire.PullState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.link.RegionPulls;
import org.spillway.head.loop.port.InputsRefused;
import org.spillway.stage.Sha256;
import org.spillway.stage.pull.PullFault;
import org.spillway.stage.store.Digest;
import org.spillway.stage.store.Recipe;
import org.spillway.stage.tree.TarFormat;
import org.spillway.stage.worker.UserFiles;

/**
 * A job's inputs from other ends: its region pulls them, order by order, each with leave that the user's worker has just
 * made. Of what has come here are digests only. One use each.
 */
final class DistantInputs {
    private static final int LANES = 2;
    private static final int ORDER_MOST = 500;
    private static final int ROUNDS_MOST = 4;
    private static final int BEGUN_MOST = 50;
    private static final int CAUSES_TOLD = 3;
    /** Leave that is so old may have ended, and is asked for once more. */
    private static final Duration FRESH = Duration.ofMinutes(45);

    private final Place place;
    private final Leave leave;
    private final List<DistantFile> files;
    private final LongConsumer moved;
    private final InstantSource clock;
    private final PullState.@Nullable Result[] results;
    private final Map<String, Long> underWay = new HashMap<>();
    private long came;

    /**
     * @param mostBytes of all of them
     * @param reach where they may come from
     */
    record Place(RegionPulls region, int uid, String job, long mostBytes, UserFiles.Reach reach) {}

    /** The user's own leave to fetch files. */
    interface Leave {
        List<UserFiles.Ticket> tickets(List<UserFiles.Distant> files) throws IOException;
    }

    /** @param moved told how many bytes have come; ends the pull by a failure when nobody wants it any more */
    DistantInputs(Place place, Leave leave, List<DistantFile> files, InstantSource clock, LongConsumer moved) {
        this.place = place;
        this.leave = leave;
        this.files = List.copyOf(files);
        this.clock = clock;
        this.moved = moved;
        this.results = new PullState.@Nullable Result[files.size()];
    }

    List<DistantFile> files() {
        return files;
    }

    /** The end of each file so far; null for one of which nothing is known. */
    synchronized PullState.@Nullable Result result(int file) {
        return results[file];
    }

    /** @throws InputsRefused if one or more did not come; the others are there then */
    void bring() throws IOException, LinkDownException {
        for (int round = 0; round < ROUNDS_MOST && !open().isEmpty(); round++) {
            pull(open());
        }
        List<Integer> failed = new ArrayList<>();
        boolean lasting = false;
        List<Cause> causes = new ArrayList<>();
        for (int i = 0; i < results.length; i++) {
            Optional<PullFault> fault = fault(results[i]);
            if (fault.isPresent()) {
                failed.add(i);
                lasting |= fault.get().isLasting();
                if (causes.size() < CAUSES_TOLD) {
                    String detail = results[i] == null ? "" : results[i].detail();
                    causes.add(new JobCause.NotPulled(files.get(i).shown(), fault.get(), detail));
                }
            }
        }
        if (!failed.isEmpty()) {
            throw new InputsRefused(new JobCause.InputsMissing(causes, failed.size(), files.size()), lasting);
        }
    }

    /** Of one that is not here; of a director of another release it may be unknown. */
    static Optional<PullFault> fault(PullState.@Nullable Result result) {
        if (result != null && result.fault().isEmpty()) {
            return Optional.empty();
        }
        for (PullFault fault : PullFault.values()) {
            if (result != null && fault.name().equals(result.fault())) {
                return Optional.of(fault);
            }
        }
        return Optional.of(PullFault.DISK);
    }

    /** Files that another try may bring. */
    private synchronized List<Integer> open() {
        List<Integer> open = new ArrayList<>();
        for (int i = 0; i < results.length; i++) {
            if (results[i] == null
                    || fault(results[i]).filter(fault -> !fault.isLasting()).isPresent()) {
                open.add(i);
            }
        }
        return open;
    }

    /** Pieces that are not right in the region any more: what they belong to comes again. */
    synchronized boolean again(Set<Digest> missing) {
        boolean any = false;
        for (int i = 0; i < results.length; i++) {
            PullState.Result result = results[i];
            if (result != null && pieces(result).stream().anyMatch(missing::contains)) {
                results[i] = null;
                came -= result.bytes();
                any = true;
            }
        }
        return any;
    }

    private void pull(List<Integer> wanted) throws IOException, LinkDownException {
        List<Lanes.Work> orders = new ArrayList<>();
        for (int from = 0; from < wanted.size(); from += ORDER_MOST) {
            List<Integer> some = wanted.subList(from, Math.min(wanted.size(), from + ORDER_MOST));
            orders.add(() -> order(some));
        }
        Lanes.all("pull", LANES, orders);
    }

    /** An order, from leave to results. */
    private void order(List<Integer> some) throws IOException, LinkDownException, InterruptedException {
        RegionPulls.Name name = new RegionPulls.Name(place.job, place.uid, name(some));
        Instant asked = clock.instant();
        PullState state = begun(name, some);
        try {
            int begun = 1;
            while (!state.ended()) {
                progress(name.name(), state.bytes());
                Optional<PullState> next = place.region.state(name, 0);
                if (next.isEmpty() && ++begun > BEGUN_MOST) {
                    throw new IOException("the director loses its orders to pull inputs");
                }
                asked = next.isEmpty() ? clock.instant() : asked;
                state = next.isEmpty() ? begun(name, some) : next.get();
            }
            List<PullState.Result> all = new ArrayList<>(state.results());
            while (all.size() < some.size()) {
                PullState more = place.region.state(name, all.size()).orElse(null);
                if (more == null || more.results().isEmpty()) {
                    throw new IOException("the director has lost results of a pull");
                }
                all.addAll(more.results());
            }
            boolean old = asked.plus(FRESH).isBefore(clock.instant());
            keep(some, all, old);
        } finally {
            synchronized (this) {
                underWay.remove(name.name());
            }
            place.region.end(name);
        }
        progress(name.name(), 0);
    }

    private PullState begun(RegionPulls.Name name, List<Integer> some) throws IOException, LinkDownException {
        List<UserFiles.Distant> list =
                some.stream().map(i -> files.get(i).file()).toList();
        List<UserFiles.Ticket> tickets = leave.tickets(list);
        List<PullOrder.Item> items = new ArrayList<>();
        for (int i = 0; i < tickets.size(); i++) {
            UserFiles.Ticket ticket = tickets.get(i);
            items.add(new PullOrder.Item(
                    ticket.url(),
                    ticket.authorization(),
                    ticket.key(),
                    list.get(i).sha256()));
        }
        long left;
        synchronized (this) {
            left = Math.max(0, place.mostBytes - came);
        }
        place.region.begin(name, new PullOrder(items, left, place.reach.networks(), place.reach.trust()));
        return new PullState(false, 0, 0, 0, List.of());
    }

    private synchronized void keep(List<Integer> some, List<PullState.Result> all, boolean old) {
        for (int i = 0; i < some.size(); i++) {
            PullState.Result result = all.get(i);
            boolean mayHaveEnded = old && result.fault().equals(PullFault.REFUSED.name());
            results[some.get(i)] = mayHaveEnded ? null : result;
            came += result.bytes();
        }
    }

    private void progress(String order, long bytes) {
        long all;
        synchronized (this) {
            underWay.put(order, Math.max(0, bytes));
            all = came + underWay.values().stream().mapToLong(Long::longValue).sum();
        }
        moved.accept(all);
    }

    /** The same files make the same order, so that the next head finds the one that is being carried out. */
    private String name(List<Integer> some) {
        var digest = Sha256.digest();
        for (int i : some) {
            UserFiles.Distant file = files.get(i).file();
            digest.update((file.origin() + "\0" + file.sha256() + "\0").getBytes(StandardCharsets.UTF_8));
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static List<Digest> pieces(PullState.Result result) {
        List<Digest> pieces = new ArrayList<>();
        ByteBuffer digests = ByteBuffer.wrap(Base64.getDecoder().decode(result.pieces()));
        while (digests.remaining() >= Digest.BYTES) {
            pieces.add(Digest.from(digests));
        }
        return pieces;
    }

    /** Parts of a recipe, when all of them have come. @throws IOException if the director's word makes no sense */
    List<Recipe.Part> parts() throws IOException {
        List<Recipe.Part> parts = new ArrayList<>();
        for (int i = 0; i < results.length; i++) {
            PullState.Result result = results[i];
            if (result == null || !result.fault().isEmpty()) {
                throw new IOException("a file of the input is missing");
            }
            try {
                var member = new TarFormat.Member(files.get(i).name(), result.bytes(), result.modifiedSeconds(), false);
                parts.add(new Recipe.Part(member, pieces(result)));
            } catch (IllegalArgumentException | ArithmeticException e) {
                throw new IOException("the director's word on a file makes no sense: " + e.getMessage(), e);
            }
        }
        return parts;
    }

    long bytes() {
        return came;
    }
}
