package org.spillway.head.nodelog;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The folders and files of logs by their names. What has another name is left alone. */
record NodeBoots(Path folder) {
    private static final Pattern BOOT = Pattern.compile("([0-9]{6})-([0-9]{1,12})-([0-9a-f]{8,32})");
    private static final Pattern SEGMENT = Pattern.compile("([a-z]{1,10})\\.([0-9]{15})");

    /** Bytes of one source without a gap. */
    record Segment(Path file, long from, long bytes) {
        long end() {
            return from + bytes;
        }
    }

    /** Oldest first. */
    List<NodeBoot> of(String node) throws IOException {
        List<NodeBoot> found = new ArrayList<>();
        for (Path each : list(folder.resolve(node))) {
            Matcher name = BOOT.matcher(each.getFileName().toString());
            if (name.matches()) {
                Instant first = Instant.ofEpochSecond(Long.parseLong(name.group(2)));
                found.add(new NodeBoot(each, Integer.parseInt(name.group(1)), name.group(3), first));
            }
        }
        found.sort(Comparator.comparingInt(NodeBoot::number));
        return found;
    }

    /** The extent of a boot, as its files tell. */
    static NodeBoot.Kept kept(NodeBoot boot) throws IOException {
        Instant last = boot.firstHeard();
        long bytes = 0;
        for (Path file : list(boot.folder())) {
            try {
                Instant written = Files.getLastModifiedTime(file).toInstant();
                last = written.isAfter(last) ? written : last;
                bytes += Files.size(file);
            } catch (NoSuchFileException gone) {
                // Shortened meanwhile.
            }
        }
        return new NodeBoot.Kept(last, bytes);
    }

    /** By their places. */
    static List<Segment> segments(Path boot, String source) throws IOException {
        List<Segment> found = new ArrayList<>();
        for (Path file : list(boot)) {
            Matcher name = SEGMENT.matcher(file.getFileName().toString());
            if (name.matches() && name.group(1).equals(source)) {
                found.add(new Segment(file, Long.parseLong(name.group(2)), Files.size(file)));
            }
        }
        found.sort(Comparator.comparingLong(Segment::from));
        return found;
    }

    /** A boot with all that is kept of it, and its node's folder behind the last. */
    static void remove(Path boot) throws IOException {
        for (Path file : list(boot)) {
            Files.deleteIfExists(file);
        }
        Files.deleteIfExists(boot);
        Path node = boot.getParent();
        try {
            if (node != null) {
                Files.deleteIfExists(node);
            }
        } catch (DirectoryNotEmptyException others) {
            // Other boots of it are kept.
        }
    }

    private static List<Path> list(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        } catch (NoSuchFileException | NotDirectoryException none) {
            return List.of();
        }
    }
}
