package org.spillway.director.reach;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.spillway.stage.reach.Entry;

/**
 * Reads of larger files by one attempt. What is here is given when home has said a moment ago, to this attempt, that the file is that one
 * still and may be read. Whoever goes through a file has more of it on its way, up to {@value #MOST_WINDOW} blocks.
 */
final class LargeReads {
    /** As long as what home told of a file's attributes. */
    static final Duration FRESH = Duration.ofSeconds(10);

    private static final int MOST_WINDOW = 16;
    /** A kernel asks for several parts at once, and they come in any order. */
    private static final int NEAR = 16;
    /** A block that takes so long is on a line that is full. */
    private static final Duration SLOW = Duration.ofSeconds(2);

    private static final int MOST_FILES = 256;

    private final LargeFiles files;
    private final InstantSource steady;
    private final Map<String, Reader> readers = new LinkedHashMap<>(16, 0.75f, true);

    LargeReads(LargeFiles files, InstantSource steady) {
        this.files = files;
        this.steady = steady;
    }

    /** A reader of a file in one of its states. */
    private static final class Reader {
        final ReentrantLock asking = new ReentrantLock();
        private Instant confirmed = Instant.MIN;
        private long next;
        private int window;

        synchronized boolean isConfirmed(Instant now) {
            return confirmed.isAfter(now.minus(FRESH));
        }

        synchronized void told(Instant asked, Instant now) {
            confirmed = asked.isAfter(confirmed) ? asked : confirmed;
            if (asked.isBefore(now.minus(SLOW))) {
                window = Math.max(1, window / 2);
            }
        }

        /** @return how many blocks behind this one are to be on their way */
        synchronized int at(long index) {
            if (index >= next && index <= next + NEAR) {
                window = Math.clamp(2L * window, 1, MOST_WINDOW);
                next = index + 1;
            } else if (index > next || index < next - NEAR) {
                window = 0;
                next = index + 1;
            }
            return window;
        }
    }

    /** @param home asks for a part of that state of the file, and says so if it is another one by now */
    byte[] read(String owner, Entry file, long offset, int length, LargeFiles.Source home)
            throws IOException, InterruptedException {
        long end = Math.min(file.bytes(), offset + length);
        if (end <= offset) {
            return new byte[0];
        }
        Reader reader = reader(file);
        LargeFiles.Source asking = (from, count) -> {
            Instant asked = steady.instant();
            byte[] told = home.read(from, count);
            reader.told(asked, steady.instant());
            return told;
        };
        byte[] all = new byte[(int) (end - offset)];
        for (long index = offset / LargeFiles.BLOCK; index * LargeFiles.BLOCK < end; index++) {
            byte[] block = block(owner, file, index, reader, asking);
            long begin = index * LargeFiles.BLOCK;
            int from = (int) Math.max(0, offset - begin);
            int to = (int) Math.min(block.length, end - begin);
            System.arraycopy(block, from, all, (int) (begin + from - offset), to - from);
        }
        return all;
    }

    private synchronized Reader reader(Entry file) {
        Reader reader = readers.computeIfAbsent(file.identity(), identity -> new Reader());
        if (readers.size() > MOST_FILES) {
            readers.remove(readers.keySet().iterator().next());
        }
        return reader;
    }

    private byte[] block(String owner, Entry file, long index, Reader reader, LargeFiles.Source asking)
            throws IOException, InterruptedException {
        BlockKey key = new BlockKey(owner, file.identity(), index);
        int window = reader.at(index);
        for (long next = index + 1; next <= index + window && next * LargeFiles.BLOCK < file.bytes(); next++) {
            files.ahead(new BlockKey(owner, file.identity(), next), file, asking);
        }
        Optional<byte[]> here = files.here(key);
        byte[] block = here.isPresent() ? here.get() : files.fetch(key, file, asking);
        if (!reader.isConfirmed(steady.instant())) {
            confirm(reader, asking);
        }
        return block;
    }

    /** By one byte: the worker looks at the file before and behind it, with the user's rights. */
    private void confirm(Reader reader, LargeFiles.Source asking) throws IOException, InterruptedException {
        reader.asking.lockInterruptibly();
        try {
            if (!reader.isConfirmed(steady.instant()) && asking.read(0, 1).length != 1) {
                throw new IOException("home told no byte of a file that has some");
            }
        } finally {
            reader.asking.unlock();
        }
    }
}
