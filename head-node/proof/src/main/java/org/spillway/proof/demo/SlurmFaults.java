package org.spillway.proof.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Further faults where a Slurm gives jobs to nodes. */
final class SlurmFaults {
    private final SlurmRoom room;
    private final DemoFiles files;
    private final List<String> regions;

    SlurmFaults(SlurmRoom room, DemoFiles files, List<String> regions) {
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
        room.requeueForgotten();
        return Optional.of("slurmctld was killed and started again");
    }

    /** {@code kill -9} of a node's slurmd, preferring one that has steps under it; its node starts it again. */
    Optional<String> hitDaemon(Chaos.Draw draw) throws IOException {
        List<Inside> daemons = inMachines("slurmd");
        Set<String> busy =
                inMachines("slurmstepd").stream().map(Inside::machine).collect(Collectors.toSet());
        List<Inside> working =
                daemons.stream().filter(one -> busy.contains(one.machine)).toList();
        Optional<Inside> target = draw.pick(working.isEmpty() ? daemons : working);
        target.ifPresent(hit -> hit.process.destroyForcibly());
        return target.map(hit -> "a node's slurmd was killed, one of " + daemons.size()
                + (working.isEmpty()
                        ? ", none of which had a job's processes"
                        : ", while a job's processes ran there"));
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

    /** @param machine its namespace */
    private record Inside(ProcessHandle process, String machine) {}

    /** Processes of that name that are a machine's of a region. */
    private static List<Inside> inMachines(String name) throws IOException {
        List<Inside> found = new ArrayList<>();
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path one : processes) {
                try {
                    Optional<String> machine =
                            Files.readString(one.resolve("comm")).strip().equals(name)
                                    ? machine(one)
                                    : Optional.empty();
                    Optional<ProcessHandle> process =
                            ProcessHandle.of(Long.parseLong(one.getFileName().toString()));
                    if (machine.isPresent() && process.isPresent()) {
                        found.add(new Inside(process.get(), machine.get()));
                    }
                } catch (IOException gone) {
                    continue;
                }
            }
        }
        return found;
    }

    /** Each machine has a namespace of its own for processes; home's is this one. */
    private static Optional<String> machine(Path process) throws IOException {
        String space = Files.readSymbolicLink(process.resolve("ns/pid")).toString();
        String ours = Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
        return space.equals(ours) ? Optional.empty() : Optional.of(space);
    }
}
