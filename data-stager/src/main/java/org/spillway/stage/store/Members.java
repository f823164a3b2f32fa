package org.spillway.stage.store;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.spillway.stage.tree.TarFormat;

/** The files of an input as bytes, and digests: what recipes and plans have in common. */
final class Members {
    private static final int NAME_BYTES_MAX = 4096;

    private Members() {}

    static void write(DataOutputStream out, List<TarFormat.Member> members) throws IOException {
        out.writeInt(members.size());
        for (TarFormat.Member member : members) {
            byte[] name = member.name().getBytes(StandardCharsets.UTF_8);
            out.writeShort(name.length);
            out.write(name);
            out.writeLong(member.bytes());
            out.writeLong(member.modifiedSeconds());
            out.writeBoolean(member.executable());
        }
    }

    /** @throws IOException if these are none, or too many */
    static List<TarFormat.Member> read(DataInputStream in) throws IOException {
        int count = in.readInt();
        if (count < 0 || count > Recipe.PARTS_MAX) {
            throw new IOException("not an input: " + count + " files");
        }
        List<TarFormat.Member> members = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int length = in.readUnsignedShort();
            if (length > NAME_BYTES_MAX) {
                throw new IOException("not an input: a name of " + length + " bytes");
            }
            String name = new String(in.readNBytes(length), StandardCharsets.UTF_8);
            members.add(new TarFormat.Member(name, in.readLong(), in.readLong(), in.readBoolean()));
        }
        return members;
    }

    static void write(DataOutputStream out, Digest digest) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Digest.BYTES);
        digest.to(bytes);
        out.write(bytes.array());
    }

    static Digest digest(DataInputStream in) throws IOException {
        byte[] bytes = new byte[Digest.BYTES];
        in.readFully(bytes);
        return Digest.of(bytes);
    }
}
