package org.spillway.proof.faultsim;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A run that reads files of its user's home, each piece by piece, and writes below it, with the line of its node that asks the next
 * director for what the last one has not answered.
 */
final class SimReads {
    /** As long as a node waits for a file to be opened; for bytes and names it waits as long as there is a run. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** How old a look at a file may be when it is opened: ten seconds in the region's memory, and the way of a late answer. */
    private static final Duration STALE = Duration.ofSeconds(10).plusMillis(SimReach.MOST_LATE_MILLIS + 2_000);

    private static final int PIECES = 5;
    private static final int PIECE = 512;
    /** Bytes of the attributes that come with what was opened. */
    private static final int ATTRIBUTES = 32;

    private static final int NO_SUCH_FILE = 2;
    private static final int DENIED = 3;
    private static final int FAILURE = 4;
    private static final int IO_ERROR = 100;

    final SimNode.Run run;
    final SimNode node;
    final SimSite site;
    /** Of this run, and what is in its upper layer: the latter comes home. */
    final List<String> acknowledged = new ArrayList<>();

    final List<String> upper = new ArrayList<>();

    private final SimReach reach;
    private final Draw draw;
    private @Nullable SimWire wire;
    private int files;
    private int retries = 2;
    private boolean failed;

    /** The file that is open or about to be. */
    private int file;

    private Instant openedAt = Instant.MIN;
    private String handle = "";
    private int state = -1;
    private int piece;

    /** The present question: its type, 0 for none; since when; whether it is on the wire. */
    private int asked;

    private Instant askedAt = Instant.MIN;
    private boolean sent;
    private int ids;

    SimReads(SimReach reach, SimSite site, SimNode node, SimNode.Run run, Draw draw) {
        this.reach = reach;
        this.site = site;
        this.node = node;
        this.run = run;
        this.draw = draw;
        this.files = draw.between(1, 4);
        open();
    }

    boolean isOver() {
        return asked == 0;
    }

    boolean hasFailed() {
        return failed;
    }

    boolean isOn(List<SimWire> wires) {
        return wire != null && wires.contains(wire);
    }

    private void open() {
        file = SimFiles.some(draw);
        openedAt = reach.now();
        handle = "";
        state = -1;
        piece = 0;
        ask(SimWire.LSTAT);
    }

    private void ask(int type) {
        asked = type;
        askedAt = reach.now();
        sent = false;
    }

    /** The director is gone, or the line to it. What was asked is asked again. */
    void cut() {
        if (wire == null) {
            return;
        }
        wire.cut();
        wire = null;
        sent = false;
        reach.settle();
        if (reach.opensAnew() && !handle.isEmpty() && asked != 0) {
            handle = "";
            asked = SimWire.OPEN;
        }
    }

    /** A moment of the run. @param lines makes a line; none where no director is that knows of it */
    void step(Supplier<Optional<SimWire>> lines) {
        if (run.ended || !node.machine.isLive()) {
            cut();
            return;
        }
        if (draw.chance(0.1)) {
            write();
        }
        SimWire open = wire;
        SimWire.Packet answer = open == null || asked == 0 ? null : open.answer();
        if (answer != null && sent) {
            take(answer);
        } else if (open != null && !open.isAlive()) {
            cut();
        }
        if (asked == SimWire.OPEN && askedAt.plus(PATIENCE).isBefore(reach.now())) {
            cut();
            reach.saw("home file not opened in time");
            fails();
        }
        if (asked == 0) {
            cut();
        } else if (!sent) {
            send(lines);
        }
    }

    private void send(Supplier<Optional<SimWire>> lines) {
        if (wire == null) {
            wire = lines.get().orElse(null);
        }
        if (wire != null) {
            String name = handle.isEmpty() ? SimFiles.path(file) : handle;
            wire.ask(asked, ++ids, name, offset(), PIECE);
            sent = true;
            reach.settle();
        }
    }

    private long offset() {
        return (long) piece * Long.BYTES * (SimFiles.bytes(file) / PIECES / Long.BYTES);
    }

    /** No line is needed for it. */
    private void write() {
        String name = "w" + acknowledged.size() + " of " + run.job + "." + run.attempt + " on " + node.id;
        acknowledged.add(name);
        if (!reach.forgetsWrites() || wire != null) {
            upper.add(name);
        }
    }

    private void take(SimWire.Packet answer) {
        int status = answer.status();
        if (status != 0) {
            refused(status);
        } else if (asked == SimWire.LSTAT) {
            ask(SimWire.OPEN);
        } else if (asked == SimWire.OPEN) {
            opened(answer.rest());
        } else {
            if (answer.rest().getInt() != PIECE) {
                throw new Broken("job " + run.job + " was not given " + PIECE + " bytes of its home");
            }
            judge(answer.rest());
            piece++;
            ask(SimWire.READ);
            if (piece == PIECES) {
                next();
            }
        }
    }

    private void opened(ByteBuffer told) {
        told.position(ATTRIBUTES);
        text(told);
        handle = text(told);
        if (!handle.isEmpty()) {
            ask(SimWire.READ);
            return;
        }
        if (told.getInt() != SimFiles.bytes(file)) {
            throw new Broken("job " + run.job + " was not given all of a file of its home");
        }
        int begin = told.position();
        for (; piece < PIECES; piece++) {
            judge(told.position(begin + (int) offset()));
        }
        next();
    }

    private static String text(ByteBuffer told) {
        byte[] words = new byte[told.getInt()];
        told.get(words);
        return new String(words, StandardCharsets.UTF_8);
    }

    private void next() {
        files--;
        if (files > 0) {
            open();
        } else {
            asked = 0;
        }
    }

    /** As a program that is told of an error: some give up, some begin anew. */
    private void fails() {
        if (retries > 0 && draw.chance(0.7)) {
            retries--;
            open();
        } else {
            asked = 0;
            failed = true;
        }
    }

    private void refused(int status) {
        if (status == FAILURE && asked == SimWire.READ) {
            reach.saw("home file not readable for a moment");
            sent = false;
            return;
        }
        boolean changed = reach.files.hasChangedSince(file, openedAt.minus(STALE));
        boolean isOver = reach.isOver(run, String.valueOf(node.id));
        boolean mayBe = (status == IO_ERROR && changed) || ((status == DENIED || status == NO_SUCH_FILE) && isOver);
        if (!mayBe) {
            throw new Broken(
                    "job " + run.job + " was told error " + status + " for a file of its home that had not changed");
        }
        reach.saw("home file changed under its reader");
        fails();
    }

    private void judge(ByteBuffer data) {
        for (int at = 0; at < PIECE; at += Long.BYTES) {
            SimFiles.Word word = SimFiles.Word.of(data.getLong());
            if (word.file() != file || word.at() != offset() + at) {
                throw new Broken("job " + run.job + " read other bytes of its home than it asked for");
            }
            if (state >= 0 && word.state() != state) {
                throw new Broken("job " + run.job + " read bytes of two states of one file of its home");
            }
            state = word.state();
        }
        if (reach.files.until(file, state).isBefore(openedAt.minus(STALE))) {
            throw new Broken(
                    "job " + run.job + " read a file of its home as it had not been for long when it was opened");
        }
        reach.saw("home file read");
    }
}
