package org.spillway.proof.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.spillway.api.Json;

/**
 * Programs that submit over the socket, each one job after the other on a connection that stays open, as an HTTP library
 * does it. An answer means that the job is on disk.
 */
final class SocketSubmitters {
    private final Path socket;
    private final byte[] job;

    SocketSubmitters(Path socket) {
        this.socket = socket;
        this.job = Json.bytes(HeadUnderTest.job("#!/bin/sh\nsleep 30\n"));
    }

    /** The seconds that it took, and the milliseconds of each submission. */
    record Run(double seconds, Samples millis) {}

    /** @param count of jobs, of all clients together */
    Run run(int clients, int count) throws IOException, InterruptedException {
        List<Double> millis = new ArrayList<>();
        long begin = System.nanoTime();
        try (var pool = Executors.newFixedThreadPool(clients)) {
            List<Callable<List<Double>>> parts = new ArrayList<>();
            for (int client = 0; client < clients; client++) {
                int share = count / clients + (client < count % clients ? 1 : 0);
                parts.add(() -> submit(share));
            }
            for (Future<List<Double>> part : pool.invokeAll(parts)) {
                millis.addAll(part.get());
            }
        } catch (ExecutionException failed) {
            throw new IOException("a submission failed: " + failed.getMessage(), failed);
        }
        return new Run((System.nanoTime() - begin) / 1e9, Samples.of(millis));
    }

    private List<Double> submit(int count) throws IOException {
        List<Double> millis = new ArrayList<>();
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.connect(UnixDomainSocketAddress.of(socket));
            InputStream in = new BufferedInputStream(Channels.newInputStream(channel));
            for (int i = 0; i < count; i++) {
                long begin = System.nanoTime();
                send(channel);
                receive(in);
                millis.add((System.nanoTime() - begin) / 1e6);
            }
        }
        return millis;
    }

    private void send(SocketChannel channel) throws IOException {
        String head =
                "POST /api/v1/jobs HTTP/1.1\r\nHost: spillway\r\nContent-Type: application/json\r\nIdempotency-Key: "
                        + UUID.randomUUID() + "\r\nContent-Length: " + job.length + "\r\n\r\n";
        ByteBuffer whole = ByteBuffer.allocate(head.length() + job.length)
                .put(head.getBytes(StandardCharsets.US_ASCII))
                .put(job)
                .flip();
        while (whole.hasRemaining()) {
            channel.write(whole);
        }
    }

    private static void receive(InputStream in) throws IOException {
        String status = line(in);
        int length = -1;
        for (String line = line(in); !line.isEmpty(); line = line(in)) {
            if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                length = Integer.parseInt(
                        line.substring("content-length:".length()).strip());
            }
        }
        if (length < 0) {
            throw new IOException("an answer without its length: " + status);
        }
        byte[] body = in.readNBytes(length);
        if (!status.startsWith("HTTP/1.1 201")) {
            throw new IOException(status + ": " + new String(body, StandardCharsets.UTF_8));
        }
    }

    private static String line(InputStream in) throws IOException {
        var line = new StringBuilder();
        for (int next = in.read(); next != '\n'; next = in.read()) {
            if (next < 0) {
                throw new EOFException("the head has closed the connection");
            }
            if (next != '\r') {
                line.append((char) next);
            }
        }
        return line.toString();
    }
}
