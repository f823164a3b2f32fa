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

/** A TCP link that can be cut and mended, and remembers every byte that went over it. */
final class CuttableProxy implements AutoCloseable {
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private final ByteArrayOutputStream seen = new ByteArrayOutputStream();
    private volatile InetSocketAddress target;
    private volatile boolean cut;

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
                Thread.ofVirtual().start(() -> pump(client, there));
                Thread.ofVirtual().start(() -> pump(there, client));
            } catch (IOException e) {
                // The target is away, or the proxy is closing: the client sees a closed connection either way.
                open.removeIf(Socket::isClosed);
            }
        }
    }

    private void pump(Socket from, Socket to) {
        byte[] buffer = new byte[8192];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                synchronized (seen) {
                    seen.write(buffer, 0, n);
                }
                out.write(buffer, 0, n);
            }
        } catch (IOException e) {
            closeQuietly(to);
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
