package org.spillway.head.staging;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.link.RegionPieces;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;
import org.spillway.stage.store.Digest;
import org.spillway.stage.store.InputPlan;
import org.spillway.stage.store.PackEnd;
import org.spillway.stage.store.PieceStore;
import org.spillway.stage.store.PieceStore.Assembled;
import org.spillway.stage.store.Pieces;
import org.spillway.stage.store.Recipe;
import org.spillway.stage.transfer.StreamBroken;
import org.spillway.stage.transfer.Transfer;
import org.spillway.stage.worker.Bundles;
import org.spillway.stage.worker.UserFiles;
import org.spillway.stage.worker.UserFiles.Slice;

/**
 * A job's input on its way to a region: what that does not have is sent in packs, several at once, and then it puts the
 * input together. A pack's name says which pieces of which files it holds, so that after any cut the next try goes on in
 * the pack where it broke. One use each.
 */
final class PackedInput {
    /** Packs that may wait for a connection; how many are under way at a time is the link's to say. */
    private static final int LANES = 16;
    /** Connections that break one after the other under a pack of which nothing arrives in between. */
    private static final int BREAKS_MOST = 3;

    private static final Logger LOG = LoggerFactory.getLogger(PackedInput.class);
    private static final int ROUNDS_MOST = 8;
    private static final Duration BETWEEN_QUESTIONS = Duration.ofMillis(100);
    /** Held while a pack is sent, by its name: two jobs with the same files do not write one pack at a time. */
    private static final List<ReentrantLock> TURNS =
            Stream.generate(ReentrantLock::new).limit(256).toList();

    private final Place place;
    private final UserFiles user;
    private final DigestBook book;
    private final LongConsumer moved;
    private final Instant found;
    private final List<Source> sources;
    private final List<Slice> slices = new ArrayList<>();
    private final @Nullable Digest[] digests;
    /** Pieces of unread files of which the region may have the bytes, by their length. */
    private final BitSet familiar = new BitSet();
    /** A question is under way already, and one is enough to tell of all packs that have arrived. */
    private final AtomicBoolean asking = new AtomicBoolean();

    private final @Nullable DistantInputs distant;
    /** The region knows the plan, and can make the recipe of it. */
    private volatile boolean expected;

    private long there;
    private long sent;

    /** Where to. @param site for its name */
    record Place(String site, Transfer transfer, RegionPieces region, int uid, String job) {}

    /**
     * @param distant what lies at other ends; null for nothing
     * @param found when the files were looked for
     * @param moved told how many bytes of the input are there
     */
    PackedInput(
            Place place,
            UserFiles user,
            DigestBook book,
            List<Source> sources,
            @Nullable DistantInputs distant,
            Instant found,
            LongConsumer moved) {
        this.distant = distant;
        this.place = place;
        this.user = user;
        this.book = book;
        this.sources = List.copyOf(sources);
        this.found = found;
        this.moved = moved;
        int all = 0;
        for (Source source : sources) {
            all += Pieces.count(source.file().bytes());
        }
        this.digests = new @Nullable Digest[all];
        for (Source source : sources) {
            List<Digest> pieces = book.of(source);
            int count = Pieces.count(source.file().bytes());
            for (int i = 0; i < count; i++) {
                int length = Pieces.length(source.file().bytes(), i);
                slices.add(new Slice(source.file(), (long) i * Pieces.BYTES, length));
                digests[slices.size() - 1] = pieces == null || pieces.size() != count ? null : pieces.get(i);
            }
        }
    }

    /** Bytes that went over the link, recipes included. */
    synchronized long sentBytes() {
        return sent;
    }

    Checksum bring() throws IOException, LinkDownException {
        Checksum known = knownWhole();
        if (known != null) {
            return known;
        }
        List<Integer> wanted = wanted();
        lookAtLengths(wanted);
        long whole = Bundles.length(sources.stream().map(Source::file).toList());
        progress(whole - bytes(wanted), 0);
        if (!wanted.isEmpty()) {
            List<List<Integer>> packs = Planned.packs(wanted, slices);
            InputPlan plan = plan(packs);
            Thread.ofVirtual().name("expect").start(() -> expect(plan));
            send(packs, false);
        }
        for (int round = 0; round < ROUNDS_MOST; round++) {
            Recipe recipe = recipe();
            byte[] encoded = recipe.encoded();
            String name = Digest.of(Sha256.digest().digest(encoded)).hex();
            if (round == 0 && !wanted.isEmpty() && !expected) {
                // Of new pieces, so it is not there, and nobody can make it there of a plan.
                sendRecipe(PieceStore.recipeKey(place.uid, name), encoded);
            }
            switch (assemble(name)) {
                case Assembled.Whole(Checksum tar) -> {
                    remember();
                    progress(whole - there, 0);
                    return tar;
                }
                case Assembled.NoRecipe ignored -> sendRecipe(PieceStore.recipeKey(place.uid, name), encoded);
                case Assembled.Missing(List<Digest> missing) -> {
                    Set<Digest> again = new HashSet<>(missing);
                    List<Integer> lost = new ArrayList<>();
                    for (int i = 0; i < digests.length; i++) {
                        if (again.remove(Objects.requireNonNull(digests[i]))) {
                            lost.add(i);
                        }
                    }
                    progress(-Math.min(there, bytes(lost)), 0);
                    send(Planned.packs(lost, slices), true);
                    if (distant != null && distant.again(Set.copyOf(missing))) {
                        distant.bring();
                    }
                }
            }
        }
        throw new IOException("the input does not come together in site " + place.site);
    }

    /** Where no file has to be read and the region has had all of it before, one question is all. Null where not. */
    private @Nullable Checksum knownWhole() throws IOException, LinkDownException {
        if (digests.length == 0 || Stream.of(digests).anyMatch(Objects::isNull)) {
            return null;
        }
        String name = Digest.of(Sha256.digest().digest(recipe().encoded())).hex();
        if (assemble(name) instanceof Assembled.Whole(Checksum tar)) {
            progress(Bundles.length(sources.stream().map(Source::file).toList()), 0);
            return tar;
        }
        return null;
    }

    private long bytes(List<Integer> some) {
        return some.stream().mapToLong(i -> slices.get(i).length()).sum();
    }

    /** Pieces that have to be sent, each content once as far as that is known. */
    private List<Integer> wanted() throws LinkDownException {
        List<Digest> known = new ArrayList<>();
        for (Digest digest : digests) {
            if (digest != null) {
                known.add(digest);
            }
        }
        List<Boolean> have = known.isEmpty() ? List.of() : place.region.have(place.uid, known);
        List<Integer> wanted = new ArrayList<>();
        Set<Digest> asked = new HashSet<>();
        int next = 0;
        for (int i = 0; i < digests.length; i++) {
            Digest digest = digests[i];
            if (digest == null || (!have.get(next++) && asked.add(digest))) {
                wanted.add(i);
            }
        }
        return wanted;
    }

    /**
     * A file that was moved, copied or touched, or that a job has made there, is a new one here. Its last piece tells of
     * all: the others are as long as those of any large file.
     */
    private void lookAtLengths(List<Integer> wanted) throws LinkDownException {
        List<Integer> last = wanted.stream()
                .filter(i -> digests[i] == null && slices.get(i).isLast())
                .toList();
        if (!last.isEmpty()) {
            List<Boolean> there = place.region.haveOfLength(
                    place.uid, last.stream().map(i -> slices.get(i).length()).toList());
            for (int i = 0; i < last.size(); i++) {
                int end = last.get(i) + 1;
                int count = Pieces.count(slices.get(end - 1).file().bytes());
                familiar.set(end - count, end, there.get(i));
            }
        }
    }

    /** Reads pieces that the region may have, for their digests alone. @return what it does not have */
    private List<Integer> unseen(List<Integer> pack) throws IOException, LinkDownException {
        List<Integer> maybe = pack.stream().filter(familiar::get).toList();
        if (maybe.isEmpty() || place.transfer.received(key(pack)) > 0) {
            return pack; // what an earlier try has begun goes on under its name
        }
        List<Digest> read =
                user.pieces(maybe.stream().map(slices::get).toList(), bytes(maybe), OutputStream.nullOutputStream());
        List<Boolean> have = place.region.have(place.uid, read);
        Set<Integer> there = new HashSet<>();
        synchronized (this) {
            for (int i = 0; i < maybe.size(); i++) {
                if (have.get(i)) {
                    digests[maybe.get(i)] = read.get(i);
                    there.add(maybe.get(i));
                }
            }
        }
        progress(bytes(List.copyOf(there)), 0);
        return pack.stream().filter(i -> !there.contains(i)).toList();
    }

    private String key(List<Integer> pack) {
        return PieceStore.packKey(
                place.uid, Planned.name(pack.stream().map(slices::get).toList()));
    }

    /** @param anew what lies there under the same names is not right */
    private void send(List<List<Integer>> packs, boolean anew) throws IOException, LinkDownException {
        List<Lanes.Work> work = new ArrayList<>();
        for (List<Integer> pack : packs) {
            work.add(() -> {
                List<Integer> left = anew ? pack : unseen(pack);
                if (!left.isEmpty()) {
                    sendPack(left, anew);
                    arrived(left.getFirst());
                }
            });
        }
        Lanes.all("pack", LANES, work);
    }

    /** The region puts on disk what it has while the rest is under way, and not all of it at the end. */
    private void arrived(int piece) {
        if (!asking.compareAndSet(false, true)) {
            return;
        }
        Digest digest = digest(piece);
        Thread.ofVirtual().name("arrived").start(() -> {
            try {
                place.region.have(place.uid, List.of(digest));
            } catch (LinkDownException e) {
                LOG.debug("site {} was not told of packs that it has: {}", place.site, e.getMessage());
            } finally {
                asking.set(false);
            }
        });
    }

    private synchronized Digest digest(int piece) {
        return Objects.requireNonNull(digests[piece]);
    }

    private InputPlan plan(List<List<Integer>> packs) throws IOException {
        List<String> names = packs.stream()
                .map(pack -> Planned.name(pack.stream().map(slices::get).toList()))
                .toList();
        return Planned.of(sources, digests.clone(), packs, names, distant == null ? List.of() : distant.parts());
    }

    /** Nodes may fetch what has come of it. Nothing leans on that. */
    private void expect(InputPlan plan) {
        try {
            expected = place.region.expect(place.uid, place.job, plan);
        } catch (LinkDownException e) {
            LOG.debug("site {} was not told what comes: {}", place.site, e.getMessage());
        }
    }

    private void sendPack(List<Integer> pack, boolean anew) throws IOException {
        List<Slice> some = pack.stream().map(slices::get).toList();
        long payload = bytes(pack);
        String key = key(pack);
        ReentrantLock lock = turn(key);
        List<Digest> read;
        lock.lock();
        try {
            if (anew) {
                place.transfer.remove(key);
            }
            read = sent(key, some, payload, anew ? 0 : place.transfer.received(key));
        } finally {
            lock.unlock();
        }
        synchronized (this) {
            for (int i = 0; i < pack.size(); i++) {
                digests[pack.get(i)] = read.get(i);
            }
        }
    }

    /** Goes on where a connection broke: that costs the rest of this pack, and no other. */
    private List<Digest> sent(String key, List<Slice> some, long payload, long there) throws IOException {
        long received = there;
        long[] told = {0};
        for (int breaks = 0; ; breaks++) {
            progress(Math.min(received, payload) - told[0], 0);
            told[0] = Math.min(received, payload);
            try {
                return sent(key, some, payload, received, told);
            } catch (StreamBroken broken) {
                long now = place.transfer.received(key);
                breaks = now > received ? 0 : breaks;
                if (breaks == BREAKS_MOST) {
                    throw broken;
                }
                received = now;
            }
        }
    }

    private List<Digest> sent(String key, List<Slice> some, long payload, long received, long[] told)
            throws IOException {
        if (received > payload) {
            // Sent whole by an earlier try, of the same files: only their digests are not known any more.
            return user.pieces(some, payload, OutputStream.nullOutputStream());
        }
        List<Integer> lengths = some.stream().map(Slice::length).toList();
        LongConsumer counter = counter(received, payload);
        return Pump.run(
                sink -> {
                    List<Digest> made = user.pieces(some, received, new Bounded(sink, payload - received));
                    sink.write(PackEnd.of(made, lengths));
                    return made;
                },
                bytes -> place.transfer.send(key, received, new Counted(bytes, received, at -> {
                    told[0] = Math.min(at, payload);
                    counter.accept(at);
                })));
    }

    private LongConsumer counter(long offset, long payload) {
        long[] last = {offset};
        return at -> {
            long more = Math.min(at, payload) - Math.min(last[0], payload);
            long bytes = at - last[0];
            last[0] = at;
            progress(more, bytes);
        };
    }

    private synchronized void progress(long more, long bytes) {
        there += more;
        sent += bytes;
        moved.accept(there);
    }

    private void sendRecipe(String key, byte[] encoded) throws IOException {
        ReentrantLock lock = turn(key);
        lock.lock();
        try {
            // Another job with the same input may have sent it; one that is cut off is written anew.
            if (!place.transfer.isSealed(key)) {
                place.transfer.send(key, 0, new Counted(new ByteArrayInputStream(encoded), 0, counter(0, 0)));
            }
        } finally {
            lock.unlock();
        }
    }

    private ReentrantLock turn(String key) {
        return TURNS.get(Math.floorMod((place.site + "/" + key).hashCode(), TURNS.size()));
    }

    /** Digests of pieces that have all been read, now or earlier. */
    private List<Digest> read(int from, int count) {
        List<Digest> some = new ArrayList<>(count);
        for (int i = from; i < from + count; i++) {
            some.add(Objects.requireNonNull(digests[i]));
        }
        return some;
    }

    private Recipe recipe() throws IOException {
        List<Recipe.Part> parts = new ArrayList<>(sources.size());
        int next = 0;
        for (Source source : sources) {
            int count = Pieces.count(source.file().bytes());
            parts.add(new Recipe.Part(Bundles.member(source.file()), read(next, count)));
            next += count;
        }
        if (distant != null) {
            parts.addAll(distant.parts());
        }
        return new Recipe(parts);
    }

    private Assembled assemble(String recipe) throws IOException, LinkDownException {
        while (true) {
            Optional<Assembled> answer = place.region.assemble(place.uid, recipe, place.job);
            if (answer.isPresent()) {
                return answer.get();
            }
            try {
                Thread.sleep(BETWEEN_QUESTIONS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
            progress(0, 0); // ends it when nobody wants it there any more
        }
    }

    private void remember() {
        int next = 0;
        for (Source source : sources) {
            int count = Pieces.count(source.file().bytes());
            book.put(source, read(next, count), found);
            next += count;
        }
        book.write();
    }
}
