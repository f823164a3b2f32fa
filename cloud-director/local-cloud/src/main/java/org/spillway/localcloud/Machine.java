package org.spillway.localcloud;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Instance;
import org.spillway.policy.Market;

/** An instance: its record, and the effects that make the record true. Each change is on disk before it is told. */
final class Machine {
    private static final long DELETE_SECONDS = 60;
    private static final long MAX_CONSOLE_BYTES = 1 << 20;
    private final Path directory;
    private final PaperLedger paper;
    private final Predicate<String> isInstanceAddress;
    private final InstanceProcesses processes;
    /** Held over every change of state and over the start of every process. */
    private final ReentrantLock lock = new ReentrantLock();

    private volatile InstanceRecord instance;
    private @Nullable InstanceSshServer ssh;
    /** Until then no SSH server is started again. */
    private Instant linkCutUntil = Instant.EPOCH;

    /**
     * @param paper where the record is kept if the instance has no process, and so no disk
     * @param machine as {@link MachineType#machine}
     * @param metadata where its provider's metadata service answers it; empty for nowhere
     */
    Machine(
            InstanceRecord instance,
            Path directory,
            PaperLedger paper,
            String machine,
            String metadata,
            Predicate<String> isInstanceAddress) {
        this.instance = instance;
        this.directory = directory;
        this.paper = paper;
        this.isInstanceAddress = isInstanceAddress;
        this.processes = new InstanceProcesses(instance, directory, machine, metadata);
    }

    InstanceRecord instance() {
        return instance;
    }

    Path directory() {
        return directory;
    }

    /** Makes the disk, with nothing on it that runs yet. @param gpus how many a node is to count here */
    void create(String userData, Path powerOffMarkers, int gpus, FaultBox faults) throws IOException {
        Files.createDirectories(directory.resolve("home/.ssh"));
        Files.createDirectories(directory.resolve("bin"));
        Files.setPosixFilePermissions(directory.resolve("home/.ssh"), PosixFilePermissions.fromString("rwx------"));
        StateDirectory.write(directory.resolve("user-data"), userData);
        if (gpus > 0) {
            StateDirectory.write(directory.resolve("gpus"), gpus + "\n");
        }
        if (faults.take(Fault.Kind.SICK, instance.type(), instance.zone()).isPresent()) {
            StateDirectory.write(
                    directory.resolve("kmsg"), "NVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n");
        }
        if (instance.market() == Market.SPOT) {
            StateDirectory.write(directory.resolve("spot"), "");
        }
        String marker = powerOffMarkers.resolve(instance.id()).toString().replace("'", "'\\''");
        // The marker is the whole of it, so that it works without an environment.
        StateDirectory.write(
                directory.resolve("bin/poweroff"),
                "#!/bin/sh\n# Ends this instance.\n: > '" + marker + "'\n",
                "rwxr-xr-x");
        String key = directory.resolve("hostkey").toString().replace("'", "'\\''");
        StateDirectory.write(
                directory.resolve("bin/spillway-host-key"),
                "#!/bin/sh\n# Replaces the SSH host key by the one on standard input.\nset -eu\numask 077\n"
                        + "head -c 16384 > '" + key + ".new'\nmv -f '" + key + ".new' '" + key + "'\n",
                "rwxr-xr-x");
        save(instance);
    }

    /**
     * Powers on. User data runs at the first boot only, and what it has put into {@code per-boot} at each later one, as
     * cloud-init does it; nothing of both when {@code mute}.
     */
    void boot(boolean mute) throws IOException {
        lock.lock();
        try {
            if (instance.state() != Instance.State.PENDING) {
                return;
            }
            if (!instance.process()) {
                save(instance.running(0));
                return;
            }
            boolean first = !instance.userDataDone();
            UserData data = first ? prepare() : UserData.parse("");
            startSsh();
            long init = processes.startMachine("sleep", "2147483647");
            save(instance.running(init));
            if (first && !mute && !data.script().isEmpty()) {
                Path script = directory.resolve("first-boot");
                StateDirectory.write(script, data.script(), "rwx------");
                startScript(script, data.script());
            } else if (!first && !mute) {
                startPerBoot();
            }
        } finally {
            lock.unlock();
        }
    }

    private void startPerBoot() throws IOException {
        Path folder = directory.resolve("per-boot");
        if (Files.isDirectory(folder)) {
            try (var scripts = Files.list(folder)) {
                for (Path script : scripts.sorted().toList()) {
                    startScript(script, Files.readString(script));
                }
            }
        }
    }

    /** Runs by its interpreter, also where the disk is mounted noexec. */
    private void startScript(Path script, String text) {
        String line = text.lines().findFirst().orElse("#!/bin/sh").substring(2).strip();
        String[] interpreter = line.isEmpty() ? new String[] {"/bin/sh"} : line.split("\\s+", 2);
        try {
            if (interpreter.length == 1) {
                processes.startDetached(interpreter[0], script.toString());
            } else {
                processes.startDetached(interpreter[0], interpreter[1], script.toString());
            }
        } catch (IOException cannotStart) {
            console("user data: " + cannotStart.getMessage());
        }
    }

    private UserData prepare() throws IOException {
        UserData data = UserData.parse(Files.readString(directory.resolve("user-data")));
        data.remarks().forEach(this::console);
        if (!data.hostKey().isEmpty()) {
            StateDirectory.write(directory.resolve("hostkey"), data.hostKey());
        }
        if (!data.authorizedKeys().isEmpty()) {
            StateDirectory.write(
                    directory.resolve("home/.ssh/authorized_keys"), String.join("\n", data.authorizedKeys()) + "\n");
        }
        return data;
    }

    private void startSsh() throws IOException {
        ssh = InstanceSshServer.start(instance, directory, this::startCommand, isInstanceAddress);
    }

    private Process startCommand(String command) throws IOException {
        lock.lock();
        try {
            if (instance.state() != Instance.State.RUNNING) {
                throw new IOException("the instance is " + instance.state());
            }
            Process process = processes.command("/bin/sh", "-c", command).start();
            processes.remember(process.toHandle());
            return process;
        } finally {
            lock.unlock();
        }
    }

    /** After a restart of the cloud: goes on with what lives. @return whether it still does */
    boolean adopt() throws IOException {
        lock.lock();
        try {
            if (!instance.process() || instance.state() != Instance.State.RUNNING) {
                return true;
            }
            if (!processes.owns(instance.initPid())) {
                return false;
            }
            startSsh();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Tells the instance that it is taken back at that time, and sees to it; or hints that it may be. An instance reads it in
     * the file {@code notice} of its disk: {@code reclaim SECONDS} or {@code rebalance SECONDS}, of the epoch.
     */
    void notice(Instant at, boolean certain) throws IOException {
        lock.lock();
        try {
            if (instance.state() == Instance.State.RUNNING) {
                StateDirectory.write(
                        directory.resolve("notice"),
                        (certain ? "reclaim " : "rebalance ") + at.getEpochSecond() + "\n");
                if (certain) {
                    save(instance.endingAt(at));
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** The notice that it was given; empty for none. */
    Optional<InstanceMetadata.Notice> noticed() throws IOException {
        Path file = directory.resolve("notice");
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        String[] words = Files.readString(file).strip().split(" ", 2);
        return Optional.of(new InstanceMetadata.Notice(
                words[0].equals("reclaim"), Instant.ofEpochSecond(Long.parseLong(words[1]))));
    }

    boolean hasPower() {
        InstanceRecord now = instance;
        return !now.process() || now.state() != Instance.State.RUNNING || processes.owns(now.initPid());
    }

    /** Writes the intent to end, or to stop, before anything is ended. @return false if there is nothing to do */
    boolean begin(Instance.State state, InstanceRecord.Ending ending, String why) throws IOException {
        lock.lock();
        try {
            Instance.State now = instance.state();
            boolean possible = switch (state) {
                case TERMINATING -> now != Instance.State.TERMINATED && now != Instance.State.TERMINATING;
                case STOPPING -> now == Instance.State.PENDING || now == Instance.State.RUNNING;
                case PENDING -> now == Instance.State.STOPPED;
                case RUNNING, STOPPED, TERMINATED -> false;
            };
            if (possible) {
                save(instance.with(state, why, ending));
            }
            return possible;
        } finally {
            lock.unlock();
        }
    }

    /** The instance was promised, and cannot be had: it stays off, to be ended. */
    void fail() throws IOException {
        lock.lock();
        try {
            if (instance.state() == Instance.State.PENDING) {
                save(instance.with(Instance.State.STOPPED, "no valid host: " + instance.failure()));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Powers a stopped instance on at that time; does nothing to any other. */
    void bootAt(Instant at) throws IOException {
        lock.lock();
        try {
            if (instance.state() == Instance.State.STOPPED) {
                save(instance.booting(at));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends everything that runs, then writes that it has ended or stopped. May be repeated. */
    void powerOff(Instant now) throws IOException {
        lock.lock();
        try {
            if (instance.process()) {
                disconnect();
                processes.killAll();
            }
            if (instance.state() == Instance.State.STOPPING) {
                save(instance.with(Instance.State.STOPPED, instance.reason()));
            } else if (instance.state() == Instance.State.TERMINATING) {
                // First the disk: after a crash in between, the ending is done again.
                if (instance.process()) {
                    eraseDisk();
                }
                save(instance.ended(now));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Kills everything without a word to anybody. */
    void cutPower() throws IOException {
        lock.lock();
        try {
            disconnect();
            processes.killAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the connections that the SSH server has, and takes no other until then; what runs is not touched. */
    void cutLink(Instant until) throws IOException {
        lock.lock();
        try {
            linkCutUntil = until;
            disconnect();
        } finally {
            lock.unlock();
        }
    }

    private void mendLink(Instant now) throws IOException {
        lock.lock();
        try {
            boolean runs = instance.state() == Instance.State.RUNNING && processes.owns(instance.initPid());
            if (ssh == null && runs && !now.isBefore(linkCutUntil)) {
                startSsh();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Closes the SSH server; the instance runs on. */
    void disconnect() throws IOException {
        InstanceSshServer server = ssh;
        ssh = null;
        if (server != null) {
            server.close();
        }
    }

    /** All but record and console. */
    private void eraseDisk() throws IOException {
        deleteTrees(Stream.of(
                        "home",
                        "bin",
                        "user-data",
                        "hostkey",
                        "gpus",
                        "spot",
                        "notice",
                        "first-boot",
                        "work",
                        "images",
                        "spillway")
                .map(directory::resolve)
                .toList());
    }

    static void deleteTree(Path root) throws IOException {
        deleteTrees(List.of(root));
    }

    /** By rm, which goes from open folder to open folder: a job may swap a folder for a link meanwhile. */
    private static void deleteTrees(List<Path> roots) throws IOException {
        Process rm = new ProcessBuilder(Stream.concat(
                                Stream.of("rm", "-rf", "--"), roots.stream().map(Path::toString))
                        .toList())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            if (!rm.waitFor(DELETE_SECONDS, TimeUnit.SECONDS)) {
                rm.destroyForcibly();
                throw new IOException(roots + " could not be removed within " + DELETE_SECONDS + " s");
            }
            if (rm.exitValue() != 0) {
                throw new IOException(roots + " could not be removed");
            }
        } catch (InterruptedException e) {
            rm.destroyForcibly();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Regular look: learns new processes, mends the link, keeps the console bounded by dropping its older half. */
    void look(Instant now) throws IOException {
        if (!instance.process() || instance.state() != Instance.State.RUNNING) {
            return;
        }
        processes.look();
        mendLink(now);
        Path file = directory.resolve("console.log");
        if (Files.exists(file) && Files.size(file) > MAX_CONSOLE_BYTES) {
            byte[] all = Files.readAllBytes(file);
            int keep = (int) MAX_CONSOLE_BYTES / 2;
            byte[] tail = java.util.Arrays.copyOfRange(all, all.length - keep, all.length);
            // Writers append, so they go on behind what is kept.
            Files.write(file, tail, StandardOpenOption.TRUNCATE_EXISTING);
        }
    }

    /** The last {@code limitBytes} of the console. */
    String console(int limitBytes) throws IOException {
        Path file = directory.resolve("console.log");
        if (!Files.exists(file)) {
            return "";
        }
        byte[] all = Files.readAllBytes(file);
        int from = Math.max(0, all.length - limitBytes);
        return new String(all, from, all.length - from, StandardCharsets.UTF_8);
    }

    private void console(String line) {
        try {
            Files.writeString(
                    directory.resolve("console.log"),
                    line + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException full) {
            throw new java.io.UncheckedIOException(full);
        }
    }

    void retag(java.util.Map<String, String> tags) throws IOException {
        lock.lock();
        try {
            save(instance.tagged(tags));
        } finally {
            lock.unlock();
        }
    }

    private void save(InstanceRecord next) throws IOException {
        if (next.process()) {
            StateDirectory.write(directory.resolve("instance.json"), StateDirectory.JSON.writeValueAsString(next));
        } else {
            paper.write(List.of(next));
        }
        instance = next;
    }
}
