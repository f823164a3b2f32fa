package org.spillway.stage.worker;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Written files that wait to be synced and renamed into place. They are synced many at a time: a file system's journal
 * then does in one write what it would do in one for each file.
 */
final class Renames implements AutoCloseable {
    private static final int FILES_MAX = 64;
    private static final long BYTES_MAX = 64 << 20;
    private static final int THREADS = 8;
    private static final int SIGN_OF_LIFE_SECONDS = 5;

    private record Waiting(Path temporary, FileChannel channel, Path target) {}

    private final WorkerFiles.Sink alive;
    private final List<Waiting> waiting = new ArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private long bytes;

    Renames(WorkerFiles.Sink alive) {
        this.alive = alive;
    }

    /** A number that no other waiting file has. */
    int next() {
        return waiting.size();
    }

    /** From here on the file is this object's to rename or remove, and the channel to close. */
    void add(Path temporary, FileChannel channel, Path target) {
        waiting.add(new Waiting(temporary, channel, target));
    }

    /** The file that was added last is not wanted after all. */
    void drop() throws IOException {
        Waiting file = waiting.removeLast();
        file.channel().close();
        Files.deleteIfExists(file.temporary());
    }

    /** To be called after each file was written. */
    void written(long fileBytes) throws IOException {
        bytes += fileBytes;
        if (waiting.size() >= FILES_MAX || bytes >= BYTES_MAX) {
            finish();
        }
    }

    /** Puts all that wait into place. */
    void finish() throws IOException {
        List<Future<?>> syncs = new ArrayList<>();
        for (Waiting file : waiting) {
            syncs.add(threads.submit(() -> {
                file.channel().force(true);
                return true;
            }));
        }
        for (int i = 0; i < syncs.size(); i++) {
            await(syncs.get(i), waiting.get(i).target());
        }
        while (!waiting.isEmpty()) {
            Waiting file = waiting.getFirst();
            Files.move(file.temporary(), file.target(), StandardCopyOption.ATOMIC_MOVE);
            waiting.removeFirst();
            file.channel().close();
        }
        bytes = 0;
    }

    private void await(Future<?> sync, Path target) throws IOException {
        while (true) {
            try {
                sync.get(SIGN_OF_LIFE_SECONDS, TimeUnit.SECONDS);
                return;
            } catch (TimeoutException e) {
                alive.working(); // a slow disk is not a dead one
            } catch (ExecutionException e) {
                Throwable cause = e.getCause();
                throw failure(target, cause == null ? e : cause);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted", e);
            }
        }
    }

    /** A failure that names the file it is about. */
    static IOException failure(Path target, Throwable cause) {
        return cause instanceof FileSystemException known
                ? known
                : new IOException(WorkerFiles.say(target) + ": " + cause.getMessage(), cause);
    }

    /** Removes what still waits. */
    @Override
    public void close() throws IOException {
        threads.shutdownNow();
        IOException failure = null;
        for (Waiting file : waiting) {
            try {
                file.channel().close();
                Files.deleteIfExists(file.temporary());
            } catch (IOException e) {
                failure = e; // the others still have to go
            }
        }
        waiting.clear();
        if (failure != null) {
            throw failure;
        }
    }
}
