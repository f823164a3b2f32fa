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

    private static final int MOST_FOLDERS = 4096;
    private static final int NAMES_AT_ONCE = 200;

    private final HomeView home;
    private final Supplier<Optional<HomeQuestions.Asker>> asker;
    /** Folders that the node has open, and what is still to be told of each. A file is known by its handle alone. */
    private final Map<String, List<Entry>> folders = new ConcurrentHashMap<>();

    private final AtomicInteger numbers = new AtomicInteger();

    /** @param asker the attempt that is ordered for this node, and a reason to ask; empty when there is none any more */
    public ReachSession(
            HomeQuestions questions,
            SmallFiles small,
            LargeFiles large,
            InstantSource steady,
            Supplier<Optional<HomeQuestions.Asker>> asker) {
        this.home =
                new HomeView(new HomeView.Means(questions, small, large, steady, Thread::startVirtualThread), asker);
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
                        folders.clear();
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
            folders.clear();
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
                case SftpPacket.LSTAT -> request.attributes(home.entry(request.text()));
                case SftpPacket.READLINK -> link(request);
                case SftpPacket.EXTENDED -> extended(request);
                case SftpPacket.OPENDIR -> openFolder(request);
                case SftpPacket.READDIR -> names(request);
                case SftpPacket.READ -> read(request);
                case SftpPacket.CLOSE -> {
                    folders.remove(request.text());
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
                        ? request.opened(entry, "", contents, home.beside(path, entry))
                        : request.status(SftpPacket.IO_ERROR);
            } catch (HomeView.Refused refused) {
                if (refused.status() != Status.CHANGED || attempt == TRIES) {
                    throw refused;
                }
                entry = home.ask(path);
            }
        }
        Entry now = home.ask(path);
        return now.isFile()
                ? request.opened(
                        now,
                        new FileHandle(numbers.incrementAndGet(), path, now).text(),
                        new byte[0],
                        HomeView.Beside.NONE)
                : request.status(SftpPacket.IO_ERROR);
    }

    private byte[] openFolder(SftpPacket request) throws IOException, InterruptedException {
        String path = request.text();
        home.entry(path);
        List<Entry> all = new ArrayList<>(home.list(path));
        if (folders.size() >= MOST_FOLDERS) {
            return request.status(SftpPacket.IO_ERROR);
        }
        String handle = Integer.toString(numbers.incrementAndGet());
        folders.put(handle, all);
        return request.handle(handle);
    }

    private byte[] names(SftpPacket request) throws IOException {
        List<Entry> rest = folders.get(request.text());
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
        FileHandle file = FileHandle.of(request.text());
        long offset = request.offset();
        int length = Math.min(Math.max(0, request.number()), MOST_READ);
        byte[] bytes = home.read(file.path(), file.entry(), offset, length);
        return bytes.length == 0 ? request.status(SftpPacket.EOF) : request.data(bytes);
    }
}
