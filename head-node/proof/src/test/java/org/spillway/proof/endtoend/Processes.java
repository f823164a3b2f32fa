package org.spillway.proof.endtoend;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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

    static void killInstances(Path folder) {
        boolean none = eventually(END, () -> {
            List<Long> left = ofInstances(folder);
            left.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
            return left.isEmpty();
        });
        if (!none) {
            throw new IllegalStateException("instances' processes do not end: " + ofInstances(folder));
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
