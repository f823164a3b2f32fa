package org.spillway.director.reach;

import java.io.IOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import org.spillway.stage.reach.Entry;
import org.spillway.stage.reach.Question;

/**
 * Blocks of larger files that came to this region, for all nodes of it. One that is on its way is asked for once, whoever waits for
 * it; those of a moment ago are in memory, others on the disk.
 */
public final class LargeFiles {
    static final int BLOCK = Question.MOST_READ;
    /** Blocks that nobody has asked for yet and are on their way, for all nodes: more than a usual line holds. */
    static final int MOST_AHEAD = 32;

    private final KeptBlocks kept;
    private final long most;
    private final Map<BlockKey, byte[]> recent = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<BlockKey, CompletableFuture<Optional<byte[]>>> coming = new LinkedHashMap<>();
    private final Executor threads;
    private final Semaphore ahead = new Semaphore(MOST_AHEAD);
    private long bytes;

    /** Home's words, for one who may ask. */
    interface Source {
        byte[] read(long offset, int length) throws IOException, InterruptedException;
    }

    /**
     * @param most bytes that are kept in memory
     * @param threads for blocks that nobody has asked for yet; one waits for home
     */
    public LargeFiles(KeptBlocks kept, long most, Executor threads) {
        this.kept = kept;
        this.most = most;
        this.threads = threads;
    }

    static boolean mayBe(Entry file) {
        return file.isFile() && file.settled() && file.bytes() > Question.SMALL;
    }

    /** A block that is here. */
    Optional<byte[]> here(BlockKey key) {
        synchronized (this) {
            byte[] known = recent.get(key);
            if (known != null) {
                return Optional.of(known);
            }
        }
        Optional<byte[]> found = kept.of(key);
        found.ifPresent(block -> remember(key, block));
        return found;
    }

    /**
     * A block that is not here: asked for once, whoever else wants it.
     *
     * @throws HomeView.Refused if home says so
     */
    byte[] fetch(BlockKey key, Entry file, Source source) throws IOException, InterruptedException {
        while (true) {
            CompletableFuture<Optional<byte[]>> mine = new CompletableFuture<>();
            CompletableFuture<Optional<byte[]>> other;
            synchronized (this) {
                byte[] known = recent.get(key);
                if (known != null) {
                    return known;
                }
                other = coming.putIfAbsent(key, mine);
            }
            if (other == null) {
                return ask(key, file, source, mine);
            }
            try {
                Optional<byte[]> came = other.get();
                if (came.isPresent()) {
                    return came.get();
                }
                // Whoever asked for it may have had no right any more, or has ended.
            } catch (ExecutionException impossible) {
                throw new IOException(impossible);
            }
        }
    }

    private byte[] ask(BlockKey key, Entry file, Source source, CompletableFuture<Optional<byte[]>> mine)
            throws IOException, InterruptedException {
        try {
            Optional<byte[]> meanwhile = kept.of(key);
            if (meanwhile.isPresent()) {
                mine.complete(meanwhile);
                return meanwhile.get();
            }
            long offset = key.index() * BLOCK;
            int length = (int) Math.min(BLOCK, file.bytes() - offset);
            byte[] told = source.read(offset, length);
            if (told.length != length) {
                throw new IOException("home told " + told.length + " bytes of " + length);
            }
            remember(key, told);
            mine.complete(Optional.of(told));
            // Until then it is still coming for those who look: memory may be too short to have it for so long.
            kept.keep(key, told);
            return told;
        } finally {
            mine.complete(Optional.empty());
            synchronized (this) {
                coming.remove(key);
            }
        }
    }

    /** Has a block on its way before anybody asks for it, unless it is, or many are. */
    void ahead(BlockKey key, Entry file, Source source) {
        synchronized (this) {
            if (recent.containsKey(key) || coming.containsKey(key)) {
                return;
            }
        }
        if (kept.has(key) || !ahead.tryAcquire()) {
            return;
        }
        threads.execute(() -> {
            try {
                fetch(key, file, source);
            } catch (IOException told) {
                // Whoever asks for it is told, too.
            } catch (InterruptedException ended) {
                Thread.currentThread().interrupt();
            } finally {
                ahead.release();
            }
        });
    }

    private synchronized void remember(BlockKey key, byte[] block) {
        if (recent.put(key, block) == null) {
            bytes += block.length;
        }
        for (Iterator<byte[]> oldest = recent.values().iterator(); bytes > most && oldest.hasNext(); ) {
            bytes -= oldest.next().length;
            oldest.remove();
        }
    }
}
