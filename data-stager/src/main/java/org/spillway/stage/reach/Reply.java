package org.spillway.stage.reach;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An answer. @param body what was asked for, with {@link Status#OK} */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Reply(Status status, byte[] body) {
    private static final Status[] STATUSES = Status.values();

    /** Sent as its place in this list, so new ones are added at the end. */
    public enum Status {
        OK,
        /** There is no such path within reach. */
        NONE,
        /** The user may not. */
        DENIED,
        /** The file is not the one any more that was opened. */
        CHANGED,
        FAILED
    }

    public static Reply of(Status status) {
        return new Reply(status, new byte[0]);
    }

    public static Reply of(List<Entry> entries) {
        var body = new ByteArrayOutputStream();
        try {
            var out = new DataOutputStream(body);
            for (Entry entry : entries) {
                entry.to(out);
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return new Reply(Status.OK, body.toByteArray());
    }

    /** @throws IllegalArgumentException if the body is another one */
    public List<Entry> entries() {
        var in = new DataInputStream(new ByteArrayInputStream(body));
        List<Entry> entries = new ArrayList<>();
        try {
            while (in.available() > 0) {
                entries.add(Entry.from(in));
            }
        } catch (EOFException e) {
            throw new IllegalArgumentException("entries that end in the middle", e);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return entries;
    }

    /** The answer to {@link Question#whole}: empty for each file that is another one by now or cannot be read. */
    public static Reply ofContents(List<Optional<byte[]>> contents) {
        var body = new ByteArrayOutputStream();
        try {
            var out = new DataOutputStream(body);
            for (Optional<byte[]> each : contents) {
                out.writeInt(each.map(bytes -> bytes.length).orElse(-1));
                if (each.isPresent()) {
                    out.write(each.get());
                }
            }
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return new Reply(Status.OK, body.toByteArray());
    }

    /** @throws IllegalArgumentException if the body is another one */
    public List<Optional<byte[]>> contents() {
        var in = new DataInputStream(new ByteArrayInputStream(body));
        List<Optional<byte[]>> contents = new ArrayList<>();
        try {
            while (in.available() > 0) {
                int length = in.readInt();
                if (length > in.available()) {
                    throw new IllegalArgumentException("contents that end in the middle");
                }
                contents.add(length < 0 ? Optional.empty() : Optional.of(in.readNBytes(length)));
            }
        } catch (EOFException e) {
            throw new IllegalArgumentException("contents that end in the middle", e);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return contents;
    }

    /** @throws IllegalArgumentException if there is none */
    public static Status status(int place) {
        if (place < 0 || place >= STATUSES.length) {
            throw new IllegalArgumentException("not a status: " + place);
        }
        return STATUSES[place];
    }
}
