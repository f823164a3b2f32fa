package org.spillway.head.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What else can be hit where a Slurm gives jobs to nodes. */
final class SlurmBlows {
    private final SlurmRoom room;
    private final DemoFiles files;
    private final List<String> regions;

    SlurmBlows(SlurmRoom room, DemoFiles files, List<String> regions) {
        this.room = room;
        this.files = files;
        this.regions = List.copyOf(regions);
    }

    /** {@code kill -9}; started again as its service manager would. */
    Optional<String> hitController() throws IOException, InterruptedException {
        String pid =
                Files.readString(files.folder().resolve("slurm/slurmctld.pid")).strip();
        Optional<ProcessHandle> process = ProcessHandle.of(Long.parseLong(pid));
        if (process.isEmpty()) {
            return Optional.empty();
        }
        process.get().destroyForcibly();
        process.get().onExit().join();
        room.startController();
        return Optional.of("slurmctld was killed and started again");
    }

    /** {@code kill -9} of a node's slurmd, preferring one that has steps under it; its node starts it again. */
    Optional<String> hitDaemon(Chaos.Draw draw) throws IOException {
        List<ProcessHandle> daemons = inMachines("slurmd");
        Optional<ProcessHandle> target = draw.pick(daemons);
        target.ifPresent(ProcessHandle::destroyForcibly);
        return target.map(hit -> "a node's slurmd was killed, one of " + daemons.size());
    }

    /** Nothing passes the region's cable for a while, and nobody is told. */
    Optional<String> cutRegion(Chaos.Draw draw, List<String> busy) throws IOException, InterruptedException {
        List<String> targets = regions.stream().filter(busy::contains).toList();
        Optional<String> target = draw.pick(targets);
        if (target.isPresent()) {
            room.cut(target.get());
            Thread.ofVirtual().start(() -> heal(target.get(), (long) (draw.cutSeconds() * 1000)));
        }
        return target.map(region -> String.format(
                Locale.ROOT, "the region %s was cut off for %.1f s while jobs ran there", region, draw.cutSeconds()));
    }

    private void heal(String region, long millis) {
        try {
            Thread.sleep(millis);
            room.heal(region);
        } catch (IOException failed) {
            System.err.println("spillway demo: " + region + " stays cut: " + failed.getMessage());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /** Processes of that name that are a machine's of a region. */
    private static List<ProcessHandle> inMachines(String name) throws IOException {
        List<ProcessHandle> found = new ArrayList<>();
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path one : processes) {
                try {
                    if (Files.readString(one.resolve("comm")).strip().equals(name)
                            && Files.readString(one.resolve("environ"), StandardCharsets.ISO_8859_1)
                                    .contains("SPILLWAY_INSTANCE_DIR=")) {
                        ProcessHandle.of(Long.parseLong(one.getFileName().toString()))
                                .ifPresent(found::add);
                    }
                } catch (IOException gone) {
                    continue;
                }
            }
        }
        return found;
    }
}
