package org.spillway.director;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.JobOrder;

/** Parts of an order in forms that a POSIX shell reads without ever evaluating them. */
final class OrderText {
    private OrderText() {}

    static Answer part(JobOrder order, String part) {
        return switch (part) {
            case "script" -> Answer.ok(order.script());
            case "arguments" -> Answer.ok(nulEnded(order.arguments()));
            case "environment" ->
                Answer.ok(nulEnded(new TreeMap<>(order.environment())
                        .entrySet().stream()
                                .map(entry -> entry.getKey() + "=" + entry.getValue())
                                .toList()));
            case "inputs" -> Answer.ok(input(order));
            case "collect" -> Answer.ok(nulEnded(expression(order.collect())));
            default -> Answer.error(404, "no such thing");
        };
    }

    private static String nulEnded(List<String> values) {
        StringBuilder text = new StringBuilder();
        values.forEach(value -> text.append(value).append('\0'));
        return text.toString();
    }

    /** {@code BYTES SHA256}, or nothing. */
    private static String input(JobOrder order) {
        return order.inputs().stream()
                .map(input -> input.bytes() + " " + input.sha256() + "\n")
                .collect(Collectors.joining());
    }

    /** Words for find that say which paths to take, behind its other tests. */
    private static List<String> expression(List<String> collect) {
        List<String> words = new ArrayList<>();
        for (String each : collect) {
            words.add(words.isEmpty() ? "(" : "-o");
            words.add("-regex");
            words.add(each);
        }
        if (!words.isEmpty()) {
            words.add(")");
        }
        return words;
    }

    private static String share(JobOrder.@Nullable Share share) {
        return share == null
                ? ""
                : "cpus " + share.cpus() + "\nmemory " + share.memoryBytes() + "\ngpus " + share.gpus() + "\n";
    }

    private static String checkpoint(JobOrder.@Nullable Input left) {
        return left == null ? "" : "checkpoint " + left.bytes() + " " + left.sha256() + "\n";
    }

    private static String sync(JobOrder.@Nullable Sync sync) {
        return sync == null ? "" : "sync " + sync.seconds() + "\n";
    }

    private static String container(JobOrder.@Nullable Image image) {
        return image == null ? "" : "container " + image.name() + "\n";
    }

    /** Lines of a word and its value. */
    static String facts(JobOrder order) {
        JobOrder.Foreign foreign = order.foreign();
        String place = foreign == null
                ? ""
                : "manager " + foreign.manager() + "\nforeign " + foreign.job() + "\nfolder " + foreign.folder() + "\n";
        return "user " + order.user() + "\nuid " + order.uid() + "\ngid " + order.gid() + "\nwalltime "
                + order.walltimeSeconds() + "\nrank " + order.rank() + "\nnodes "
                + Math.max(1, order.peers().size()) + "\npeers " + String.join(",", order.peers()) + "\n" + place
                + share(order.share()) + checkpoint(order.checkpoint()) + sync(order.sync())
                + container(order.container());
    }
}
