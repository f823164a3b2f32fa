package org.spillway.director;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.director.wire.NodeLogs;

/**
 * Words of nodes about themselves that the head has not fetched yet, in memory. Each node has a rate and a room of its
 * own; when all of them are too much, the one that holds most gives way. {@code now} is by a clock that never jumps.
 */
final class NodeLogShelf {
    static final long MOST_OF_A_NODE = 512 * 1024;
    /** So much at once, and so much a second from then on: what any log says that somebody will read. */
    static final long BURST_BYTES = 1024 * 1024;

    static final long BYTES_PER_SECOND = 16 * 1024;

    private static final long MOST_OF_AN_ANSWER = 1024 * 1024;
    private static final Pattern CURSOR = Pattern.compile("([0-9a-f-]{36})\\.([0-9]{1,18})");

    private final long most;
    private final String id = UUID.randomUUID().toString();
    /** By number, oldest first. */
    private final NavigableMap<Long, NodeLogs.Piece> held = new TreeMap<>();

    private final Map<String, Room> rooms = new HashMap<>();
    private long numbers;
    private long bytes;

    private static final class Room {
        private final Deque<Long> numbers = new ArrayDeque<>();
        private long bytes;
        private long left = BURST_BYTES;
        private Instant at;

        Room(Instant now) {
            this.at = now;
        }

        /** Whether that much may come now. */
        boolean admits(long wanted, Instant now) {
            long seconds = Math.max(0, Duration.between(at, now).toSeconds());
            if (seconds > 0) {
                left = Math.min(BURST_BYTES, left + Math.min(seconds, 3600) * BYTES_PER_SECOND);
                at = at.plusSeconds(seconds);
            }
            if (wanted > left) {
                return false;
            }
            left -= wanted;
            return true;
        }
    }

    NodeLogShelf() {
        this(Math.min(64L * 1024 * 1024, Runtime.getRuntime().maxMemory() / 8));
    }

    NodeLogShelf(long most) {
        this.most = most;
    }

    /** Random with each process: a node that knew another one has to say its latest again. */
    String id() {
        return id;
    }

    /** @return false for a node that says too much: nothing of it is taken, and it may say the latest later */
    synchronized boolean add(String node, List<NodeLogs.Piece> pieces, Instant now) {
        long size = pieces.stream().mapToLong(NodeLogShelf::size).sum();
        Room room = rooms.computeIfAbsent(node, any -> new Room(now));
        if (!room.admits(size, now)) {
            return false;
        }
        for (NodeLogs.Piece piece : pieces) {
            held.put(++numbers, piece);
            room.numbers.add(numbers);
            room.bytes += size(piece);
            bytes += size(piece);
        }
        while (room.bytes > MOST_OF_A_NODE) {
            dropOldest(room);
        }
        while (bytes > most) {
            dropOldest(rooms.values().stream()
                    .max(Comparator.comparingLong(one -> one.bytes))
                    .orElseThrow());
        }
        return true;
    }

    /** The pieces behind a cursor of this process, and all for one of another. Those before it are forgotten. */
    synchronized NodeLogs after(String cursor, Instant now) {
        Matcher known = CURSOR.matcher(cursor);
        if (known.matches() && known.group(1).equals(id)) {
            long told = Long.parseLong(known.group(2));
            while (!held.isEmpty() && held.firstKey() <= told) {
                dropOldest(room(held.firstEntry().getValue()));
            }
        }
        rooms.values().removeIf(room -> room.numbers.isEmpty() && room.admits(BURST_BYTES, now));
        List<NodeLogs.Piece> answer = new ArrayList<>();
        long size = 0;
        long last = held.isEmpty() ? numbers : held.firstKey() - 1;
        for (Map.Entry<Long, NodeLogs.Piece> next : held.entrySet()) {
            size += size(next.getValue());
            if (size > MOST_OF_AN_ANSWER && !answer.isEmpty()) {
                break;
            }
            answer.add(next.getValue());
            last = next.getKey();
        }
        return new NodeLogs(id + "." + last, answer.size() < held.size(), answer);
    }

    private Room room(NodeLogs.Piece piece) {
        Room room = rooms.get(piece.node());
        if (room == null) {
            throw new IllegalStateException("a piece without room");
        }
        return room;
    }

    private void dropOldest(Room room) {
        NodeLogs.Piece gone = held.remove(room.numbers.remove());
        if (gone != null) {
            room.bytes -= size(gone);
            bytes -= size(gone);
        }
    }

    /** With what an entry takes besides: many small ones are not free. */
    private static long size(NodeLogs.Piece piece) {
        return piece.bytes().length + 200L;
    }
}
