package org.spillway.stage.reach;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Words between a region and home about the reach of jobs. */
public final class Messages {
    /** Of an answer: its number and its status. */
    private static final int HEAD_BYTES = Long.BYTES + Byte.BYTES;

    private Messages() {}

    /** @param number by which the answer is known */
    public record Asked(long number, String job, int attempt, String node, Question question) {}

    public record Told(long number, Reply reply) {}

    public static byte[] asked(List<Asked> questions) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        for (Asked each : questions) {
            out.writeLong(each.number);
            out.writeUTF(each.job);
            out.writeInt(each.attempt);
            out.writeUTF(each.node);
            each.question.to(out);
        }
        return bytes.toByteArray();
    }

    /** @throws IllegalArgumentException or an EOFException if the bytes are something else */
    public static List<Asked> readAsked(byte[] bytes) throws IOException {
        var in = new DataInputStream(new ByteArrayInputStream(bytes));
        List<Asked> questions = new ArrayList<>();
        while (in.available() > 0) {
            questions.add(new Asked(in.readLong(), in.readUTF(), in.readInt(), in.readUTF(), Question.from(in)));
        }
        return questions;
    }

    public static byte[] told(Told answer) {
        byte[] body = answer.reply.body();
        return ByteBuffer.allocate(HEAD_BYTES + body.length)
                .put(head(answer))
                .put(body)
                .array();
    }

    /** Of an answer what comes before the reply's body. */
    public static byte[] head(Told answer) {
        return ByteBuffer.allocate(HEAD_BYTES)
                .putLong(answer.number)
                .put((byte) answer.reply.status().ordinal())
                .array();
    }

    /** @throws IllegalArgumentException if the bytes are something else */
    public static Told readTold(byte[] bytes) {
        if (bytes.length < HEAD_BYTES) {
            throw new IllegalArgumentException("an answer of " + bytes.length + " bytes");
        }
        ByteBuffer head = ByteBuffer.wrap(bytes);
        long number = head.getLong();
        Reply.Status status = Reply.status(Byte.toUnsignedInt(head.get()));
        return new Told(number, new Reply(status, Arrays.copyOfRange(bytes, HEAD_BYTES, bytes.length)));
    }
}
