package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where it was measured.
 *
 * @param cores that this process may use
 * @param memoryBytes of the machine
 * @param loadAverage of the last minute: figures taken on a busy machine say so
 */
public record Machine(int cores, long memoryBytes, String java, double loadAverage) {
    static Machine here() throws IOException {
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                memoryBytes(Files.readString(Path.of("/proc/meminfo")), "MemTotal"),
                Runtime.version().toString(),
                Double.parseDouble(Files.readString(Path.of("/proc/loadavg")).split(" ", 2)[0]));
    }

    /** A field of /proc/meminfo or /proc/PID/status, whose unit is always kB. */
    static long memoryBytes(String text, String field) throws IOException {
        return text.lines()
                .filter(line -> line.startsWith(field + ":"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
                .findFirst()
                .orElseThrow(() -> new IOException("no field " + field));
    }
}
