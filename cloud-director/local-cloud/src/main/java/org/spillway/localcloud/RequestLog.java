package org.spillway.localcloud;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Instant;

/** A log with a line for each request, without bodies or headers; at most two files of 1 MiB. */
final class RequestLog {
    private static final long MAX_BYTES = 1 << 20;
    private static final int MAX_NOTE = 300;
    private final Path file;

    RequestLog(Path file) {
        this.file = file;
    }

    synchronized void write(Instant now, HttpExchange exchange, String note, long beginNanos) throws IOException {
        if (Files.exists(file) && Files.size(file) > MAX_BYTES) {
            Files.move(file, file.resolveSibling(file.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
        }
        if (!Files.exists(file)) {
            StateDirectory.write(file, "");
        }
        long millis = (System.nanoTime() - beginNanos) / 1_000_000;
        String line = now + " " + exchange.getRequestMethod() + " "
                + exchange.getRequestURI().getPath() + " " + note.replaceAll("\\p{Cntrl}", " ");
        Files.writeString(
                file,
                line.substring(0, Math.min(line.length(), MAX_NOTE)) + " " + millis + " ms\n",
                StandardOpenOption.APPEND);
    }
}
