package org.spillway.director.directory;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** A TCP link that can be cut, slow, and mended, and remembers every byte that went over it. */
final class CuttableProxy implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
    private volatile InetSocketAddress target;
    private volatile boolean cut;
    private volatile boolean slow;
    private final AtomicLong left = new AtomicLong(Long.MAX_VALUE);

    CuttableProxy(InetSocketAddress target) throws IOException {
        this.target = target;
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
        return server.getLocalPort();
    }

    void leadTo(InetSocketAddress other) {
        target = other;
    }

    void cut() {
        cut = true;
        open.forEach(CuttableProxy::closeQuietly);
        open.clear();
    }

    void mend() {
        cut = false;
        slow = false;
        left.set(Long.MAX_VALUE);
    }

    /** The link is cut when so many bytes more have come from the target. */
    void cutAfter(long bytes) {
        left.set(bytes);
    }

    /** A few hundred bytes at a time, a millisecond apart. */
    void slow() {
        slow = true;
    }

    byte[] seen() {
        synchronized (seen) {
            return seen.toByteArray();
        }
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket client = server.accept();
                if (cut) {
                    client.close();
                    continue;
                }
                Socket there = new Socket(target.getAddress(), target.getPort());
                open.add(client);
                open.add(there);
                Thread.ofVirtual().start(() -> pump(client, there, false));
                Thread.ofVirtual().start(() -> pump(there, client, true));
            } catch (IOException e) {
                // The target is away, or the proxy is closing: the client sees a closed connection either way.
                open.removeIf(Socket::isClosed);
            }
        }
    }

    private void pump(Socket from, Socket to, boolean answers) {
        byte[] buffer = new byte[8192];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int n;
            while ((n = in.read(buffer, 0, slow && answers ? 512 : buffer.length)) >= 0) {
                if (slow && answers) {
                    Thread.sleep(1);
                }
                synchronized (seen) {
                    seen.write(buffer, 0, n);
                }
                if (answers && left.addAndGet(-n) < 0) {
                    cut();
                }
                out.write(buffer, 0, n);
            }
        } catch (IOException e) {
            closeQuietly(to);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        cut();
    }
}
