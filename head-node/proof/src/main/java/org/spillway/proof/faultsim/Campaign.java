package org.spillway.proof.faultsim;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/** Many seeds, on several threads; which thread runs a seed does not matter to it. */
public final class Campaign {
    private static final int BROKEN_KEPT = 20;
    /** Which seeds are told a second time, with a workload manager that has a queue of its own. */
    private static final long WITH_SLURM = 4;

    private Campaign() {}

    /**
     * @param broken the first few seeds that did not hold, by seed
     * @param faults that were drawn, by their names
     */
    public record Result(
            long brokenCount,
            List<Verdict> broken,
            long jobs,
            long attempts,
            long launches,
            long kills,
            Map<String, Long> faults,
            Duration took) {
        public Result {
            broken = List.copyOf(broken);
            faults = Collections.unmodifiableMap(new TreeMap<>(faults));
        }
    }

    private static List<Verdict> verdicts(long seed, LoopFactory factory) {
        Verdict verdict = FaultSimulation.run(seed, factory);
        List<Verdict> all = new ArrayList<>(List.of(verdict));
        if (seed % WITH_SLURM == 0) {
            all.add(SlurmSimulation.run(seed, factory));
        }
        for (Kind kind : Kind.values()) {
            if (kind != Kind.USUAL && kind.isToldBy(seed)) {
                all.add(FaultSimulation.run(seed, factory, kind));
            }
        }
        return all;
    }

    /** @param progress told now and then how many seeds are done */
    public static Result run(long first, long seeds, int threads, LoopFactory factory, LongConsumer progress)
            throws InterruptedException {
        long begin = System.nanoTime();
        AtomicLong next = new AtomicLong();
        AtomicLong jobs = new AtomicLong();
        AtomicLong attempts = new AtomicLong();
        AtomicLong launches = new AtomicLong();
        AtomicLong kills = new AtomicLong();
        AtomicLong brokenCount = new AtomicLong();
        Map<String, Long> faults = new ConcurrentHashMap<>();
        ConcurrentLinkedQueue<Verdict> broken = new ConcurrentLinkedQueue<>();
        List<Thread> runners = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            runners.add(Thread.ofPlatform().name("seeds-" + i).start(() -> {
                for (long index = next.getAndIncrement(); index < seeds; index = next.getAndIncrement()) {
                    for (Verdict verdict : verdicts(first + index, factory)) {
                        jobs.addAndGet(verdict.jobs());
                        attempts.addAndGet(verdict.attempts());
                        launches.addAndGet(verdict.launches());
                        kills.addAndGet(verdict.kills());
                        verdict.faults().forEach((name, count) -> faults.merge(name, (long) count, Long::sum));
                        if (!verdict.holds() && brokenCount.incrementAndGet() <= BROKEN_KEPT) {
                            broken.add(verdict);
                        }
                    }
                    if (index % 100 == 0) {
                        progress.accept(index);
                    }
                }
            }));
        }
        for (Thread runner : runners) {
            runner.join();
        }
        return new Result(
                brokenCount.get(),
                broken.stream()
                        .sorted(java.util.Comparator.comparingLong(Verdict::seed))
                        .toList(),
                jobs.get(),
                attempts.get(),
                launches.get(),
                kills.get(),
                faults,
                Duration.ofNanos(System.nanoTime() - begin));
    }
}
