package org.spillway.localcloud;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The processes of one instance. They are known by {@code SPILLWAY_INSTANCE_ID} in their environment, by descent from
 * one that is known, or by having been seen as either before: {@code env -i} and a dead parent hide nothing that lived
 * through one {@link #look()}.
 */
final class InstanceProcesses {
    private static final Duration KILL_TIME = Duration.ofSeconds(5);
    private static final long KILL_PAUSE_MILLIS = 10;
    private final String mark;
    private final Path directory;
    private final Map<String, String> environment;
    private final String machine;
    private final Set<ProcessHandle> seen = new HashSet<>();

    /** @param machine as {@link MachineType#machine}; {@code metadata} as of a {@link Machine} */
    InstanceProcesses(InstanceRecord instance, Path directory, String machine, String metadata) {
        this.mark = "SPILLWAY_INSTANCE_ID=" + instance.id();
        this.directory = directory;
        this.machine = machine;
        this.environment = environment(instance, directory);
        if (!metadata.isEmpty()) {
            environment.put("SPILLWAY_METADATA", metadata);
        }
    }

    private static Map<String, String> environment(InstanceRecord instance, Path directory) {
        Map<String, String> environment = new HashMap<>();
        String user = System.getProperty("user.name", "nobody");
        environment.put("HOME", directory.resolve("home").toString());
        environment.put("USER", user);
        environment.put("LOGNAME", user);
        environment.put("SHELL", "/bin/sh");
        environment.put("LANG", "C.UTF-8");
        // The stock image has a Java: the one that this cloud runs on.
        environment.put("JAVA_HOME", System.getProperty("java.home", ""));
        environment.put(
                "PATH", directory.resolve("bin") + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        environment.put("SPILLWAY_INSTANCE_ID", instance.id());
        environment.put("SPILLWAY_INSTANCE_ADDRESS", instance.address());
        environment.put("SPILLWAY_INSTANCE_DIR", directory.toString());
        return environment;
    }

    /** A process in a session of its own; setsid does not fork for a child of this JVM, so the pid is the command's. */
    ProcessBuilder command(String... argv) {
        return command("run", argv);
    }

    private ProcessBuilder command(String verb, String... argv) {
        Stream<String> before = machine.isEmpty() ? Stream.of("setsid") : Stream.of("setsid", machine, verb);
        ProcessBuilder builder =
                new ProcessBuilder(Stream.concat(before, Stream.of(argv)).toList());
        builder.environment().clear();
        builder.environment().putAll(environment);
        builder.directory(directory.resolve("home").toFile());
        return builder;
    }

    /** A process that nobody talks to: it writes to the console and survives this JVM. */
    long startDetached(String... argv) throws IOException {
        return startDetached(command("run", argv));
    }

    /** The one that lives as long as the instance has power. */
    long startMachine(String... argv) throws IOException {
        return startDetached(command("boot", argv));
    }

    private long startDetached(ProcessBuilder command) throws IOException {
        ProcessBuilder.Redirect console = ProcessBuilder.Redirect.appendTo(
                directory.resolve("console.log").toFile());
        Process process = command.redirectInput(Path.of("/dev/null").toFile())
                .redirectErrorStream(true)
                .redirectOutput(console)
                .start();
        remember(process.toHandle());
        return process.pid();
    }

    synchronized void remember(ProcessHandle process) {
        seen.add(process);
    }

    /** Whether the process of that pid is one of this instance, and not another that got the same number later. */
    boolean owns(long pid) {
        return pid > 0 && hasMark(pid);
    }

    /** Every living process of this instance. */
    synchronized Set<ProcessHandle> look() {
        long self = ProcessHandle.current().pid();
        Set<ProcessHandle> found = new HashSet<>();
        List<ProcessHandle> all;
        try (Stream<ProcessHandle> processes = ProcessHandle.allProcesses()) {
            all = processes.toList();
        }
        for (ProcessHandle process : all) {
            if (process.pid() != self && process.pid() != 1 && (seen.contains(process) || hasMark(process.pid()))) {
                found.add(process);
            }
        }
        caged().forEach(found::add);
        addDescendants(found, all);
        found.removeIf(process -> process.pid() == self || isDead(process.pid()));
        seen.clear();
        seen.addAll(found);
        return Set.copyOf(found);
    }

    /**
     * Processes in groups of the kernel's (cgroups) that this instance has made: what they forked with an empty
     * environment bears no mark.
     */
    private Stream<ProcessHandle> caged() {
        return cages().stream()
                .flatMap(cage -> groups(cage).stream())
                .flatMap(group -> lines(group.resolve("cgroup.procs")).stream())
                .filter(line -> line.matches("[0-9]{1,10}"))
                .flatMap(pid -> ProcessHandle.of(Long.parseLong(pid)).stream());
    }

    private List<Path> cages() {
        return lines(directory.resolve("spillway/cages")).stream().map(Path::of).toList();
    }

    private static List<Path> groups(Path cage) {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> groups = Files.newDirectoryStream(cage, Files::isDirectory)) {
            groups.forEach(found::add);
        } catch (IOException | DirectoryIteratorException gone) {
            return found;
        }
        return found;
    }

    /** A machine that ends takes its groups with it; of an instance they would stay on this one. */
    private void removeCages() {
        for (Path cage : cages()) {
            groups(cage).forEach(InstanceProcesses::removeIfEmpty);
            removeIfEmpty(cage);
        }
    }

    private static void removeIfEmpty(Path group) {
        try {
            Files.deleteIfExists(group);
        } catch (IOException inUse) {
            return;
        }
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException gone) {
            return List.of();
        }
    }

    /** Each process is asked for its parent once: asking each for its descendants would list all processes each time. */
    private static void addDescendants(Set<ProcessHandle> found, List<ProcessHandle> all) {
        Map<ProcessHandle, List<ProcessHandle>> children = new HashMap<>();
        if (found.isEmpty()) {
            return;
        }
        for (ProcessHandle process : all) {
            process.parent()
                    .ifPresent(parent -> children.computeIfAbsent(parent, fresh -> new ArrayList<>())
                            .add(process));
        }
        Deque<ProcessHandle> open = new ArrayDeque<>(found);
        while (!open.isEmpty()) {
            for (ProcessHandle child : children.getOrDefault(open.poll(), List.of())) {
                if (found.add(child)) {
                    open.add(child);
                }
            }
        }
    }

    /** Kills until none is left; a process may have forked between looking and killing. */
    void killAll() throws IOException {
        long deadline = System.nanoTime() + KILL_TIME.toNanos();
        int clean = 0;
        while (clean < 2) {
            Set<ProcessHandle> alive = look();
            clean = alive.isEmpty() ? clean + 1 : 0;
            for (ProcessHandle process : alive) {
                process.destroyForcibly();
            }
            if (System.nanoTime() > deadline) {
                throw new IOException(alive.size() + " processes of " + mark + " cannot be killed");
            }
            pause();
        }
        removeCages();
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(KILL_PAUSE_MILLIS);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while ending processes", stop);
        }
    }

    private boolean hasMark(long pid) {
        try {
            String text = new String(
                    Files.readAllBytes(Path.of("/proc", Long.toString(pid), "environ")), StandardCharsets.ISO_8859_1);
            return text.startsWith(mark + "\0") || text.contains("\0" + mark + "\0");
        } catch (IOException goneOrNotOurs) {
            return false;
        }
    }

    /** A zombie has nothing left to kill; whoever ought to reap it may be slow. */
    private static boolean isDead(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1);
            int state = stat.lastIndexOf(')') + 2;
            return state < stat.length() && (stat.charAt(state) == 'Z' || stat.charAt(state) == 'X');
        } catch (IOException gone) {
            return true;
        }
    }
}
