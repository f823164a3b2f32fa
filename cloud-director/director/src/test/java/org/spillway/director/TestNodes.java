package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** A director, its user ann, and instances that run the real node scripts. */
final class TestNodes implements AutoCloseable {
    static final boolean ROOT = "root".equals(System.getProperty("user.name"));
    static final int UID = 60_001;
    private static final AtomicInteger MADE = new AtomicInteger();

    final TestSite site;
    private final Path folder;
    private final List<TestInstance> instances = new ArrayList<>();

    TestNodes(Path folder) throws Exception {
        this.folder = folder;
        site = new TestSite(folder);
        site.addUser("ann", UID);
    }

    @Override
    public void close() {
        instances.forEach(TestInstance::close);
        site.close();
    }

    TestInstance instance(String id, String... prefix) throws Exception {
        // Of classes that run beside each other none may have another's: of cgroups and marks there is one set.
        String name = id + "-" + ProcessHandle.current().pid() + "-" + MADE.incrementAndGet();
        var instance = new TestInstance(folder, name, site.address, List.of(prefix));
        instances.add(instance);
        return instance;
    }

    TestInstance ready(String id) throws Exception {
        TestInstance instance = instance(id);
        instance.boot(site.userData());
        site.untilReady(instance.id);
        return instance;
    }

    static void await(String what, BooleanSupplier condition) {
        Instant end = Instant.now().plusSeconds(180);
        while (!condition.getAsBoolean()) {
            assertThat(Instant.now()).as(what).isBefore(end);
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
        }
    }

    /** Whether some process has these words, divided by NUL: a job's number of itself is not this machine's. */
    static boolean runs(String words) {
        return ProcessHandle.allProcesses().anyMatch(process -> words(process).contains(words));
    }

    /** A dead process has none, though it is listed until its parent has looked at it. */
    private static String words(ProcessHandle process) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
        } catch (IOException gone) {
            return "";
        }
    }

    String stdout(String job, TestInstance instance) throws Exception {
        return site.results(job, "n-" + instance.id).get(".spillway/stdout");
    }

    OrderDraft draft(String job, TestInstance instance, String script) {
        return new OrderDraft(job, "n-" + instance.id, UID, script);
    }

    void order(String job, TestInstance instance, String script) {
        site.jobs.put(job, draft(job, instance, script).order());
    }
}
