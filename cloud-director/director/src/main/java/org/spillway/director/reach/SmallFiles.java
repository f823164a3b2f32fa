package org.spillway.director.reach;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.reach.Entry;
import org.spillway.stage.reach.Question;

/**
 * Contents of small files that came to this region, for all nodes of it: by their owner and identity, so that nobody is given what
 * home has not told to that user, and never a file that is another one by now. Bounded; those used last stay.
 */
public final class SmallFiles {
    /** Bytes that each of them costs besides its own. */
    private static final int OVERHEAD = 300;

    private final long most;
    private final Map<Key, byte[]> kept = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Key, CompletableFuture<Optional<byte[]>>> coming = new LinkedHashMap<>();
    private long bytes;

    private record Key(String owner, String identity) {}

    /** @param most bytes that are kept */
    public SmallFiles(long most) {
        this.most = most;
    }

    static boolean mayBe(Entry file) {
        return file.isFile() && file.settled() && file.bytes() <= Question.SMALL;
    }

    /** Waits for one that is on its way. Empty where it has to be asked for. */
    Optional<byte[]> of(String owner, Entry file) throws InterruptedException {
        CompletableFuture<Optional<byte[]>> awaited;
        synchronized (this) {
            Key key = new Key(owner, file.identity());
            byte[] known = kept.get(key);
            awaited = coming.get(key);
            if (known != null || awaited == null) {
                return Optional.ofNullable(known);
            }
        }
        try {
            return awaited.get();
        } catch (ExecutionException impossible) {
            return Optional.empty();
        }
    }

    synchronized boolean has(String owner, Entry file) {
        return kept.containsKey(new Key(owner, file.identity()));
    }

    /** Whether the caller is to ask for it, and will say what came of that. */
    synchronized boolean begin(String owner, Entry file) {
        Key key = new Key(owner, file.identity());
        return !kept.containsKey(key) && coming.putIfAbsent(key, new CompletableFuture<>()) == null;
    }

    /** @param contents null where none came */
    void ended(String owner, Entry file, byte @Nullable [] contents) {
        CompletableFuture<Optional<byte[]>> waiting;
        synchronized (this) {
            Key key = new Key(owner, file.identity());
            waiting = coming.remove(key);
            if (contents != null && kept.put(key, contents) == null) {
                bytes += contents.length + OVERHEAD;
            }
            for (Iterator<byte[]> oldest = kept.values().iterator(); bytes > most && oldest.hasNext(); ) {
                bytes -= oldest.next().length + OVERHEAD;
                oldest.remove();
            }
        }
        if (waiting != null) {
            waiting.complete(Optional.ofNullable(contents));
        }
    }
}
