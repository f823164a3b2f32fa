package org.spillway.director;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.spillway.director.directory.PosixUser;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.stage.transfer.Keys;

/** Whether an order can be carried out as it is. One that cannot is refused here and never shown to its node. */
final class OrderCheck {
    /** Arguments and environment must fit into one exec call, with room for what the node adds. */
    static final int MAX_EXEC_BYTES = 96 * 1024;

    private static final int MAX_CPUS = 100_000;
    private static final int MAX_GPUS = 1024;

    static final int MAX_PEERS = 1024;
    static final int MAX_COLLECTED = 200;
    static final int MAX_EXPRESSION = 5000;

    private OrderCheck() {}

    /** The fault in an order; empty when there is none. */
    static Optional<String> problem(JobOrder order) {
        if (!order.job().matches("[A-Za-z0-9-]{1,64}") || order.attempt() < 1 || order.attempt() > 999_999) {
            return Optional.of("job id or attempt is malformed");
        }
        if (!PosixUser.isLogin(order.user()) || order.uid() < 0 || order.gid() < 0) {
            return Optional.of("user, uid or gid is malformed");
        }
        if (order.walltimeSeconds() < 1 || order.walltimeSeconds() > 366L * 86_400) {
            return Optional.of("walltime must be 1 second to 366 days");
        }
        JobOrder.Share share = order.share();
        if (share != null && !isShare(share)) {
            return Optional.of("cpus, memory or gpus are malformed");
        }
        JobOrder.Sync sync = order.sync();
        if (sync != null && (sync.seconds() < 1 || sync.done() < 0)) {
            return Optional.of("the interval of its outputs is malformed");
        }
        JobOrder.Image image = order.container();
        if (image != null
                && (image.name().isEmpty() || image.name().length() > MAX_EXPRESSION || hasControls(image.name()))) {
            return Optional.of("the name of its image is empty, too long or holds a control character");
        }
        return place(order)
                .or(() -> execution(order))
                .or(() -> files(order))
                .or(() -> Optional.ofNullable(order.foreign()).flatMap(ManagerCheck::problem));
    }

    private static boolean hasControls(String text) {
        return text.chars().anyMatch(Character::isISOControl);
    }

    private static boolean isShare(JobOrder.Share share) {
        return share.cpus() >= 0
                && share.cpus() <= MAX_CPUS
                && share.memoryBytes() >= 0
                && share.gpus() >= 0
                && share.gpus() <= MAX_GPUS;
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
        String folder = "jobs/" + order.job() + "/";
        if (order.inputs().size() > 1) {
            return Optional.of("more than one input");
        }
        for (JobOrder.Input input : order.inputs()) {
            if (!isKey(input.key(), folder)) {
                return Optional.of("the input's key is not allowed");
            }
            if (input.bytes() < 0 || !input.sha256().matches("[0-9a-f]{64}")) {
                return Optional.of("the input's checksum is malformed");
            }
        }
        JobOrder.Input left = order.checkpoint();
        if (left != null
                && (!isKey(left.key(), folder)
                        || left.bytes() < 0
                        || !left.sha256().matches("[0-9a-f]{64}"))) {
            return Optional.of("what an earlier attempt left has a key that is not allowed, or a malformed checksum");
        }
        if (!isKey(order.outputKey(), folder + order.attempt() + "/")) {
            return Optional.of("the key of the results is not allowed");
        }
        if (order.collect().size() > MAX_COLLECTED) {
            return Optional.of("more than " + MAX_COLLECTED + " expressions for results");
        }
        for (String expression : order.collect()) {
            if (expression.isEmpty() || expression.length() > MAX_EXPRESSION || hasControls(expression)) {
                return Optional.of("an expression for results is empty, too long or holds a control character");
            }
        }
        return Optional.empty();
    }

    private static Optional<String> place(JobOrder order) {
        if (order.peers().size() > MAX_PEERS
                || !order.peers().stream().allMatch(peer -> peer.matches("[0-9a-fA-F.:]{2,45}"))) {
            return Optional.of("more than " + MAX_PEERS + " peers, or one without a numeric address");
        }
        if (order.rank() < 0 || order.rank() >= Math.max(1, order.peers().size())) {
            return Optional.of("the rank is not that of a peer");
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

    /** The report of a node that was never shown it. */
    static JobReport refusal(JobOrder order, String problem) {
        return JobReport.of(
                order.job(),
                order.attempt(),
                order.node(),
                JobReport.Phase.REFUSED,
                null,
                0,
                0,
                null,
                "the director refused the order: " + problem,
                false);
    }
}
