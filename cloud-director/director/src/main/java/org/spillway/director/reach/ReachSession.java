package org.spillway.director.reach;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.reach.Entry;
import org.spillway.stage.reach.Question;
import org.spillway.stage.reach.Reply.Status;

/**
 * SFTP with the node of one attempt, until either side ends it. Nothing can be changed by it. The handle of a file says which file
 * it is and in which state, so that the session of another director reads on where this one ended.
 */
public final class ReachSession {
    /** A node has many requests under way; more of them wait. */
    private static final int AT_ONCE = 64;

    private static final Duration LAST_WORDS = Duration.ofSeconds(5);

    /** Bytes of one answer. */
    private static final int MOST_READ = LargeFiles.BLOCK;

    /** Our own request: the state of a file as it is now, and its bytes where they are few. */
    private static final String OPEN_WHOLE = "open@spillway";

    /** A file that is written to all the time is opened in one of its states, or not at all. */
    private static final int TRIES = 3;

    private static final int MOST_HANDLES = 4096;
    private static final int NAMES_AT_ONCE = 200;

    private final HomeView home;
    private final Supplier<Optional<HomeQuestions.Asker>> asker;
    private final Map<String, Opened> handles = new ConcurrentHashMap<>();
    private final AtomicInteger numbers = new AtomicInteger();

    /** A file or folder that the node has open. */
    private static final class Opened {
        final String path;
        /** Of a folder what is still to be told; null for a file. */
        final @Nullable List<Entry> rest;

        private volatile Entry entry;
        private volatile boolean wasRead;

        Opened(String path, Entry entry, @Nullable List<Entry> rest) {
            this.path = path;
            this.entry = entry;
            this.rest = rest;
        }
    }

    /** @param asker the attempt that is ordered for this node, and a reason to ask; empty when there is none any more */
    public ReachSession(
            HomeQuestions questions,
            SmallFiles small,
            LargeFiles large,
            InstantSource steady,
            Supplier<Optional<HomeQuestions.Asker>> asker) {
        this.home = new HomeView(new HomeView.Means(questions, small, large, steady), asker);
        this.asker = asker;
    }

    /** Returns at the end of {@code in}, or when the attempt is not ordered any more. */
    public void serve(InputStream in, OutputStream out) throws IOException, InterruptedException {
        var requests = new DataInputStream(in);
        var places = new Semaphore(AT_ONCE);
        List<Thread> answering = new ArrayList<>();
        try {
            while (true) {
                SftpPacket request = SftpPacket.read(requests);
                if (asker.get().isEmpty()) {
                    return;
                }
                if (request.type == SftpPacket.INIT) {
                    // By this a node knows, too, whether anybody is there while all that it asked waits for home.
                    send(out, SftpPacket.version());
                    continue;
                }
                places.acquire();
                answering.removeIf(thread -> !thread.isAlive());
                // Parts of a folder come in the order in which they are asked for: clients ask for several at once, and
                // drop what they asked for behind the last.
                byte[] part = request.type == SftpPacket.READDIR ? answer(request) : null;
                answering.add(Thread.ofVirtual().start(() -> {
                    try {
                        send(out, part == null ? answer(request) : part);
                    } catch (IOException gone) {
                        // The node will say nothing more either.
                        handles.clear();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    } finally {
                        places.release();
                    }
                }));
            }
        } catch (EOFException end) {
            // Who ends its side may still read: the questions before that are answered.
            for (Thread thread : answering) {
                thread.join(LAST_WORDS);
            }
        } finally {
            handles.clear();
            answering.forEach(Thread::interrupt);
        }
    }

    private static void send(OutputStream out, byte[] packet) throws IOException {
        synchronized (out) {
            out.write(packet);
            out.flush();
        }
    }

    private byte[] answer(SftpPacket request) throws IOException, InterruptedException {
        try {
            return switch (request.type) {
                case SftpPacket.REALPATH -> request.name(request.text());
                case SftpPacket.LSTAT, SftpPacket.STAT -> request.attributes(home.entry(request.text()));
                case SftpPacket.READLINK -> link(request);
                case SftpPacket.OPEN -> open(request);
                case SftpPacket.EXTENDED -> extended(request);
                case SftpPacket.OPENDIR -> openFolder(request);
                case SftpPacket.READDIR -> names(request);
                case SftpPacket.READ -> read(request);
                case SftpPacket.FSTAT -> request.attributes(opened(request).entry);
                case SftpPacket.CLOSE -> {
                    handles.remove(request.text());
                    yield request.status(SftpPacket.OK);
                }
                default -> request.status(SftpPacket.PERMISSION_DENIED);
            };
        } catch (HomeView.Refused refused) {
            return request.status(
                    switch (refused.status()) {
                        case NONE -> SftpPacket.NO_SUCH_FILE;
                        case DENIED -> SftpPacket.PERMISSION_DENIED;
                        case FAILED -> request.type == SftpPacket.READ ? SftpPacket.FAILURE : SftpPacket.IO_ERROR;
                        case OK, CHANGED -> SftpPacket.IO_ERROR;
                    });
        } catch (EOFException | IllegalArgumentException malformed) {
            return request.status(SftpPacket.BAD_MESSAGE);
        } catch (IOException unanswered) {
            return request.status(SftpPacket.CONNECTION_LOST);
        }
    }

    private byte[] link(SftpPacket request) throws IOException, InterruptedException {
        Entry entry = home.entry(request.text());
        return entry.isLink() ? request.name(entry.target()) : request.status(SftpPacket.BAD_MESSAGE);
    }

    private byte[] open(SftpPacket request) throws IOException, InterruptedException {
        String path = request.text();
        boolean reads = (request.number() & ~1) == 0;
        Entry entry = home.entry(path);
        return reads && entry.isFile()
                ? keep(request, new Opened(path, entry, null))
                : request.status(SftpPacket.PERMISSION_DENIED);
    }

    private byte[] extended(SftpPacket request) throws IOException, InterruptedException {
        return OPEN_WHOLE.equals(request.text())
                ? openWhole(request, request.text())
                : request.status(SftpPacket.OP_UNSUPPORTED);
    }

    /** A large file is asked for anew, so that its length is that of the bytes that are read; a small one by its bytes. */
    private byte[] openWhole(SftpPacket request, String path) throws IOException, InterruptedException {
        Entry entry = home.entry(path);
        if (!entry.isFile()) {
            return request.status(SftpPacket.PERMISSION_DENIED);
        }
        for (int attempt = 1; entry.isFile() && entry.bytes() <= Question.SMALL; attempt++) {
            try {
                byte[] contents = home.read(path, entry, 0, (int) entry.bytes());
                return contents.length == entry.bytes()
                        ? request.opened(entry, "", contents)
                        : request.status(SftpPacket.IO_ERROR);
            } catch (HomeView.Refused refused) {
                if (refused.status() != Status.CHANGED || attempt == TRIES) {
                    throw refused;
                }
                entry = home.ask(path);
            }
        }
        Entry now = home.ask(path);
        if (!now.isFile() || handles.size() >= MOST_HANDLES) {
            return request.status(SftpPacket.IO_ERROR);
        }
        var opened = new Opened(path, now, null);
        opened.wasRead = true;
        String handle = new FileHandle(numbers.incrementAndGet(), path, now).text();
        handles.put(handle, opened);
        return request.opened(now, handle, new byte[0]);
    }

    private byte[] openFolder(SftpPacket request) throws IOException, InterruptedException {
        String path = request.text();
        return keep(request, new Opened(path, home.entry(path), new ArrayList<>(home.list(path))));
    }

    private byte[] keep(SftpPacket request, Opened opened) throws IOException {
        if (handles.size() >= MOST_HANDLES) {
            return request.status(SftpPacket.IO_ERROR);
        }
        int number = numbers.incrementAndGet();
        String handle = opened.rest == null ? new FileHandle(number, opened.path, opened.entry).text() : "" + number;
        handles.put(handle, opened);
        return request.handle(handle);
    }

    private Opened opened(SftpPacket request) throws IOException {
        String handle = request.text();
        Opened opened = handles.get(handle);
        if (opened != null) {
            return opened;
        }
        FileHandle before = FileHandle.of(handle);
        Opened again = new Opened(before.path(), before.entry(), null);
        // Bytes may have come from another director.
        again.wasRead = true;
        return again;
    }

    private byte[] names(SftpPacket request) throws IOException {
        List<Entry> rest = opened(request).rest;
        if (rest == null) {
            return request.status(SftpPacket.BAD_MESSAGE);
        }
        synchronized (rest) {
            if (rest.isEmpty()) {
                return request.status(SftpPacket.EOF);
            }
            List<Entry> some = rest.subList(0, Math.min(NAMES_AT_ONCE, rest.size()));
            byte[] told = request.names(some);
            some.clear();
            return told;
        }
    }

    private byte[] read(SftpPacket request) throws IOException, InterruptedException {
        Opened file = opened(request);
        long offset = request.offset();
        int length = Math.min(Math.max(0, request.number()), MOST_READ);
        if (file.rest != null) {
            return request.status(SftpPacket.BAD_MESSAGE);
        }
        byte[] bytes;
        try {
            bytes = home.read(file.path, file.entry, offset, length);
        } catch (HomeView.Refused refused) {
            if (refused.status() != Status.CHANGED || file.wasRead) {
                throw refused;
            }
            // Another than a moment ago, of which the node has no byte yet.
            file.entry = home.ask(file.path);
            bytes = home.read(file.path, file.entry, offset, length);
        }
        file.wasRead = true;
        return bytes.length == 0 ? request.status(SftpPacket.EOF) : request.data(bytes);
    }
}
