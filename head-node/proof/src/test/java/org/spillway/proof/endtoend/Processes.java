package org.spillway.proof.endtoend;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Processes of one test's folder, by what {@code /proc} says of them. */
final class Processes {
    private static final Duration END = Duration.ofMinutes(3);

    private Processes() {}

    /** Processes of instances whose disk is below this folder. */
    static List<Long> ofInstances(Path folder) {
        String mark = "SPILLWAY_INSTANCE_DIR=" + folder + "/";
        return all().filter(pid -> ("\0" + read(pid, "environ")).contains("\0" + mark))
                .toList();
    }

    /** Processes of instances, and those that name the folder in their arguments or work in it. */
    static List<Long> ofRun(Path folder) {
        List<Long> instances = ofInstances(folder);
        long self = ProcessHandle.current().pid();
        return all().filter(pid -> pid != self)
                .filter(pid -> instances.contains(pid)
                        || read(pid, "cmdline").contains(folder.toString())
                        || workingFolder(pid).startsWith(folder.toString()))
                .toList();
    }

    static String commandLine(long pid) {
        return read(pid, "cmdline").replace('\0', ' ');
    }

    static String workingFolder(long pid) {
        try {
            return Files.readSymbolicLink(Path.of("/proc", Long.toString(pid), "cwd"))
                    .toString();
        } catch (IOException goneOrForeign) {
            return "";
        }
    }

    /** SIGKILL, and a bounded wait for the end. */
    static void kill(long pid) {
        Optional<ProcessHandle> process = ProcessHandle.of(pid);
        process.ifPresent(ProcessHandle::destroyForcibly);
        if (process.isPresent() && !eventually(END, () -> isDead(pid))) {
            throw new IllegalStateException("process " + pid + " does not end");
        }
    }

    /**
     * Instances' processes, and jobs of theirs: those begin with an empty environment, and a provider that was killed first
     * ends nobody. What they say of their folder, and the kernel's groups that they were put into, tell whose they are.
     */
    static void killInstances(Path folder) {
        boolean none = eventually(END, () -> {
            Set<Long> left = new HashSet<>(ofRun(folder));
            cages(folder).forEach(cage -> left.addAll(caged(cage)));
            left.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
            return left.isEmpty();
        });
        if (!none) {
            throw new IllegalStateException("instances' processes do not end: " + ofRun(folder));
        }
        cages(folder).forEach(Processes::remove);
    }

    private static List<Path> cages(Path folder) {
        List<Path> cages = new ArrayList<>();
        try (DirectoryStream<Path> instances = Files.newDirectoryStream(folder.resolve("cloud/instances"))) {
            for (Path instance : instances) {
                Path named = instance.resolve("spillway/cages");
                if (Files.exists(named)) {
                    Files.readAllLines(named).forEach(cage -> cages.add(Path.of(cage)));
                }
            }
        } catch (IOException none) {
            return cages;
        }
        return cages;
    }

    private static List<Path> groups(Path cage) {
        List<Path> groups = new ArrayList<>();
        try (DirectoryStream<Path> inside = Files.newDirectoryStream(cage, Files::isDirectory)) {
            inside.forEach(groups::add);
        } catch (IOException none) {
            return groups;
        }
        return groups;
    }

    private static List<Long> caged(Path cage) {
        List<Long> pids = new ArrayList<>();
        for (Path group : groups(cage)) {
            try {
                Files.readAllLines(group.resolve("cgroup.procs")).forEach(pid -> pids.add(Long.parseLong(pid)));
            } catch (IOException gone) {
                continue;
            }
        }
        return pids;
    }

    private static void remove(Path cage) {
        List<Path> all = groups(cage);
        all.add(cage);
        for (Path group : all) {
            try {
                Files.deleteIfExists(group);
            } catch (IOException inUse) {
                System.err.println(group + " stays: " + inUse);
            }
        }
    }

    /** Looks again and again for something that no process announces. */
    static boolean eventually(Duration patience, java.util.function.BooleanSupplier condition) {
        long end = System.nanoTime() + patience.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            java.util.concurrent.locks.LockSupport.parkNanos(30_000_000);
        }
        return true;
    }

    private static boolean isDead(long pid) {
        String stat = read(pid, "stat");
        int state = stat.lastIndexOf(')') + 2;
        return stat.length() <= state || stat.charAt(state) == 'Z';
    }

    private static Stream<Long> all() {
        List<Long> pids = new ArrayList<>();
        try (Stream<ProcessHandle> processes = ProcessHandle.allProcesses()) {
            processes.map(ProcessHandle::pid).filter(pid -> !isDead(pid)).forEach(pids::add);
        }
        return pids.stream();
    }

    private static String read(long pid, String file) {
        try {
            return new String(
                    Files.readAllBytes(Path.of("/proc", Long.toString(pid), file)), StandardCharsets.ISO_8859_1);
        } catch (IOException goneOrForeign) {
            return "";
        }
    }
}
