package org.spillway.scaler.policyhost;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** Children to which the kernel gives no core, as on a machine with too much to do: stopped by a signal. */
record Stopped(List<Long> pids) {
    private static final Duration WITHOUT = Duration.ofMillis(250);
    private static final Duration WITH = Duration.ofMillis(150);

    /** This child, with what it started, gets no core from now on. */
    static Stopped of(long pid) {
        ProcessHandle child = ProcessHandle.of(pid).orElseThrow();
        List<Long> all = Stream.concat(Stream.of(child), child.descendants())
                .map(ProcessHandle::pid)
                .toList();
        signal("STOP", all);
        return new Stopped(all);
    }

    void goOnAfter(Duration time) {
        pause(time);
        signal("CONT", pids);
    }

    /** Children of this process that show this text get a core for a part of the time only, until it is done. */
    static void nowAndThen(String folder, AtomicBoolean done) {
        while (!done.get()) {
            List<Long> children = ProcessHandle.current()
                    .descendants()
                    .filter(one -> one.info().commandLine().orElse("").contains(folder))
                    .map(ProcessHandle::pid)
                    .toList();
            signal("STOP", children);
            pause(WITHOUT);
            signal("CONT", children);
            pause(WITH);
        }
    }

    private static void signal(String name, List<Long> pids) {
        if (pids.isEmpty()) {
            return;
        }
        List<String> command = new ArrayList<>(List.of("kill", "-" + name));
        pids.forEach(pid -> command.add(String.valueOf(pid)));
        try {
            new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void pause(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
