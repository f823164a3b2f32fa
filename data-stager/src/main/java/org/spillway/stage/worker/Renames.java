package org.spillway.stage.worker;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.spillway.stage.worker.UnpackPlan.Target;

/**
 * Written files that wait to be synced and renamed into place. They are synced many at a time: a file system's journal
 * then does in one write what it would do in one for each file.
 */
final class Renames implements AutoCloseable {
    private static final int FILES_MAX = 64;
    private static final long BYTES_MAX = 64 << 20;
    private static final int THREADS = 8;
    private static final int SIGN_OF_LIFE_SECONDS = 5;

    /** @param number its place in the bundle */
    record Member(int number, Target target, long bytes) {}

    private record Waiting(Path temporary, FileChannel channel, Member member) {}

    private final WorkerFiles.Sink alive;
    private final UnpackPlan plan;
    private final Marks marks;
    private final List<Waiting> waiting = new ArrayList<>();
    private final ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    private long bytes;

    /** @param plan told what is not in its place; {@code marks}, what is */
    Renames(WorkerFiles.Sink alive, UnpackPlan plan, Marks marks) {
        this.alive = alive;
        this.plan = plan;
        this.marks = marks;
    }

    /** From here on the file is this object's to rename or remove, and the channel to close. */
    void add(Path temporary, FileChannel channel, Member member) {
        waiting.add(new Waiting(temporary, channel, member));
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

    /** Puts all that wait into place; what cannot be put there withholds no other. */
    void finish() throws IOException {
        List<Future<?>> syncs = new ArrayList<>();
        for (Waiting file : waiting) {
            syncs.add(threads.submit(() -> {
                file.channel().force(true);
                return true;
            }));
        }
        List<Optional<IOException>> failures = new ArrayList<>();
        for (int i = 0; i < syncs.size(); i++) {
            failures.add(await(syncs.get(i), waiting.get(i).member().target().file()));
        }
        for (Optional<IOException> failure : failures) {
            put(waiting.getFirst(), failure);
            waiting.removeFirst().channel().close();
        }
        marks.keep();
        bytes = 0;
    }

    private void put(Waiting file, Optional<IOException> unsynced) throws IOException {
        Target target = file.member().target();
        IOException failure = unsynced.orElse(null);
        if (failure == null) {
            try {
                Files.move(file.temporary(), target.file(), StandardCopyOption.ATOMIC_MOVE);
                marks.placed(file.member().number());
                return;
            } catch (FileSystemException e) {
                failure = e;
            }
        }
        plan.failed(target, file.member().bytes(), failure);
        Files.deleteIfExists(file.temporary());
    }

    /** @return how it failed; empty when the file is on disk */
    private Optional<IOException> await(Future<?> sync, Path target) throws IOException {
        while (true) {
            try {
                sync.get(SIGN_OF_LIFE_SECONDS, TimeUnit.SECONDS);
                return Optional.empty();
            } catch (TimeoutException e) {
                alive.working(); // a slow disk is not a dead one
            } catch (ExecutionException e) {
                Throwable cause = e.getCause();
                return Optional.of(failure(target, cause == null ? e : cause));
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
