package org.spillway.api.session;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A word from one end of a session to the other: a letter, a channel, and up to 64 KiB.
 *
 * <pre>
 * o  client  begin a command: terminal or not, rows, columns, name of the terminal, words; each ended by NUL
 * w  client  rows and columns
 * h  opener  it goes
 * n  opener  a connection to a port, on this channel: the client's to one of the job, the node's to a service of home (ADR 77)
 * u  client  the same to a UNIX socket, by its path
 * k  other   it stands
 * d  both    bytes of a channel: 0 is input and output, 1 what goes to standard error, 16 and up are connections
 * e  both    no more of them
 * r  both    the connection is over, and why
 * c  both    so many bytes more may be sent
 * x  node    exit code, and why when nobody else says
 * </pre>
 */
public record SessionRecord(char kind, int channel, byte[] body) {
    static final int HEADER_BYTES = 5;
    static final int MOST_BYTES = 65_535;

    public static SessionRecord of(char kind, int channel) {
        return new SessionRecord(kind, channel, new byte[0]);
    }

    /** The connection of that channel is over. @param why shown where it was asked for; up to 64 KiB */
    public static SessionRecord over(int channel, String why) {
        return new SessionRecord('r', channel, why.getBytes(StandardCharsets.UTF_8));
    }

    static SessionRecord credit(int channel, int bytes) {
        return new SessionRecord(
                'c', channel, ByteBuffer.allocate(Integer.BYTES).putInt(bytes).array());
    }

    public static SessionRecord size(int rows, int columns) {
        return new SessionRecord(
                'w',
                0,
                ByteBuffer.allocate(2 * Short.BYTES)
                        .putShort((short) rows)
                        .putShort((short) columns)
                        .array());
    }

    public static SessionRecord port(int channel, int port) {
        return new SessionRecord(
                'n',
                channel,
                ByteBuffer.allocate(Short.BYTES).putShort((short) port).array());
    }

    /** @param path absolute, as the job sees it */
    public static SessionRecord socket(int channel, String path) {
        return new SessionRecord('u', channel, path.getBytes(StandardCharsets.UTF_8));
    }

    /** @throws IllegalArgumentException for words of more than 64 KiB, or with a NUL */
    public static SessionRecord open(boolean terminal, int rows, int columns, String name, List<String> words) {
        var text = new StringBuilder();
        text.append(terminal ? "1" : "0").append('\0').append(rows).append('\0');
        text.append(columns).append('\0').append(name).append('\0');
        for (String word : words) {
            if (word.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("a word with a NUL in it");
            }
            text.append(word).append('\0');
        }
        byte[] body = text.toString().getBytes(StandardCharsets.UTF_8);
        if (body.length > MOST_BYTES) {
            throw new IllegalArgumentException("a command of more than " + MOST_BYTES + " bytes");
        }
        return new SessionRecord('o', 0, body);
    }

    int port() {
        if (body.length != Short.BYTES) {
            throw new SessionFault("a port of " + body.length + " bytes");
        }
        return ByteBuffer.wrap(body).getShort() & 0xffff;
    }

    int number() {
        if (body.length != Integer.BYTES) {
            throw new SessionFault("a number of " + body.length + " bytes");
        }
        return ByteBuffer.wrap(body).getInt();
    }

    byte[] bytes() {
        return ByteBuffer.allocate(HEADER_BYTES + body.length)
                .put((byte) kind)
                .putShort((short) channel)
                .putShort((short) body.length)
                .put(body)
                .array();
    }

    /** A stranger's text, as it may be shown. */
    String text(int from) {
        return new String(
                        body,
                        Math.min(from, body.length),
                        body.length - Math.min(from, body.length),
                        StandardCharsets.UTF_8)
                .replaceAll("\\p{Cntrl}", "?");
    }
}
