package org.spillway.stage.reach;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * A file, folder or link at home.
 *
 * @param name the last part of its path
 * @param mode with the type, as of {@code st_mode}
 * @param modified seconds since 1970
 * @param identity which file it is and which state of it, short; the same as long as nobody has written to it
 * @param target of a link; empty for others
 * @param settled whether it was changed long enough ago that a change after this would show in its identity: clocks of file
 *     systems stand still for some milliseconds, and a mapping that is written to has the time of its first write for some seconds
 */
public record Entry(
        String name,
        int mode,
        int uid,
        int gid,
        long bytes,
        long modified,
        String identity,
        String target,
        boolean settled) {
    private static final int TYPE = 0170000;
    private static final int FOLDER = 0040000;
    private static final int FILE = 0100000;
    private static final int LINK = 0120000;

    /** A folder that is there because something below it is within reach. */
    public static Entry above(String name) {
        return new Entry(name, FOLDER | 0555, 0, 0, 0, 0, "", "", false);
    }

    public boolean isFolder() {
        return (mode & TYPE) == FOLDER;
    }

    public boolean isFile() {
        return (mode & TYPE) == FILE;
    }

    public boolean isLink() {
        return (mode & TYPE) == LINK;
    }

    void to(DataOutputStream out) throws IOException {
        out.writeUTF(name);
        out.writeInt(mode);
        out.writeInt(uid);
        out.writeInt(gid);
        out.writeLong(bytes);
        out.writeLong(modified);
        out.writeUTF(identity);
        out.writeUTF(target);
        out.writeBoolean(settled);
    }

    static Entry from(DataInputStream in) throws IOException {
        return new Entry(
                in.readUTF(),
                in.readInt(),
                in.readInt(),
                in.readInt(),
                in.readLong(),
                in.readLong(),
                in.readUTF(),
                in.readUTF(),
                in.readBoolean());
    }
}
