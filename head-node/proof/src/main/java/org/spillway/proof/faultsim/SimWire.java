package org.spillway.proof.faultsim;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.spillway.director.reach.ReachSession;

/** SFTP between a node and its director's session, which has a thread of its own and is waited for by whoever steps the world. */
final class SimWire {
    static final int READ = 5;
    static final int LSTAT = 7;
    static final int STATUS = 101;
    /** The state of a file, and its bytes where they are few. */
    static final int OPEN = 200;

    private static final String OPEN_WORD = "open@spillway";

    private final LinkedBlockingQueue<byte[]> requests = new LinkedBlockingQueue<>();
    private final Deque<byte[]> answers = new ArrayDeque<>();
    private final Thread thread;
    private boolean waits;

    /** An answer. @param rest what follows its number */
    record Packet(int type, ByteBuffer rest) {
        int status() {
            return type == STATUS ? rest.getInt(0) : 0;
        }
    }

    SimWire(ReachSession session) {
        thread = Thread.ofVirtual().start(() -> {
            try {
                session.serve(new Requests(), new Answers());
            } catch (IOException | InterruptedException end) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private final class Requests extends InputStream {
        private byte[] present = new byte[0];
        private int at;

        @Override
        public int read(byte[] to, int from, int most) throws IOException {
            if (most == 0) {
                return 0;
            }
            to[from] = (byte) read();
            int more = Math.min(most - 1, present.length - at);
            System.arraycopy(present, at, to, from + 1, more);
            at += more;
            return 1 + more;
        }

        @Override
        public int read() throws IOException {
            while (at == present.length) {
                try {
                    present = requests.take();
                    at = 0;
                } catch (InterruptedException end) {
                    throw new InterruptedIOException("the director was killed");
                }
            }
            return present[at++] & 0xff;
        }
    }

    private final class Answers extends OutputStream {
        @Override
        public void write(int one) {
            throw new IllegalStateException("packets come whole");
        }

        @Override
        public void write(byte[] packet) {
            synchronized (answers) {
                answers.add(packet);
            }
        }
    }

    /** @param name a path or a handle */
    void ask(int type, int id, String name, long offset, int length) {
        var bytes = new ByteArrayOutputStream();
        byte[] words = name.getBytes(StandardCharsets.UTF_8);
        try (var out = new DataOutputStream(bytes)) {
            out.writeInt(
                    9 + words.length + (type == READ ? 12 : type == OPEN ? Integer.BYTES + OPEN_WORD.length() : 0));
            out.writeByte(type);
            out.writeInt(id);
            if (type == OPEN) {
                out.writeInt(OPEN_WORD.length());
                out.writeBytes(OPEN_WORD);
            }
            out.writeInt(words.length);
            out.write(words);
            if (type == READ) {
                out.writeLong(offset);
                out.writeInt(length);
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        waits = true;
        requests.add(bytes.toByteArray());
    }

    /** Whether the session still has something to answer: it waits for home, or is at it. */
    boolean isBusy() {
        synchronized (answers) {
            return waits && answers.isEmpty() && thread.isAlive();
        }
    }

    boolean isAlive() {
        return thread.isAlive();
    }

    /** Null while there is none. */
    @Nullable
    Packet answer() {
        byte[] packet;
        synchronized (answers) {
            packet = answers.poll();
        }
        if (packet == null) {
            return null;
        }
        waits = false;
        ByteBuffer bytes = ByteBuffer.wrap(packet, 4, packet.length - 4);
        int type = bytes.get();
        bytes.getInt();
        return new Packet(type, bytes.slice());
    }

    /** Without a word to either side. */
    void cut() {
        waits = false;
        thread.interrupt();
    }
}
