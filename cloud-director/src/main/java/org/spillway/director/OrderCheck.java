package org.spillway.director;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.spillway.director.wire.JobOrder;
import org.spillway.stage.transfer.Keys;

/** Whether an order can be carried out as it is. One that cannot is refused here and never shown to its node. */
final class OrderCheck {
    /** Arguments and environment must fit into one exec call, with room for what the node adds. */
    static final int MAX_EXEC_BYTES = 96 * 1024;

    static final int MAX_FILES = 1000;

    private OrderCheck() {}

    /** What is wrong with an order; empty when nothing is. */
    static Optional<String> problem(JobOrder order) {
        if (!order.job().matches("[A-Za-z0-9-]{1,64}") || order.attempt() < 1 || order.attempt() > 999_999) {
            return Optional.of("job id or attempt is malformed");
        }
        if (!order.user().matches("[A-Za-z0-9_][A-Za-z0-9._-]{0,63}") || order.uid() < 0 || order.gid() < 0) {
            return Optional.of("user, uid or gid is malformed");
        }
        if (order.walltimeSeconds() < 1 || order.walltimeSeconds() > 366L * 86_400) {
            return Optional.of("walltime must be 1 second to 366 days");
        }
        return execution(order).or(() -> files(order));
    }

    private static Optional<String> execution(JobOrder order) {
        long bytes = 0;
        for (String argument : order.arguments()) {
            if (argument.indexOf('\0') >= 0) {
                return Optional.of("an argument holds a NUL");
            }
            bytes += argument.getBytes(StandardCharsets.UTF_8).length + 9;
        }
        for (var entry : order.environment().entrySet()) {
            if (!entry.getKey().matches("[A-Za-z_][A-Za-z0-9_]*")
                    || entry.getValue().indexOf('\0') >= 0) {
                return Optional.of("a variable of the environment is malformed");
            }
            bytes += entry.getKey().length() + entry.getValue().getBytes(StandardCharsets.UTF_8).length + 10L;
        }
        return bytes > MAX_EXEC_BYTES
                ? Optional.of("arguments and environment are over " + MAX_EXEC_BYTES + " bytes")
                : Optional.empty();
    }

    private static Optional<String> files(JobOrder order) {
        if (order.inputs().size() > MAX_FILES || order.outputs().size() > MAX_FILES) {
            return Optional.of("more than " + MAX_FILES + " inputs or outputs");
        }
        Set<String> keys = new HashSet<>();
        for (JobOrder.Input input : order.inputs()) {
            if (!isKey(input.key(), "jobs/" + order.job() + "/in/") || !isPath(input.path())) {
                return Optional.of("an input's key or path is not allowed");
            }
            if (input.bytes() < 0 || !input.sha256().matches("[0-9a-f]{64}")) {
                return Optional.of("an input's checksum is malformed");
            }
        }
        for (JobOrder.Output output : order.outputs()) {
            String folder = "jobs/" + order.job() + "/" + order.attempt() + "/out/";
            if (!isKey(output.key(), folder) || !isPath(output.path()) || !keys.add(output.key())) {
                return Optional.of("an output's key or path is not allowed");
            }
        }
        return Optional.empty();
    }

    /** A job reads and writes below its own folder of the staging space only. */
    private static boolean isKey(String key, String folder) {
        try {
            return Keys.check(key).startsWith(folder);
        } catch (IllegalArgumentException notAKey) {
            return false;
        }
    }

    /** Relative, inside the working folder, and on one line. */
    private static boolean isPath(String path) {
        if (path.isEmpty() || path.length() > 1000 || path.startsWith("/") || path.startsWith("-")) {
            return false;
        }
        for (String segment : path.split("/", -1)) {
            if (segment.isEmpty() || segment.equals(".") || segment.equals("..")) {
                return false;
            }
        }
        return path.chars().noneMatch(Character::isISOControl);
    }
}
