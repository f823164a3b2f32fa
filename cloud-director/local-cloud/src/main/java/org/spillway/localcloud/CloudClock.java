package org.spillway.localcloud;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.localcloud.InstanceRecord.Ending;
import org.spillway.policy.Market;

/** The cloud's own course: instances boot, power themselves off, die, lose their power, and are forgotten. */
final class CloudClock implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(CloudClock.class);
    private static final long TICK_MILLIS = 50;
    private static final int TICKS_PER_LOOK = 20;
    private static final int TICKS_PER_SWEEP = 400;
    private static final int CONSOLES_KEPT = 20;
    private final LocalCloud cloud;
    private final Path state;
    /** Instances on which a thread of this clock is at work. */
    private final Set<String> busy = ConcurrentHashMap.newKeySet();

    CloudClock(LocalCloud cloud, Path state) {
        this.cloud = cloud;
        this.state = state;
    }

    @Override
    public void run() {
        for (long tick = 0; !Thread.currentThread().isInterrupted(); tick++) {
            try {
                tick(tick);
            } catch (IOException | RuntimeException failed) {
                LOG.warn("clock: {}", failed.toString());
            }
            try {
                Thread.sleep(TICK_MILLIS);
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void tick(long tick) throws IOException {
        boolean look = tick % TICKS_PER_LOOK == 0;
        powerOffs();
        Instant now = cloud.now();
        for (Machine machine : cloud.machines()) {
            InstanceRecord instance = machine.instance();
            if (isDue(instance, now, look) && busy.add(instance.id())) {
                Thread.startVirtualThread(() -> {
                    try {
                        advance(machine, now, look);
                    } catch (IOException | RuntimeException failed) {
                        LOG.warn("{}: {}", instance.id(), failed.toString());
                    } finally {
                        busy.remove(instance.id());
                    }
                });
            }
        }
        if (tick % TICKS_PER_SWEEP == 0) {
            dropOldConsoles();
        }
    }

    private static boolean isDue(InstanceRecord instance, Instant now, boolean look) {
        return switch (instance.state()) {
            case PENDING -> {
                boolean boots = instance.process() || !instance.failure().isEmpty();
                yield boots ? !now.isBefore(instance.bootAt()) : diesNow(instance, now);
            }
            case RUNNING -> (look && instance.process()) || diesNow(instance, now);
            case STOPPING, TERMINATING -> look;
            case STOPPED -> false;
            case TERMINATED -> look && now.isAfter(instance.endedAt().plus(LocalCloud.LISTED_AFTER_END));
        };
    }

    private static boolean diesNow(InstanceRecord instance, Instant now) {
        return instance.dieSeconds() >= 0
                && now.isAfter(instance.bootAt().plus(Duration.ofMillis((long) (instance.dieSeconds() * 1000))));
    }

    private void advance(Machine machine, Instant now, boolean look) throws IOException {
        InstanceRecord instance = machine.instance();
        if (!isDue(instance, now, look)) {
            // The record changed since the tick: one that has ended just now is still to be listed.
            return;
        }
        switch (instance.state()) {
            case PENDING -> {
                if (!instance.failure().isEmpty()) {
                    machine.fail();
                } else if (instance.process()) {
                    boot(machine, instance);
                } else {
                    cloud.end(machine, Ending.DIED, "died on request");
                }
            }
            case RUNNING -> {
                if (diesNow(instance, now)) {
                    cloud.end(machine, Ending.DIED, "died on request");
                } else if (!machine.hasPower()) {
                    cloud.end(machine, Ending.NONE, "lost its power");
                } else if (look) {
                    machine.look(now);
                    giveNotice(machine, instance, now);
                }
            }
            case STOPPING, TERMINATING -> cloud.powerOff(machine);
            case STOPPED -> LOG.debug("{} is stopped", instance.id());
            case TERMINATED -> cloud.forget(machine);
        }
    }

    /** Only to those that have booted, are spot, and have had none. */
    private void giveNotice(Machine machine, InstanceRecord instance, Instant now) throws IOException {
        if (instance.process() && instance.market() == Market.SPOT && instance.dieSeconds() < 0) {
            Optional<Fault> fault = cloud.faults().take(Fault.Kind.SPOT_NOTICE, instance.type(), instance.zone());
            if (fault.isPresent()) {
                Duration left = Duration.ofMillis((long) (fault.get().seconds() * 1000));
                machine.notice(now.plus(left), !fault.get().form().equals(Fault.HINT));
            }
        }
    }

    private void boot(Machine machine, InstanceRecord instance) throws IOException {
        boolean mute = !instance.userDataDone()
                && cloud.faults()
                        .take(Fault.Kind.MUTE, instance.type(), instance.zone())
                        .isPresent();
        try {
            machine.boot(mute);
        } catch (IOException | RuntimeException failed) {
            cloud.end(machine, Ending.NOT_BOOTED, "did not boot: " + failed);
            throw failed;
        }
    }

    /** bin/poweroff leaves a file with the instance's id. */
    private void powerOffs() throws IOException {
        List<Path> markers;
        try (Stream<Path> listing = Files.list(state.resolve("poweroff"))) {
            markers = listing.toList();
        }
        for (Path marker : markers) {
            var machine = cloud.find(marker.getFileName().toString(), java.util.Map.of());
            if (machine.isPresent()) {
                cloud.end(machine.get(), Ending.POWERED_OFF, "powered itself off");
            }
            Files.deleteIfExists(marker);
        }
    }

    private void dropOldConsoles() throws IOException {
        List<Path> kept;
        try (Stream<Path> listing = Files.list(state.resolve("instances"))) {
            kept = listing.filter(
                            directory -> cloud.find(directory.getFileName().toString(), java.util.Map.of())
                                            .isEmpty()
                                    && Files.exists(directory.resolve("console.log"))
                                    && !Files.exists(directory.resolve("instance.json")))
                    .sorted(Comparator.comparing(CloudClock::age))
                    .toList();
        }
        for (int i = 0; i < kept.size() - CONSOLES_KEPT; i++) {
            Machine.deleteTree(kept.get(i));
        }
    }

    private static Instant age(Path directory) {
        try {
            return Files.getLastModifiedTime(directory.resolve("console.log")).toInstant();
        } catch (IOException gone) {
            return Instant.EPOCH;
        }
    }
}
