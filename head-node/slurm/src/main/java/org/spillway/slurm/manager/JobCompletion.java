package org.spillway.slurm.manager;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Tells slurmctld a job's exit code by Slurm's own library, in a process of its own: the library ends its process when it
 * does not like its configuration. Seen with 22.05.8, 24.11.5 and 26.05.5: of a job that has ended with 0 slurmctld keeps the code, and answers
 * that it has ended already; state and time stay as they were.
 */
public final class JobCompletion {
    /** Slurm's plugins need the symbols of the library that loads them. */
    private static final int NOW_AND_GLOBAL = 0x102;

    private static final int ALREADY_DONE = 2021;
    private static final int ABSENT = -1;
    /**
     * Of {@code slurm_api_version}, of which 26.05 is the 45th (24.11 the 42nd): a job is named by a step's id from then on,
     * before by its number. Releases between them were not seen: one that wants the id, too, ends this process.
     */
    private static final long BY_STEP = 45 << 16;

    /** Slurm's {@code NO_VAL}. */
    private static final int NO_VALUE = 0xfffffffe;

    private static final String LIBRARY = "libslurmfull.so";

    private JobCompletion() {}

    /**
     * The command of such a process.
     *
     * @param folders of Slurm's plugins, where its library lies, with colons between them
     * @param code 1 to 255
     */
    static List<String> command(String folders, long number, int code) {
        try {
            return List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-Xmx64m",
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Xshare:auto",
                    "-XX:+SuppressFatalErrorMessage",
                    "--enable-native-access=ALL-UNNAMED",
                    "-cp",
                    Path.of(JobCompletion.class
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .toURI())
                            .toString(),
                    JobCompletion.class.getName(),
                    folders,
                    Long.toString(number),
                    Integer.toString(code));
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Ends with 0 when slurmctld has taken the code. @param arguments as {@link #command} has them */
    public static void main(String[] arguments) throws Throwable {
        int error = ABSENT;
        for (String folder : arguments[0].split(":", -1)) {
            Path library = Path.of(folder, LIBRARY);
            if (Files.isReadable(library)) {
                error = complete(library, Integer.parseUnsignedInt(arguments[1]), Integer.parseInt(arguments[2]));
                break;
            }
        }
        if (error != ALREADY_DONE) {
            System.err.println(
                    error == ABSENT
                            ? "there is no " + LIBRARY + " in " + arguments[0]
                            : "slurmctld did not take the code: error " + error);
        }
        System.exit(error == ALREADY_DONE ? 0 : 1);
    }

    /** The job's number between two of no step: {@code slurm_step_id_t} of 26.05. */
    private static MemorySegment wholeJob(Arena arena, int number) {
        var step = arena.allocate(3 * Long.BYTES, Long.BYTES);
        step.set(ValueLayout.JAVA_INT, Long.BYTES, number);
        step.set(ValueLayout.JAVA_INT, Long.BYTES + Integer.BYTES, NO_VALUE);
        step.set(ValueLayout.JAVA_INT, 2L * Long.BYTES, NO_VALUE);
        return step;
    }

    /** @return what the library says against it: that the job has ended, when all is well */
    private static int complete(Path library, int number, int code) throws Throwable {
        Linker linker = Linker.nativeLinker();
        StructLayout state = Linker.Option.captureStateLayout();
        VarHandle errno = state.varHandle(MemoryLayout.PathElement.groupElement("errno"));
        var dlopen = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("dlopen"),
                FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
        var dlsym = linker.downcallHandle(
                linker.defaultLookup().findOrThrow("dlsym"),
                FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            var handle = (MemorySegment) dlopen.invokeExact(arena.allocateFrom(library.toString()), NOW_AND_GLOBAL);
            if (handle.address() == 0) {
                return ABSENT;
            }
            var init = (MemorySegment) dlsym.invokeExact(handle, arena.allocateFrom("slurm_init"));
            if (init.address() != 0) {
                linker.downcallHandle(init, FunctionDescriptor.ofVoid(ValueLayout.ADDRESS))
                        .invokeExact(MemorySegment.NULL);
            }
            var complete = (MemorySegment) dlsym.invokeExact(handle, arena.allocateFrom("slurm_complete_job"));
            if (complete.address() == 0) {
                return ABSENT;
            }
            var version = (MemorySegment) dlsym.invokeExact(handle, arena.allocateFrom("slurm_api_version"));
            if (version.address() == 0) {
                return ABSENT;
            }
            long release = (long) linker.downcallHandle(version, FunctionDescriptor.of(ValueLayout.JAVA_LONG))
                    .invokeExact();
            boolean byStep = release >= BY_STEP;
            var captured = arena.allocate(state);
            var call = linker.downcallHandle(
                    complete,
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_INT,
                            byStep ? ValueLayout.ADDRESS : ValueLayout.JAVA_INT,
                            ValueLayout.JAVA_INT),
                    Linker.Option.captureCallState("errno"));
            int answer = byStep
                    ? (int) call.invokeExact(captured, wholeJob(arena, number), code << 8)
                    : (int) call.invokeExact(captured, number, code << 8);
            return answer == 0 ? 0 : (int) errno.get(captured, 0L);
        }
    }
}
