import java.io.FileWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Writes down how many CPU seconds a fork, and the children that it has waited for, have used in each test class. Classes
 * that run side by side share what was used meanwhile. The run beside this file puts it on the class path of all forks.
 */
public final class CpuListener implements TestExecutionListener {
    private static final com.sun.management.OperatingSystemMXBean SYSTEM =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final double NANOS = 1e9;
    private static final double TICKS = 100;

    /** Of a class: the fork's own CPU seconds, those of its children, and seconds by the clock. */
    private final Map<String, double[]> used = new TreeMap<>();

    private final Set<String> underWay = new LinkedHashSet<>();
    private double own;
    private double children;
    private long since = System.nanoTime();

    @Override
    public synchronized void executionStarted(TestIdentifier test) {
        classOf(test).ifPresent(name -> {
            look();
            underWay.add(name);
        });
    }

    @Override
    public synchronized void executionFinished(TestIdentifier test, TestExecutionResult result) {
        classOf(test).ifPresent(name -> {
            look();
            underWay.remove(name);
        });
    }

    /** A fork of several is given one class after the other, and ends a plan with each. */
    @Override
    public synchronized void testPlanExecutionFinished(TestPlan plan) {
        look();
        Path file = Path.of(System.getProperty("spillway.cpu"), ProcessHandle.current().pid() + ".txt");
        try (var out = new PrintWriter(new FileWriter(file.toFile()))) {
            used.forEach((name, seconds) -> out.printf(
                    "%.2f %.2f %.1f %s %s%n",
                    seconds[0], seconds[1], seconds[2], name, System.getProperty("user.dir")));
        } catch (IOException full) {
            throw new UncheckedIOException(full);
        }
    }

    private static Optional<String> classOf(TestIdentifier test) {
        return test.getSource()
                .filter(ClassSource.class::isInstance)
                .map(source -> ((ClassSource) source).getClassName())
                .filter(name -> name.indexOf('$') < 0);
    }

    private void look() {
        double ownNow = SYSTEM.getProcessCpuTime() / NANOS;
        double childrenNow = childrenNow();
        long now = System.nanoTime();
        Set<String> names = underWay.isEmpty() ? Set.of("(between)") : underWay;
        for (String name : names) {
            double[] seconds = used.computeIfAbsent(name, first -> new double[3]);
            seconds[0] += (ownNow - own) / names.size();
            seconds[1] += (childrenNow - children) / names.size();
            seconds[2] += (now - since) / NANOS;
        }
        own = ownNow;
        children = childrenNow;
        since = now;
    }

    /** Of those that have ended and were waited for: fields 16 and 17 of proc(5). */
    private static double childrenNow() {
        try {
            String all = Files.readString(Path.of("/proc/self/stat"));
            String[] fields = all.substring(all.lastIndexOf(')') + 2).split(" ");
            return (Long.parseLong(fields[13]) + Long.parseLong(fields[14])) / TICKS;
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }
}
