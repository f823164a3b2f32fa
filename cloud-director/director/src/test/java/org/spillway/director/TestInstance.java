package org.spillway.director;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;

/** An instance as the local cloud makes them: a directory, a loopback address, and processes with a mark. */
final class TestInstance implements AutoCloseable {
    final String id;
    final Path disk;
    private final String address;
    private final List<String> prefix;

    TestInstance(Path folder, String id, String address, List<String> prefix) throws IOException {
        this.id = id;
        this.address = address;
        this.prefix = prefix;
        this.disk = Files.createDirectories(folder.resolve(id));
        disk.toFile().setExecutable(true, false);
        program("poweroff", "#!/bin/sh\n: >\"$SPILLWAY_INSTANCE_DIR/powered-off\"\n");
    }

    /** A program that this instance finds before the machine's own; users, too. */
    void program(String name, String text) throws IOException {
        Path file = Files.createDirectories(disk.resolve("bin")).resolve(name);
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    Process boot(String userData) throws IOException {
        Path script = disk.resolve("user-data");
        Files.writeString(script, userData);
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rw-------"));
        Files.setOwner(script, Files.getOwner(disk));
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of("sh", script.toString()));
        var builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(disk.resolve("console").toFile()));
        builder.environment().clear();
        builder.environment().put("PATH", disk.resolve("bin") + ":/usr/sbin:/usr/bin:/sbin:/bin");
        builder.environment().put("SPILLWAY_INSTANCE_ID", id);
        builder.environment().put("SPILLWAY_INSTANCE_ADDRESS", address);
        builder.environment().put("SPILLWAY_INSTANCE_DIR", disk.toString());
        return builder.start();
    }

    boolean poweredOff() {
        return Files.exists(disk.resolve("powered-off"));
    }

    String console() throws IOException {
        Path log = disk.resolve("spillway/log");
        return Files.readString(disk.resolve("console")) + (Files.exists(log) ? Files.readString(log) : "");
    }

    /** Pulls the plug: only processes that bear this instance's mark. */
    @Override
    public void close() {
        String mark = "SPILLWAY_INSTANCE_ID=" + id + "\0";
        for (int round = 0; round < 3; round++) {
            ProcessHandle.allProcesses()
                    .filter(process -> bears(process, mark))
                    .forEach(ProcessHandle::destroyForcibly);
        }
    }

    private boolean bears(ProcessHandle process, String mark) {
        try {
            String environment = Files.readString(
                    Path.of("/proc", Long.toString(process.pid()), "environ"), StandardCharsets.ISO_8859_1);
            return environment.contains(mark);
        } catch (IOException gone) {
            return false;
        }
    }
}
