package org.spillway.proof.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Ends all that lives in a demo's folder, whatever state it is in. May be repeated. */
final class DemoEnding {
    private static final Duration INSTANCES = Duration.ofSeconds(20);
    private static final Duration CLOUD = Duration.ofSeconds(5);
    private static final long LOOK_MILLIS = 50;

    private final DemoFiles files;
    private final List<LocalCloudAccess> clouds;

    DemoEnding(DemoFiles files) throws IOException {
        this.files = files;
        this.clouds = files.clouds();
    }

    /** The clouds are asked to end what is left, and are ended. The head must have been ended before. */
    synchronized void endClouds() throws IOException, InterruptedException {
        List<LocalCloudAccess> up =
                clouds.stream().filter(cloud -> cloud.pid().isPresent()).toList();
        for (LocalCloudAccess cloud : up) {
            endInstances(cloud);
        }
        List<ProcessHandle> processes = up.stream()
                .flatMap(cloud -> cloud.pid().stream().boxed())
                .flatMap(pid -> ProcessHandle.of(pid).stream())
                .toList();
        end(processes);
        leftovers().forEach(ProcessHandle::destroyForcibly);
    }

    /** A cloud that does not answer leaves its instances to {@link #leftovers}. */
    private static void endInstances(LocalCloudAccess cloud) throws InterruptedException {
        try {
            List<String> live = live(cloud);
            if (!live.isEmpty()) {
                cloud.terminate(live);
                await(INSTANCES, () -> hasNone(cloud));
            }
        } catch (IOException unwilling) {
            System.err.println("spillway demo: " + unwilling.getMessage());
        }
    }

    private static List<String> live(LocalCloudAccess cloud) throws IOException {
        return cloud.machines().stream()
                .filter(machine -> !machine.hasEnded())
                .map(LocalCloudAccess.Machine::id)
                .toList();
    }

    private static boolean hasNone(LocalCloudAccess cloud) {
        try {
            return live(cloud).isEmpty();
        } catch (IOException unwilling) {
            return true;
        }
    }

    /** Asks them all to end, and kills those that do not. */
    static void end(List<ProcessHandle> processes) throws InterruptedException {
        processes.forEach(ProcessHandle::destroy);
        if (!await(CLOUD, () -> processes.stream().noneMatch(ProcessHandle::isAlive))) {
            processes.forEach(ProcessHandle::destroyForcibly);
            await(CLOUD, () -> processes.stream().noneMatch(ProcessHandle::isAlive));
        }
    }

    static boolean await(Duration limit, BooleanSupplier condition) throws InterruptedException {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - begin > limit.toNanos()) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
        }
        return true;
    }

    /** Processes of instances, which bear their directory. */
    List<ProcessHandle> leftovers() throws IOException {
        var found = new ArrayList<ProcessHandle>();
        String mark = "SPILLWAY_INSTANCE_DIR=" + files.folder() + "/";
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path one : processes) {
                try {
                    if (Files.readString(one.resolve("environ"), StandardCharsets.ISO_8859_1)
                            .contains(mark)) {
                        ProcessHandle.of(Long.parseLong(one.getFileName().toString()))
                                .ifPresent(found::add);
                    }
                } catch (IOException goneOrForeign) {
                    continue;
                }
            }
        }
        return found;
    }
}
