package org.spillway.api.session;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A stream of a session; its state is kept by the session's lock. */
public final class SessionChannel {
    private static final int PIECE_BYTES = 16 * 1024;

    private final Session session;
    private final int number;
    private final OutputStream out;
    private final Consumer<String> ended;
    private byte[] queue = new byte[0];
    private @Nullable String last;
    private boolean drained;
    private long may = Session.WINDOW_BYTES;

    SessionChannel(Session session, int number, OutputStream out, Consumer<String> ended) {
        this.session = session;
        this.number = number;
        this.out = out;
        this.ended = ended;
    }

    /** The other end takes so many bytes more. */
    void granted(int bytes) {
        may = Math.min(Session.WINDOW_BYTES, may + Math.max(0, bytes));
    }

    void add(byte[] bytes) {
        if (queue.length + bytes.length > 2 * Session.WINDOW_BYTES) {
            throw new SessionFault("more than it may send");
        }
        byte[] all = new byte[queue.length + bytes.length];
        System.arraycopy(queue, 0, all, 0, queue.length);
        System.arraycopy(bytes, 0, all, queue.length, bytes.length);
        queue = all;
    }

    void last(String why) {
        last = last == null ? why : last;
    }

    void pour() {
        boolean reads = true;
        try {
            while (true) {
                byte[] bytes = take();
                if (bytes.length == 0) {
                    return;
                }
                reads = reads && written(bytes);
                session.say(SessionRecord.credit(number, bytes.length));
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } finally {
            session.lock.lock();
            try {
                drained = true;
                session.changed.signalAll();
            } finally {
                session.lock.unlock();
            }
            ended.accept(last == null ? "" : last);
        }
    }

    /** Whether somebody reads there still. */
    private boolean written(byte[] bytes) {
        try {
            out.write(bytes);
            out.flush();
            return true;
        } catch (IOException nobody) {
            session.say(SessionRecord.of('r', number));
            return false;
        }
    }

    private byte[] take() throws InterruptedException {
        session.lock.lock();
        try {
            while (queue.length == 0 && last == null) {
                session.changed.await();
            }
            byte[] bytes = queue;
            queue = new byte[0];
            return bytes;
        } finally {
            session.lock.unlock();
        }
    }

    /** Waits until all that came is written. */
    public void drained() throws InterruptedException {
        session.lock.lock();
        try {
            while (!drained) {
                session.changed.await();
            }
        } finally {
            session.lock.unlock();
        }
    }

    /** Sends all that is read, and then its end. Returns at either's end. */
    public void read(InputStream in) throws IOException, InterruptedException {
        byte[] piece = new byte[PIECE_BYTES];
        for (int count = in.read(piece); count >= 0; count = in.read(piece)) {
            if (!send(piece, count)) {
                return;
            }
        }
        session.say(SessionRecord.of('e', number));
    }

    /** Waits until the other end takes so many bytes. @return false when it takes none any more */
    public boolean send(byte[] bytes, int length) throws InterruptedException {
        session.lock.lock();
        try {
            int from = 0;
            while (from < length) {
                while (may < 1 && !session.isOver(this)) {
                    session.changed.await();
                }
                if (session.isOver(this)) {
                    return false;
                }
                byte[] piece = new byte[(int) Math.min(may, length - from)];
                System.arraycopy(bytes, from, piece, 0, piece.length);
                session.append(new SessionRecord('d', number, piece));
                may -= piece.length;
                from += piece.length;
                session.changed.signalAll();
            }
            return true;
        } finally {
            session.lock.unlock();
        }
    }

    /** Ends it from this side: what waits to be written is written before. */
    public void over(String why) {
        session.lock.lock();
        try {
            last(why);
            session.changed.signalAll();
        } finally {
            session.lock.unlock();
        }
    }

    /** Nobody wants more of it. */
    public void forget() {
        session.forget(number, this);
    }
}
