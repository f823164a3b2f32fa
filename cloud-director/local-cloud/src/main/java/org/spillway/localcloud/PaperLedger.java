package org.spillway.localcloud;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of instances without a process, of which there may be very many: a line for each change in one file, of
 * which the last one counts. It is rewritten when most of it no longer does.
 */
final class PaperLedger implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PaperLedger.class);
    private static final int MIN_LINES = 50_000;
    private static final int LINES_PER_INSTANCE = 4;
    private final Path file;
    private final Map<String, InstanceRecord> latest = new LinkedHashMap<>();
    private FileOutputStream out;
    private int lines;

    private PaperLedger(Path file) throws IOException {
        this.file = file;
        if (Files.exists(file)) {
            try (var text = Files.lines(file)) {
                text.forEach(this::read);
            }
        }
        out = rewrite();
    }

    static PaperLedger open(Path file) throws IOException {
        return new PaperLedger(file);
    }

    /** A line that was cut by a crash was never told to anybody. */
    private void read(String line) {
        if (!line.isEmpty()) {
            try {
                InstanceRecord instance = StateDirectory.JSON.readValue(line, InstanceRecord.class);
                latest.put(instance.id(), instance);
            } catch (JsonProcessingException cut) {
                LOG.warn("{} has a line that is no record", file);
            }
        }
    }

    synchronized List<InstanceRecord> all() {
        return List.copyOf(latest.values());
    }

    /** In the file when this returns. */
    synchronized void write(Collection<InstanceRecord> records) throws IOException {
        out.write(text(records).getBytes(StandardCharsets.UTF_8));
        records.forEach(instance -> latest.put(instance.id(), instance));
        lines += records.size();
        if (lines > Math.max(MIN_LINES, LINES_PER_INSTANCE * latest.size())) {
            out.close();
            out = rewrite();
        }
    }

    /** The file forgets it when it is rewritten. */
    synchronized void forget(String id) {
        latest.remove(id);
    }

    private FileOutputStream rewrite() throws IOException {
        StateDirectory.write(file, text(latest.values()));
        lines = latest.size();
        return new FileOutputStream(file.toFile(), true);
    }

    /** The line feed comes first, so that a line after one that was cut is whole. */
    private static String text(Collection<InstanceRecord> records) throws IOException {
        try {
            return records.stream().map(PaperLedger::line).collect(Collectors.joining());
        } catch (IllegalStateException unwritable) {
            throw new IOException(unwritable);
        }
    }

    private static String line(InstanceRecord instance) {
        try {
            return "\n" + StateDirectory.JSON.writeValueAsString(instance);
        } catch (JsonProcessingException unwritable) {
            throw new IllegalStateException(unwritable);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        out.close();
    }
}
