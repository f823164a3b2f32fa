package org.spillway.proof.faultsim;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.spillway.stage.reach.Entry;
import org.spillway.stage.reach.Question;
import org.spillway.stage.reach.Reply;
import org.spillway.stage.reach.Reply.Status;

/**
 * Files of a user at home, which that user changes while jobs read them. Each word of eight bytes says of which file, of which state
 * of it, and from where in it: so whoever has read it can be judged.
 */
final class SimFiles {
    static final String HOME = "/home/u";
    private static final String FOLDER = HOME + "/data";
    private static final int FILES = 4;
    /** The first one is; the others are too large to be sent with others. */
    private static final int SMALL = 4096;

    private static final int LARGE = 1 << 20;
    private static final Duration SETTLED = Duration.ofSeconds(10);

    private final SimClock clock;
    private final boolean tellsAnyState;
    /** When each state of it began. */
    private final Map<String, List<Instant>> states = new TreeMap<>();

    /** @param tellsAnyState a planted mistake: whoever reads is not asked which state was opened */
    SimFiles(SimClock clock, boolean tellsAnyState) {
        this.clock = clock;
        this.tellsAnyState = tellsAnyState;
        for (int i = 0; i < FILES; i++) {
            states.put("f" + i, new ArrayList<>(List.of(clock.now().minusSeconds(3600))));
        }
    }

    /** A place in a state of a file. */
    record Word(int file, int state, int at) {
        static Word of(long word) {
            return new Word((int) (word >>> 56), (int) (word >>> 32) & 0xffffff, (int) word);
        }
    }

    static String path(int file) {
        return FOLDER + "/f" + file;
    }

    static int some(Draw draw) {
        return draw.between(0, FILES - 1);
    }

    static int bytes(int file) {
        return file == 0 ? SMALL : LARGE;
    }

    void change(int file) {
        states("f" + file).add(clock.now());
    }

    private List<Instant> states(String name) {
        return Optional.ofNullable(states.get(name)).orElseThrow();
    }

    /** When that state of it was replaced by the next one; the end of time for the present one. */
    Instant until(int file, int state) {
        List<Instant> all = states("f" + file);
        return state + 1 < all.size() ? all.get(state + 1) : Instant.MAX;
    }

    boolean hasChangedSince(int file, Instant when) {
        return !states("f" + file).getLast().isBefore(when);
    }

    private Entry entry(String name) {
        List<Instant> all = states(name);
        Instant since = all.getLast();
        int file = name.charAt(1) - '0';
        return new Entry(
                name,
                0100600,
                1000,
                1000,
                bytes(file),
                since.getEpochSecond(),
                name + " " + all.size(),
                "",
                since.plus(SETTLED).isBefore(clock.now()));
    }

    private byte[] read(Entry file, long offset, int length) {
        long most = Math.min(length, file.bytes() - offset);
        ByteBuffer bytes = ByteBuffer.allocate((int) Math.max(0, most));
        long of = (long) (file.name().charAt(1) - '0') << 56
                | (long) (states(file.name()).size() - 1) << 32;
        for (long at = offset; bytes.remaining() >= Long.BYTES; at += Long.BYTES) {
            bytes.putLong(of | at);
        }
        return bytes.array();
    }

    Reply answer(Question question) {
        String name = question.path().substring(question.path().lastIndexOf('/') + 1);
        boolean isFile = question.path().startsWith(FOLDER + "/");
        if (question.path().equals(FOLDER)) {
            return switch (question.kind()) {
                case STAT -> Reply.of(List.of(Entry.above(name)));
                case LIST -> Reply.of(states.keySet().stream().map(this::entry).toList());
                case WHOLE ->
                    Reply.ofContents(question.files().stream().map(this::whole).toList());
                case READ -> Reply.of(Status.DENIED);
            };
        }
        if (!isFile || !states.containsKey(name)) {
            return Reply.of(Status.NONE);
        }
        Entry file = entry(name);
        return switch (question.kind()) {
            case STAT -> Reply.of(List.of(file));
            case LIST, WHOLE -> Reply.of(Status.NONE);
            case READ ->
                file.identity().equals(question.identity()) || tellsAnyState
                        ? new Reply(Status.OK, read(file, question.offset(), question.length()))
                        : Reply.of(Status.CHANGED);
        };
    }

    private Optional<byte[]> whole(List<String> asked) {
        return Optional.of(asked.getFirst())
                .filter(states::containsKey)
                .map(this::entry)
                .filter(file -> file.identity().equals(asked.getLast()) || tellsAnyState)
                .filter(file -> file.bytes() <= Question.SMALL)
                .map(file -> read(file, 0, (int) file.bytes()));
    }
}
