package org.spillway.image.posix;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Calls on files by names of bytes: a text here has one character (ISO 8859-1) for each byte. Nothing follows a link in the
 * last part of a name. For one thread.
 */
public final class Posix implements AutoCloseable {
    public static final int FOLDER = 0040000;
    public static final int FILE = 0100000;
    public static final int LINK = 0120000;
    public static final int CHARACTER = 0020000;
    public static final int BLOCK = 0060000;
    public static final int PIPE = 0010000;
    public static final int SOCKET = 0140000;

    private static final int AT_FDCWD = -100;
    private static final int AT_SYMLINK_NOFOLLOW = 0x100;
    /** Basic facts, and the mount's number, which Linux 5.8 and newer say. */
    private static final int WANTED = 0x17ff;

    private static final int HAS_MOUNT = 0x1000;
    private static final int O_NOFOLLOW_CLOEXEC = isArm() ? 0x8000 | 0x80000 : 0x20000 | 0x80000;
    private static final int O_NONBLOCK = 0x800;
    private static final int O_NEW = 0x1 | 0x40 | 0x80;
    private static final int NAME_IN_DIRENT = 19;
    private static final int LENGTH_IN_DIRENT = 16;
    private static final int NAME_BYTES = 2 * 4096;
    private static final int VALUE_BYTES = 64 * 1024;
    private static final int BUFFER_BYTES = 256 * 1024;
    private static final long NANOS = 1_000_000_000L;

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment state = arena.allocate(Calls.STATE);
    private final MemorySegment first = arena.allocate(NAME_BYTES);
    private final MemorySegment second = arena.allocate(NAME_BYTES);
    private final MemorySegment value = arena.allocate(VALUE_BYTES, 8);
    private final MemorySegment facts = arena.allocate(256, 8);
    private final MemorySegment buffer = arena.allocate(BUFFER_BYTES);
    /** The buffer of {@link #read} and {@link #write}, seen by Java. */
    private final ByteBuffer window = buffer.asByteBuffer();

    private static boolean isArm() {
        return System.getProperty("os.arch").equals("aarch64");
    }

    /** A path of the JDK as its bytes. */
    public static String raw(Path path) {
        return new String(path.toString().getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() {
        arena.close();
    }

    public FileFacts facts(String path) throws IOException {
        var name = name(first, path);
        check(
                call(() -> (int) Calls.STATX.invokeExact(state, AT_FDCWD, name, AT_SYMLINK_NOFOLLOW, WANTED, facts)),
                path);
        long device = number(136) << 32 | number(140);
        boolean hasMount = (facts.get(JAVA_INT, 0) & HAS_MOUNT) != 0;
        return new FileFacts(
                Short.toUnsignedInt(facts.get(JAVA_SHORT, 28)),
                number(20),
                number(24),
                facts.get(JAVA_LONG, 40),
                number(16),
                new FileFacts.Place(hasMount ? facts.get(JAVA_LONG, 144) : device, device, facts.get(JAVA_LONG, 32)),
                new FileFacts.Times(time(112), time(96)),
                number(128),
                number(132));
    }

    private long number(long offset) {
        return Integer.toUnsignedLong(facts.get(JAVA_INT, offset));
    }

    private long time(long offset) {
        return facts.get(JAVA_LONG, offset) * NANOS + facts.get(JAVA_INT, offset + 8);
    }

    /** Names in a folder but {@code .} and {@code ..}, in no order. */
    public List<String> list(String folder) throws IOException {
        int descriptor = open(folder);
        var names = new ArrayList<String>();
        try {
            while (true) {
                long length =
                        call(() -> (long) Calls.GETDENTS.invokeExact(state, descriptor, value, (long) VALUE_BYTES));
                check(length, folder);
                if (length == 0) {
                    return names;
                }
                for (long at = 0;
                        at < length;
                        at += Short.toUnsignedInt(value.get(JAVA_SHORT, at + LENGTH_IN_DIRENT))) {
                    String one = value.getString(at + NAME_IN_DIRENT, StandardCharsets.ISO_8859_1);
                    if (!one.equals(".") && !one.equals("..")) {
                        names.add(one);
                    }
                }
            }
        } finally {
            close(descriptor);
        }
    }

    public String readLink(String path) throws IOException {
        var name = name(first, path);
        long length = call(() -> (long) Calls.READLINK.invokeExact(state, name, value, (long) VALUE_BYTES));
        check(length, path);
        return text(value, length);
    }

    /** Names of extended attributes; none where the file system has no such thing. */
    public List<String> attributes(String path) throws IOException {
        var name = name(first, path);
        long length = call(() -> (long) Calls.LLISTXATTR.invokeExact(state, name, value, (long) VALUE_BYTES));
        if (length < 0 && failure(path).isAbsence()) {
            return List.of();
        }
        check(length, path);
        return length == 0 ? List.of() : List.of(text(value, length - 1).split("\0", -1));
    }

    /** A value's bytes, one for each character. */
    public String attribute(String path, String attribute) throws IOException {
        var name = name(first, path);
        var key = name(second, attribute);
        long length = call(() -> (long) Calls.LGETXATTR.invokeExact(state, name, key, value, (long) VALUE_BYTES));
        check(length, path);
        return text(value, length);
    }

    public void setAttribute(String path, String attribute, String bytes) throws IOException {
        var name = name(first, path);
        var key = name(second, attribute);
        byte[] raw = bytes.getBytes(StandardCharsets.ISO_8859_1);
        if (raw.length > VALUE_BYTES) {
            throw new IOException(path + ": the attribute " + attribute + " is larger than " + VALUE_BYTES + " bytes");
        }
        MemorySegment.copy(raw, 0, value, JAVA_BYTE, 0, raw.length);
        check(
                call(() -> (int) Calls.LSETXATTR.invokeExact(state, name, key, value, (long) raw.length, 0)),
                path + " (attribute " + attribute + ")");
    }

    public void removeAttribute(String path, String attribute) throws IOException {
        var name = name(first, path);
        var key = name(second, attribute);
        check(call(() -> (int) Calls.LREMOVEXATTR.invokeExact(state, name, key)), path);
    }

    /** Opens a file to read it; the caller closes the descriptor. */
    public int open(String path) throws IOException {
        return open(path, O_NOFOLLOW_CLOEXEC | O_NONBLOCK, 0);
    }

    /** Makes a file of mode 600 where nothing is; the caller closes the descriptor. */
    public int create(String path) throws IOException {
        return open(path, O_NOFOLLOW_CLOEXEC | O_NEW, 0600);
    }

    private int open(String path, int flags, int mode) throws IOException {
        var name = name(first, path);
        long descriptor = call(() -> (int) Calls.OPEN.invokeExact(state, name, flags, mode));
        check(descriptor, path);
        return (int) descriptor;
    }

    public void close(int descriptor) {
        call(() -> (int) Calls.CLOSE.invokeExact(state, descriptor));
    }

    /** The next bytes, valid until the next call; none at the end. @param path for messages */
    public ByteBuffer read(int descriptor, String path) throws IOException {
        long length = call(() -> (long) Calls.READ.invokeExact(state, descriptor, buffer, (long) BUFFER_BYTES));
        check(length, path);
        return window.clear().limit((int) length);
    }

    /** Writes a part of what {@link #read} gave last. @param at in the file, in bytes */
    public void write(int descriptor, int from, int length, long at, String path) throws IOException {
        int done = 0;
        while (done < length) {
            var rest = buffer.asSlice((long) from + done, (long) length - done);
            long place = at + done;
            long size = (long) length - done;
            long written = call(() -> (long) Calls.PWRITE.invokeExact(state, descriptor, rest, size, place));
            check(written, path);
            done += (int) written;
        }
    }

    public void setSize(int descriptor, long bytes, String path) throws IOException {
        check(call(() -> (int) Calls.FTRUNCATE.invokeExact(state, descriptor, bytes)), path);
    }

    /** Brings all of a file system to its disk. @param path of anything on it */
    public void sync(String path) throws IOException {
        int descriptor = open(path);
        try {
            check(call(() -> (int) Calls.SYNCFS.invokeExact(state, descriptor)), path);
        } finally {
            close(descriptor);
        }
    }

    /** Takes a lock of an open file, for as long as that is open. @return false when another has it */
    public boolean lock(int descriptor, Lock lock) {
        return call(() -> (int) Calls.FLOCK.invokeExact(state, descriptor, lock.operation)) == 0;
    }

    /** Kinds of locks; a process that ends gives its own back. */
    public enum Lock {
        /** Many may have it; waits for one that is alone. */
        SHARED(1),
        /** The lock of one alone; does not wait. */
        ALONE_NOW(2 | 4);

        private final int operation;

        Lock(int operation) {
            this.operation = operation;
        }
    }

    public void symbolicLink(String target, String path) throws IOException {
        var to = name(second, target);
        var name = name(first, path);
        check(call(() -> (int) Calls.SYMLINK.invokeExact(state, to, name)), path);
    }

    public void hardLink(String existing, String path) throws IOException {
        var from = name(second, existing);
        var name = name(first, path);
        check(call(() -> (int) Calls.LINK.invokeExact(state, from, name)), path);
    }

    /** Makes a folder of mode 700. */
    public void folder(String path) throws IOException {
        var name = name(first, path);
        check(call(() -> (int) Calls.MKDIR.invokeExact(state, name, 0700)), path);
    }

    /** @param type one of the constants but folder, file and link */
    public void special(String path, int type, long major, long minor) throws IOException {
        var name = name(first, path);
        long device =
                (major & 0xfffff000L) << 32 | (major & 0xfffL) << 8 | (minor & 0xffffff00L) << 12 | (minor & 0xffL);
        check(call(() -> (int) Calls.MKNOD.invokeExact(state, name, type | 0600, device)), path);
    }

    public void owner(String path, long uid, long gid) throws IOException {
        var name = name(first, path);
        check(call(() -> (int) Calls.LCHOWN.invokeExact(state, name, (int) uid, (int) gid)), path + " (owner)");
    }

    /** Follows links: not for one. */
    public void mode(String path, int permissions) throws IOException {
        var name = name(first, path);
        check(call(() -> (int) Calls.CHMOD.invokeExact(state, name, permissions)), path + " (mode)");
    }

    /** Sets both times to the second 0 of 1970. */
    public void timeless(String path) throws IOException {
        var name = name(first, path);
        value.asSlice(0, 32).fill((byte) 0);
        check(
                call(() -> (int) Calls.UTIMENSAT.invokeExact(state, AT_FDCWD, name, value, AT_SYMLINK_NOFOLLOW)),
                path + " (time)");
    }

    private static MemorySegment name(MemorySegment place, String text) throws IOException {
        byte[] raw = text.getBytes(StandardCharsets.ISO_8859_1);
        if (raw.length >= NAME_BYTES || text.indexOf(0) >= 0) {
            throw new IOException("no name of a file: " + text.length() + " bytes that begin with "
                    + text.substring(0, Math.min(40, text.length())));
        }
        MemorySegment.copy(raw, 0, place, JAVA_BYTE, 0, raw.length);
        place.set(JAVA_BYTE, raw.length, (byte) 0);
        return place;
    }

    private static String text(MemorySegment place, long length) {
        return new String(place.asSlice(0, length).toArray(JAVA_BYTE), StandardCharsets.ISO_8859_1);
    }

    private void check(long result, String path) throws PosixFailure {
        if (result < 0) {
            throw failure(path);
        }
    }

    private PosixFailure failure(String path) {
        int errno = Calls.errno(state);
        String shown = new String(path.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        return new PosixFailure(shown.replaceAll("\\p{Cntrl}", "?") + ": " + Calls.message(errno), errno);
    }

    /** A function of the C library with its arguments. */
    private interface Call {
        long made() throws Throwable;
    }

    private static long call(Call call) {
        try {
            return call.made();
        } catch (RuntimeException | Error mistake) {
            throw mistake;
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
