package org.spillway.stage.worker;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A hidden list of what the rounds of a running job have put in its places: name in the job's folder, place at home, and
 * what that file was. A line for each file of each round, ROUND STATE TAB NAME TAB PLACE; a later round is about a name
 * what an earlier one was no more.
 */
final class RoundList {
    private static final long BYTES_MAX = 256L << 20;
    /** Stands in place of a state: the round's file is not in its place. */
    private static final String UNPLACED = "-";

    private RoundList() {}

    /**
     * A file of a round.
     *
     * @param state as {@link #state} had it when it was in its place; {@value #UNPLACED} for not in its place
     */
    record Line(int round, String state, String name, String place) {
        boolean isPlaced() {
            return !state.equals(UNPLACED);
        }
    }

    /** A file that came home in a round. @param state of {@code path} when it was put there */
    record Member(String name, Path path, String state) {}

    /** Inode, size and time of a regular file, by which it is seen that nobody has touched it; null for anything else. */
    static @Nullable String state(Path file) throws IOException {
        PosixFileAttributes facts = WorkerFiles.facts(file);
        if (facts == null || !facts.isRegularFile()) {
            return null;
        }
        long modified = facts.lastModifiedTime().to(TimeUnit.NANOSECONDS);
        return facts.size() + ":" + modified + ":" + Files.getAttribute(file, "unix:ino", NOFOLLOW_LINKS);
    }

    /**
     * Adds a round's lines; on disk when it returns. A round may be added again.
     *
     * @param list at its end
     */
    static void add(FileChannel list, int round, Map<String, Path> placed, Map<String, Path> unplaced)
            throws IOException {
        StringBuilder lines = new StringBuilder();
        for (Map.Entry<String, Path> file : placed.entrySet()) {
            String state = state(file.getValue());
            line(lines, round, state == null ? UNPLACED : state, file);
        }
        for (Map.Entry<String, Path> file : unplaced.entrySet()) {
            line(lines, round, UNPLACED, file);
        }
        // A line that a killed writer has cut off is ended here, and read as none.
        ByteBuffer bytes = ByteBuffer.wrap(("\n" + lines).getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            list.write(bytes);
        }
        list.force(true);
    }

    private static void line(StringBuilder lines, int round, String state, Map.Entry<String, Path> file) {
        String place = file.getValue().toString();
        boolean sayable = place.chars().noneMatch(Character::isISOControl);
        lines.append(round)
                .append(' ')
                .append(sayable ? state : UNPLACED)
                .append('\t')
                .append(file.getKey())
                .append('\t')
                .append(sayable ? place : "")
                .append("\t.\n");
    }

    /**
     * The files of all rounds, each as its latest round has it, by name.
     *
     * @param lists one for each folder in which rounds were brought; those that are absent have none
     * @throws FileRefused if there is none, or a file of a round was never put in its place
     */
    static List<Member> read(List<Path> lists) throws IOException {
        Map<String, Line> latest = new TreeMap<>();
        for (Path list : lists) {
            PosixFileAttributes facts = WorkerFiles.facts(list);
            if (facts != null && facts.isRegularFile()) {
                if (facts.size() > BYTES_MAX) {
                    throw new FileRefused(WorkerFiles.say(list) + ": the rounds had too many files");
                }
                try (Stream<String> text = Files.lines(list, StandardCharsets.UTF_8)) {
                    text.map(RoundList::parse).forEach(line -> {
                        if (line != null) {
                            latest.merge(line.name(), line, (one, other) -> other.round() < one.round() ? one : other);
                        }
                    });
                }
            }
        }
        if (latest.isEmpty()) {
            throw new FileRefused(WorkerFiles.say(lists.getFirst()) + ": nothing is known of what came home");
        }
        List<Member> members = new ArrayList<>();
        Set<String> places = new HashSet<>();
        for (Line line : latest.values()) {
            if (!line.isPlaced()) {
                throw new FileRefused(Bundles.say(line.name()) + ": came home and is not in its place");
            }
            if (!places.add(line.place())) {
                throw new FileRefused(Bundles.say(line.place()) + ": has been the place of two files");
            }
            members.add(new Member(line.name(), Path.of(line.place()), line.state()));
        }
        return members;
    }

    /** Null for a line that was cut off, and for none. */
    private static @Nullable Line parse(String text) {
        String[] parts = text.split("\t", -1);
        if (parts.length != 4 || !parts[3].equals(".") || !parts[0].matches("[0-9]{1,9} \\S+")) {
            return null;
        }
        int space = parts[0].indexOf(' ');
        return new Line(
                Integer.parseInt(parts[0].substring(0, space)), parts[0].substring(space + 1), parts[1], parts[2]);
    }
}
