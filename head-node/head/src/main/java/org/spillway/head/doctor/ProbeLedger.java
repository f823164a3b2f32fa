package org.spillway.head.doctor;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.spillway.api.Json;
import org.spillway.policy.Offering;

/** Machines that were launched to look at them: a file of lines, each on disk before what follows from it is done. */
public final class ProbeLedger {
    static final String NAME = "doctor-launches.jsonl";
    private static final Set<StandardOpenOption> AT_THE_END =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND, StandardOpenOption.WRITE);

    private final Path file;
    private final String site;

    /** @param stateDirectory of the head */
    public ProbeLedger(Path stateDirectory, String site) {
        this.file = stateDirectory.resolve(NAME);
        this.site = site;
    }

    void begun(String intent, Offering offering, Instant at) throws IOException {
        Path folder = file.getParent();
        if (folder != null) {
            Files.createDirectories(folder);
        }
        write(
                intent,
                Map.of(
                        "begun", at.toString(),
                        "offering", offering.id().toString(),
                        "pricePerHour", offering.pricePerHour().toString()));
    }

    /** @param instance the provider's id; empty for none */
    void ended(String intent, String instance, String how, Instant at) throws IOException {
        write(intent, Map.of("ended", at.toString(), "instance", instance, "how", how));
    }

    /** Nobody has proven its end: it stays open, until a later look has. */
    void unproven(String intent, String instance, Instant at) throws IOException {
        write(intent, Map.of("asked", at.toString(), "instance", instance, "how", "not proven to have ended"));
    }

    private void write(String intent, Map<String, String> more) throws IOException {
        Map<String, String> row = new LinkedHashMap<>();
        row.put("site", site);
        row.put("intent", intent);
        row.putAll(new TreeMap<>(more));
        byte[] line = (Json.write(row) + "\n").getBytes(StandardCharsets.UTF_8);
        try (FileChannel out = FileChannel.open(
                file, AT_THE_END, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            out.write(ByteBuffer.wrap(line));
            out.force(true);
        }
    }

    /** Intents of the site that were begun, and whose end is not written: those of looks that were broken off. */
    Set<String> open() throws IOException {
        Set<String> open = new TreeSet<>();
        if (Files.exists(file)) {
            for (String line : Files.readAllLines(file)) {
                // A line that a full disk has cut says nothing.
                if (line.endsWith("}")) {
                    Row row = Json.read(line.getBytes(StandardCharsets.UTF_8), Row.class);
                    if (row.site.equals(site) && row.ended == null) {
                        open.add(row.intent);
                    } else if (row.site.equals(site)) {
                        open.remove(row.intent);
                    }
                }
            }
        }
        return open;
    }

    private record Row(String site, String intent, @Nullable String ended) {}
}
