package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/**
 * CPU seconds so far.
 *
 * @param head with its workers
 * @param workers alone
 * @param cloud of the local cloud, which is the region's sshd
 */
record Cpu(double head, double workers, double director, double cloud, double directorMebi) {
    private static final double TICKS_PER_SECOND = 100;

    static Cpu of(HeadUnderTest head) throws IOException {
        double own = seconds(head.pid());
        double director = 0;
        double cloud = 0;
        double mebi = 0;
        for (ProcessHandle one :
                HeadUnderTest.processesOf(Objects.requireNonNull(head.state().getParent()))) {
            String command = text(one.pid(), "cmdline");
            if (command.contains("DirectorMain")) {
                director += seconds(one.pid());
                mebi += Machine.memoryBytes(text(one.pid(), "status"), "VmRSS") / (double) (1 << 20);
            }
            cloud += command.contains("LocalCloudMain") ? seconds(one.pid()) : 0;
        }
        double workers = 0;
        for (ProcessHandle child :
                ProcessHandle.of(head.pid()).orElseThrow().children().toList()) {
            workers += text(child.pid(), "cmdline").contains("WorkerMain") ? seconds(child.pid()) : 0;
        }
        return new Cpu(own + workers, workers, director, cloud, mebi);
    }

    private static String text(long pid, String file) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), file), StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }

    private static double seconds(long pid) {
        String stat = text(pid, "stat");
        return stat.isEmpty() ? 0 : Benchmarks.cpuTicks(stat) / TICKS_PER_SECOND;
    }
}
