package org.spillway.cli.session;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.spillway.api.session.Session;
import org.spillway.api.session.SessionChannel;
import org.spillway.api.session.SessionRecord;

/** A command in a job's room, with this process's three streams or its terminal. */
public final class Shell {
    /** While there is no connection, this key leaves: Ctrl-\. */
    private static final byte LEAVES = 0x1c;

    private final Session session;
    private final Streams streams;

    /** The user's side. @param notices where it is said that the line is cut */
    public record Streams(InputStream in, OutputStream out, OutputStream err, OutputStream notices) {}

    public Shell(Session.Wire wire, Session.Times times, Streams streams) {
        this.session = new Session(wire, times);
        this.streams = streams;
    }

    /**
     * Runs it to its end, when the node has answered.
     *
     * @param words the command; empty for a shell
     * @param terminal its size and changes of that; null for plain streams
     * @throws RuntimeException as {@link Session#end}
     */
    public Session.Exit run(List<String> words, @Nullable TerminalMode terminal, String terminalName)
            throws InterruptedException {
        var size = terminal == null ? new TerminalMode.Size(0, 0) : terminal.size();
        session.say(SessionRecord.open(terminal != null, size.rows(), size.columns(), terminalName, words));
        var main = session.channel(0, streams.out(), why -> {});
        session.channel(1, streams.err(), why -> {});
        Thread.ofPlatform().daemon().name("session-input").start(() -> read(main, terminal != null));
        if (terminal != null) {
            new LineWatch(session, "the line is cut; it is tried again, and Ctrl-\\ leaves", this::notice).start();
        }
        return session.end();
    }

    /** Connects; the terminal is the user's own until the node has answered. */
    public Session connect() {
        return session.start();
    }

    /** The window has another size. */
    public void resized(TerminalMode.Size size) {
        session.say(SessionRecord.size(size.rows(), size.columns()));
    }

    /** The user goes, and what runs there is told. */
    public void leave() {
        session.leave();
    }

    /** Nothing more is said. */
    public void close() {
        session.close();
    }

    private void read(SessionChannel to, boolean terminal) {
        try {
            if (!terminal) {
                to.read(streams.in());
                return;
            }
            byte[] keys = new byte[4096];
            for (int count = streams.in().read(keys);
                    count >= 0;
                    count = streams.in().read(keys)) {
                if (session.away().compareTo(LineWatch.TOLD_AFTER) > 0 && holds(keys, count)) {
                    break;
                }
                if (!to.send(keys, count)) {
                    return;
                }
            }
            session.leave();
        } catch (IOException gone) {
            session.leave();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean holds(byte[] keys, int count) {
        for (int at = 0; at < count; at++) {
            if (keys[at] == LEAVES) {
                return true;
            }
        }
        return false;
    }

    private void notice(String text) {
        try {
            streams.notices().write(("\r\n[spillway: " + text + "]\r\n").getBytes(StandardCharsets.UTF_8));
            streams.notices().flush();
        } catch (IOException nobody) {
            session.leave();
        }
    }
}
