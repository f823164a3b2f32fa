package org.spillway.scaler.simulate.log;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;

/**
 * A log in a file: plain, gzipped, or in a (gzipped) tar archive with the machines beside it. What it is is told by what
 * is in it, not by its name.
 */
public final class LogFile {
    private static final int PEEK = 1 << 16;
    private static final String SQLITE = "SQLite format 3\0";
    private static final String KNOWN =
            "known: Standard Workload Format, the output of 'sacct -P', the Philly CSV, a head's journal";

    private final Path file;
    private final String name;

    public LogFile(Path file) {
        this.file = file;
        this.name = String.valueOf(file.getFileName());
    }

    /** The format that the file seems to have; empty when it looks like nothing that is known. */
    public Optional<LogFormat> format() throws IOException {
        try (InputStream in = plain()) {
            byte[] start = in.readNBytes(PEEK);
            if (isTar(start)) {
                return Optional.of(LogFormat.SWF);
            }
            return Optional.ofNullable(formatOf(new String(start, StandardCharsets.UTF_8)));
        } catch (ZipException broken) {
            throw new IOException(name + " is broken: " + broken.getMessage(), broken);
        }
    }

    /**
     * Reads all of it, but not a journal.
     *
     * @param as null for what {@link #format} says
     * @param lenient whether broken lines are skipped and counted
     * @throws BrokenLog if there are broken lines, or no job, or it is of no known kind
     */
    public WorkloadLog read(@Nullable LogFormat as, boolean lenient) throws IOException, BrokenLog {
        LogFormat format = as != null
                ? as
                : format().orElseThrow(
                                () -> new BrokenLog(name + " is no log that is known; " + KNOWN, List.of(), false));
        Collected collected = new Collected(name, format);
        try (InputStream in = plain()) {
            in.mark(PEEK);
            boolean tar = isTar(in.readNBytes(1024));
            in.reset();
            if (tar) {
                fromArchive(in, format, collected);
            } else {
                reader(format, List.of()).read(lines(in), collected);
            }
        } catch (ZipException broken) {
            throw new BrokenLog(name + " is broken: " + broken.getMessage(), List.of(), false);
        }
        return collected.done(lenient);
    }

    /** Twice through the archive: the machines may stand behind the log. */
    private void fromArchive(InputStream first, LogFormat format, Collected into) throws IOException, BrokenLog {
        List<NodeGroup> machines = List.of();
        int logs = 0;
        var names = new TarArchiveInputStream(first);
        for (TarArchiveEntry entry = names.getNextEntry(); entry != null; entry = names.getNextEntry()) {
            if (entry.isFile() && entry.getName().endsWith(".machines")) {
                machines = MachinesFile.read(last(entry), lines(names));
            } else if (entry.isFile()) {
                logs++;
            }
        }
        if (logs != 1) {
            throw new BrokenLog(name + " has " + logs + " logs in it; allowed: one", List.of(), false);
        }
        try (InputStream again = plain()) {
            var logIn = new TarArchiveInputStream(again);
            for (TarArchiveEntry entry = logIn.getNextEntry(); entry != null; entry = logIn.getNextEntry()) {
                if (entry.isFile() && !entry.getName().endsWith(".machines")) {
                    reader(format, machines).read(lines(logIn), into);
                }
            }
        }
    }

    private static String last(TarArchiveEntry entry) {
        return entry.getName().substring(entry.getName().lastIndexOf('/') + 1);
    }

    private static LogReader reader(LogFormat format, List<NodeGroup> machines) throws BrokenLog {
        return switch (format) {
            case SWF -> new SwfReader(machines);
            case SACCT -> new SacctReader();
            case PHILLY -> new PhillyReader();
            case JOURNAL -> throw new BrokenLog("a journal is read by the head", List.of(), false);
        };
    }

    private static Lines lines(InputStream in) {
        return new Lines(new InputStreamReader(in, StandardCharsets.UTF_8));
    }

    private InputStream plain() throws IOException {
        InputStream in = new BufferedInputStream(Files.newInputStream(file), PEEK);
        try {
            in.mark(2);
            boolean zipped = in.read() == 0x1f && in.read() == 0x8b;
            in.reset();
            return zipped ? new BufferedInputStream(new GZIPInputStream(in, PEEK), PEEK) : in;
        } catch (IOException unreadable) {
            in.close();
            throw unreadable;
        }
    }

    private static boolean isTar(byte[] start) {
        return start.length > 262 && new String(start, 257, 5, StandardCharsets.US_ASCII).equals("ustar");
    }

    private static @Nullable LogFormat formatOf(String start) {
        if (start.startsWith(SQLITE)) {
            return LogFormat.JOURNAL;
        }
        String first = start.lines().filter(line -> !line.isBlank()).findFirst().orElse("");
        if (first.strip().equals(PhillyReader.HEADER)) {
            return LogFormat.PHILLY;
        }
        if (SacctReader.isHeader(first)) {
            return LogFormat.SACCT;
        }
        boolean numbers = start.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith(";"))
                .limit(10)
                .anyMatch(line -> line.matches("-?\\d+(\\s+\\S+){17,}"));
        return first.strip().startsWith(";") || numbers ? LogFormat.SWF : null;
    }
}
