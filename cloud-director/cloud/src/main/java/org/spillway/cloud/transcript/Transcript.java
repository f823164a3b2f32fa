package org.spillway.cloud.transcript;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.RecordedCall;
import org.spillway.cloud.Recorder;
import org.spillway.cloud.SiteSettings;

/**
 * A file of exchanges, a line of JSON each, in the order in which they ended. Its lines have one of the keys {@code
 * transcript} (the format's version, once), {@code site}, {@code exchange} and {@code finding}.
 */
public final class Transcript implements AutoCloseable {
    public static final int VERSION = 1;
    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);
    /** A secret is in a file whose option says so; these are files of another kind. */
    private static final Set<String> OPEN_FILES = Set.of("caFile", "publicKeyFile");

    private static final int MOST_SECRET_BYTES = 64 << 10;
    /** A region's name in such a file is none. */
    private static final int SHORTEST_WORD = 16;

    private final BufferedWriter out;
    private final Map<String, Cleaner> cleaners = new ConcurrentHashMap<>();
    private int exchanges;
    private @Nullable IOException failure;

    private Transcript(BufferedWriter out) {
        this.out = out;
    }

    /** @throws java.nio.file.FileAlreadyExistsException if there is such a file */
    public static Transcript create(Path file, String release) throws IOException {
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Transcript made = new Transcript(
                Files.newBufferedWriter(file, StandardCharsets.UTF_8, StandardOpenOption.TRUNCATE_EXISTING));
        made.line(Map.of("transcript", VERSION, "release", release));
        return made;
    }

    /** Notes of one site. */
    public Recorder of(String driver, SiteSettings site) {
        List<String> told = told(site);
        Secrets secrets = new Secrets(told);
        Map<String, String> options = new TreeMap<>();
        site.options().forEach((key, value) -> options.put(key, secrets.without(value)));
        line(Map.of("site", site.site(), "driver", driver, "cluster", site.cluster(), "options", options));
        Cleaner cleaner = new Cleaner(told);
        cleaners.put(site.site(), cleaner);
        return exchange -> noted(site.site(), cleaner.clean(exchange));
    }

    private synchronized void noted(String site, RecordedCall clean) {
        exchanges++;
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("method", clean.method());
        row.put("url", clean.url());
        row.put("sent", clean.sent());
        row.put("body", clean.body());
        row.put("status", clean.status());
        row.put("heard", clean.heard());
        row.put("answer", clean.answer());
        row.put("failure", clean.failure());
        line(Map.of("exchange", row, "of", site));
    }

    /** A conclusion that was drawn from what stands above it. */
    public void found(String site, Finding finding) {
        Cleaner known = cleaners.get(site);
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("check", finding.check());
        row.put("verdict", finding.verdict());
        row.put("detail", known == null ? finding.detail() : known.clean(finding.detail()));
        row.put("repair", finding.repair());
        line(Map.of("finding", row, "of", site));
    }

    /** How many are noted. */
    public synchronized int exchanges() {
        return exchanges;
    }

    /** A full disk ends the transcript, and not the calls: one of them may end a machine. */
    private synchronized void line(Map<String, ?> row) {
        if (failure != null) {
            return;
        }
        try {
            out.write(JSON.writeValueAsString(row));
            out.newLine();
            out.flush();
        } catch (IOException full) {
            failure = full;
        }
    }

    /** Why it is not whole; null when it is. */
    public synchronized @Nullable IOException failure() {
        return failure;
    }

    /** Words of the files that the options name for secrets. */
    private static List<String> told(SiteSettings site) {
        List<String> words = new ArrayList<>();
        site.options().forEach((key, value) -> {
            Path file = site.stateDirectory().resolve(value);
            try {
                if (key.endsWith("File") && !OPEN_FILES.contains(key) && Files.size(file) <= MOST_SECRET_BYTES) {
                    String text = Files.readString(file);
                    words.add(text.strip());
                    Arrays.stream(text.split("[\\s=\"':,;]+", -1))
                            .filter(word -> word.length() >= SHORTEST_WORD)
                            .forEach(words::add);
                }
            } catch (IOException unreadable) {
                // The driver cannot read it either, and sends nothing of it.
            }
        });
        return words;
    }

    @Override
    public synchronized void close() throws IOException {
        try {
            out.close();
        } catch (IOException full) {
            if (failure == null) {
                throw full;
            }
        }
    }
}
