package org.spillway.image.posix;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** The C library's functions, each with the {@code errno} that it leaves. */
final class Calls {
    static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final Linker LINKER = Linker.nativeLinker();

    /** Open has a third argument only sometimes, and such calls are made in another way on some machines. */
    static final MethodHandle OPEN = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("open"),
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT),
            Linker.Option.captureCallState("errno"),
            Linker.Option.firstVariadicArg(2));

    static final MethodHandle CLOSE = of("close", JAVA_INT, JAVA_INT);
    static final MethodHandle READ = of("read", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    static final MethodHandle PWRITE = of("pwrite", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
    static final MethodHandle FTRUNCATE = of("ftruncate", JAVA_INT, JAVA_INT, JAVA_LONG);
    static final MethodHandle SYNCFS = of("syncfs", JAVA_INT, JAVA_INT);
    static final MethodHandle FLOCK = of("flock", JAVA_INT, JAVA_INT, JAVA_INT);
    static final MethodHandle STATX = of("statx", JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
    static final MethodHandle GETDENTS = of("getdents64", JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG);
    static final MethodHandle READLINK = of("readlink", JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG);
    static final MethodHandle SYMLINK = of("symlink", JAVA_INT, ADDRESS, ADDRESS);
    static final MethodHandle LINK = of("link", JAVA_INT, ADDRESS, ADDRESS);
    static final MethodHandle MKDIR = of("mkdir", JAVA_INT, ADDRESS, JAVA_INT);
    static final MethodHandle MKNOD = of("mknod", JAVA_INT, ADDRESS, JAVA_INT, JAVA_LONG);
    static final MethodHandle LCHOWN = of("lchown", JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    static final MethodHandle CHMOD = of("chmod", JAVA_INT, ADDRESS, JAVA_INT);
    static final MethodHandle UTIMENSAT = of("utimensat", JAVA_INT, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT);
    static final MethodHandle LLISTXATTR = of("llistxattr", JAVA_LONG, ADDRESS, ADDRESS, JAVA_LONG);
    static final MethodHandle LGETXATTR = of("lgetxattr", JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG);
    static final MethodHandle LSETXATTR = of("lsetxattr", JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT);
    static final MethodHandle LREMOVEXATTR = of("lremovexattr", JAVA_INT, ADDRESS, ADDRESS);

    private static final MethodHandle STRERROR = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("strerror"), FunctionDescriptor.of(ADDRESS, JAVA_INT));
    private static final long MOST_MESSAGE_BYTES = 1024;

    private Calls() {}

    private static MethodHandle of(String name, MemoryLayout result, MemoryLayout... arguments) {
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(result, arguments),
                Linker.Option.captureCallState("errno"));
    }

    static int errno(MemorySegment state) {
        return (int) ERRNO.get(state, 0L);
    }

    static String message(int errno) {
        try {
            var text = (MemorySegment) STRERROR.invokeExact(errno);
            return text.reinterpret(MOST_MESSAGE_BYTES).getString(0);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
