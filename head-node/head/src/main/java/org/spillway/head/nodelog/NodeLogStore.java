package org.spillway.head.nodelog;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.spillway.api.NodeLogsView;
import org.spillway.head.nodelog.NodeBoots.Segment;

/**
 * Logs of nodes in {@code FOLDER/NODE/NUMBER-SECOND-BOOT/SOURCE.PLACE}, each file of mode 600 with the bytes from that place
 * on. Appending only: a process that is killed leaves a shorter file, and what it lacks is asked for again. Of each source
 * and boot the last {@link #KEPT_BYTES} are there at least. Thread-safe.
 */
public final class NodeLogStore {
    /** Written by this head, and by no node. */
    public static final String CONSOLE = "console";

    static final int KEPT_BYTES = 256 * 1024;
    private static final int SEGMENT_BYTES = 128 * 1024;
    private static final int MOST_SEGMENTS = 12;
    private static final int MOST_BOOTS = 20;
    private static final int MOST_CONSOLE_BYTES = 64 * 1024;
    private static final long MOST_PLACE = 999_999_999_999_999L;
    /** Of a node that was never heard: its provider's console alone. */
    private static final String UNHEARD = "00000000";

    private static final Pattern NODE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,99}");
    private static final Pattern BOOT = Pattern.compile("[0-9a-f]{8,32}");
    private static final Set<PosixFilePermission> OWN =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private final Path folder;
    private final NodeBoots boots;

    /** @param folder made with mode 700 when it is not there */
    public NodeLogStore(Path folder) {
        this.folder = folder;
        this.boots = new NodeBoots(folder);
    }

    /**
     * Keeps what is new of a piece, without its secrets. May be repeated.
     *
     * @return false for one that no node sends: it is left out
     */
    public synchronized boolean append(String node, String boot, String source, long from, byte[] said, Instant now)
            throws IOException {
        boolean known = NODE.matcher(node).matches()
                && BOOT.matcher(boot).matches()
                && NodeLogsView.SOURCES.contains(source)
                && !source.equals(CONSOLE)
                && from >= 0
                && from < MOST_PLACE - said.length;
        if (!known) {
            return false;
        }
        Path at = of(node, boot, now);
        List<Segment> segments = NodeBoots.segments(at, source);
        long end = segments.isEmpty() ? from : segments.getLast().end();
        if (from + said.length <= end) {
            return true;
        }
        byte[] fresh = LogMask.of(from >= end ? said : Arrays.copyOfRange(said, (int) (end - from), said.length));
        boolean goesOn =
                !segments.isEmpty() && from <= end && segments.getLast().bytes() < SEGMENT_BYTES;
        Path file = goesOn
                ? segments.getLast().file()
                : at.resolve(String.format(Locale.ROOT, "%s.%015d", source, Math.max(from, end)));
        try (var out = Files.newByteChannel(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND),
                PosixFilePermissions.asFileAttribute(OWN))) {
            var bytes = ByteBuffer.wrap(fresh);
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
        }
        if (!goesOn) {
            shorten(NodeBoots.segments(at, source));
        }
        return true;
    }

    private static void shorten(List<Segment> segments) throws IOException {
        long bytes = segments.stream().mapToLong(Segment::bytes).sum();
        int left = segments.size();
        for (Segment oldest : segments) {
            bytes -= oldest.bytes();
            if (bytes < KEPT_BYTES && left <= MOST_SEGMENTS) {
                return;
            }
            Files.deleteIfExists(oldest.file());
            left--;
        }
    }

    /** Keeps the provider's console of a node, with its latest boot. The one of before is gone then. */
    public synchronized void console(String node, String text, Instant now) throws IOException {
        if (!NODE.matcher(node).matches() || text.isBlank()) {
            return;
        }
        List<NodeBoot> known = boots.of(node);
        Path at = known.isEmpty() ? of(node, UNHEARD, now) : known.getLast().folder();
        byte[] all = LogMask.of(text.getBytes(StandardCharsets.UTF_8));
        byte[] last = all.length <= MOST_CONSOLE_BYTES
                ? all
                : Arrays.copyOfRange(all, all.length - MOST_CONSOLE_BYTES, all.length);
        Path draft = at.resolve("draft");
        Files.deleteIfExists(draft);
        Files.createFile(draft, PosixFilePermissions.asFileAttribute(OWN));
        Files.write(draft, last);
        Files.move(
                draft, at.resolve(String.format(Locale.ROOT, "%s.%015d", CONSOLE, 0)), StandardCopyOption.ATOMIC_MOVE);
    }

    private Path of(String node, String boot, Instant now) throws IOException {
        List<NodeBoot> known = boots.of(node);
        Optional<NodeBoot> found =
                known.stream().filter(one -> one.boot().equals(boot)).findFirst();
        if (found.isPresent()) {
            return found.get().folder();
        }
        int number = known.isEmpty() ? 1 : known.getLast().number() + 1;
        Path made = folder.resolve(node)
                .resolve(String.format(Locale.ROOT, "%06d-%d-%s", number, now.getEpochSecond(), boot));
        Files.createDirectories(
                made, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        // A node that is another one each minute has its latest.
        for (int i = 0; i <= known.size() - MOST_BOOTS; i++) {
            NodeBoots.remove(known.get(i).folder());
        }
        return made;
    }

    /** Boots of a node of which something is kept, oldest first; none for one that is not known. */
    public synchronized List<NodeBoot> boots(String node) throws IOException {
        return NODE.matcher(node).matches() ? boots.of(node) : List.of();
    }

    /**
     * A source of one boot as far as it is kept.
     *
     * @param from place of the first byte
     * @param end place behind the last byte
     */
    public record Text(String source, long from, long end, String text) {}

    /** The logs of a boot, each source that it has. Bytes that nobody kept are counted where they lack. */
    public synchronized List<Text> read(NodeBoot boot, List<String> sources) throws IOException {
        List<Text> found = new ArrayList<>();
        for (String source : sources) {
            List<Segment> segments = NodeBoots.segments(boot.folder(), source);
            if (segments.isEmpty()) {
                continue;
            }
            StringBuilder text = new StringBuilder();
            long end = segments.getFirst().from();
            for (Segment segment : segments) {
                if (segment.from() > end) {
                    text.append("[").append(segment.from() - end).append(" bytes of it did not come]\n");
                }
                byte[] bytes = Files.readAllBytes(segment.file());
                text.append(new String(bytes, StandardCharsets.UTF_8));
                end = segment.from() + bytes.length;
            }
            found.add(new Text(source, segments.getFirst().from(), end, text.toString()));
        }
        return found;
    }

    /**
     * Removes boots whose last word is older than that, and the oldest of others until the rest has the room.
     *
     * @param mostBytes for all of them
     */
    public void sweep(Instant now, Duration keptFor, long mostBytes) throws IOException {
        List<NodeBoot> all = new ArrayList<>();
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (Stream<Path> nodes = Files.list(folder)) {
            for (Path node : (Iterable<Path>) nodes::iterator) {
                all.addAll(boots(node.getFileName().toString()));
            }
        }
        Map<NodeBoot, NodeBoot.Kept> extents = new HashMap<>();
        for (NodeBoot boot : all) {
            extents.put(boot, NodeBoots.kept(boot));
        }
        long bytes = extents.values().stream().mapToLong(NodeBoot.Kept::bytes).sum();
        List<Map.Entry<NodeBoot, NodeBoot.Kept>> oldest = extents.entrySet().stream()
                .sorted(Comparator.comparing(one -> one.getValue().lastHeard()))
                .toList();
        for (Map.Entry<NodeBoot, NodeBoot.Kept> next : oldest) {
            if (bytes <= mostBytes && next.getValue().lastHeard().isAfter(now.minus(keptFor))) {
                return;
            }
            bytes -= next.getValue().bytes();
            synchronized (this) {
                NodeBoots.remove(next.getKey().folder());
            }
        }
    }

    /** The extent of a boot on disk. */
    public synchronized NodeBoot.Kept kept(NodeBoot boot) throws IOException {
        return NodeBoots.kept(boot);
    }
}
