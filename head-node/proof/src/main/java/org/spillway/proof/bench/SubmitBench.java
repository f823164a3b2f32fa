package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** How fast jobs are taken, by one client and by several at once. Each answer means that the job is on disk. */
final class SubmitBench {
    private static final int CLIENTS = 4;
    /** The promise is for 1,000; another number is held to its share. */
    private static final double SECONDS_FOR_THOUSAND = 10;

    private static final int LISTINGS = 20;
    private static final double NANOS = 1e9;

    private final Path launcher;

    SubmitBench(Path launcher) {
        this.launcher = launcher;
    }

    List<Figure> measure(int count) throws IOException, InterruptedException {
        List<Figure> figures = new ArrayList<>();
        try (var head = HeadUnderTest.start(launcher)) {
            figures.addAll(by(head, 1, count));
            figures.addAll(listings(head, count));
            figures.addAll(by(head, CLIENTS, count));
        }
        return figures;
    }

    private static List<Figure> by(HeadUnderTest head, int clients, int count)
            throws IOException, InterruptedException {
        List<Double> millis = new ArrayList<>();
        long begin = System.nanoTime();
        try (ExecutorService pool = Executors.newFixedThreadPool(clients)) {
            List<Callable<List<Double>>> parts = new ArrayList<>();
            for (int client = 0; client < clients; client++) {
                int share = count / clients + (client < count % clients ? 1 : 0);
                parts.add(() -> submit(head, share));
            }
            for (Future<List<Double>> part : pool.invokeAll(parts)) {
                millis.addAll(part.get());
            }
        } catch (ExecutionException failed) {
            throw new IOException("a submission failed: " + failed.getMessage(), failed);
        }
        double seconds = (System.nanoTime() - begin) / NANOS;
        var samples = Samples.of(millis);
        String name = "submit.clients" + clients;
        String how = count + " submits over the socket, "
                + (clients == 1 ? "one after the other" : "by " + clients + " clients at once");
        return List.of(
                Figure.below(SECONDS_FOR_THOUSAND * count / 1000, name + ".time", seconds, "s", how),
                Figure.plain(name + ".rate", count / seconds, "jobs/s", how),
                Figure.plain(name + ".median", samples.median(), "ms", how),
                Figure.plain(name + ".p95", samples.p95(), "ms", how));
    }

    private static List<Double> submit(HeadUnderTest head, int count) {
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long one = System.nanoTime();
            head.submit("#!/bin/sh\nsleep 30\n");
            millis.add((System.nanoTime() - one) / 1e6);
        }
        return millis;
    }

    private static List<Figure> listings(HeadUnderTest head, int jobs) {
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < LISTINGS; i++) {
            long one = System.nanoTime();
            head.client().get("/jobs");
            millis.add((System.nanoTime() - one) / 1e6);
        }
        var samples = Samples.of(millis);
        String how = LISTINGS + " listings of " + Math.min(jobs, 1000) + " jobs";
        return List.of(
                Figure.plain("list.median", samples.median(), "ms", how),
                Figure.plain("list.p95", samples.p95(), "ms", how));
    }
}
