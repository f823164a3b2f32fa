package org.spillway.director;

import java.util.List;
import java.util.TreeMap;
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
            case "inputs" -> Answer.ok(inputs(order));
            case "outputs" -> Answer.ok(outputs(order));
            case "facts" ->
                Answer.ok("user " + order.user() + "\nuid " + order.uid() + "\ngid " + order.gid() + "\nwalltime "
                        + order.walltimeSeconds() + "\n");
            default -> Answer.error(404, "no such thing");
        };
    }

    private static String nulEnded(List<String> values) {
        StringBuilder text = new StringBuilder();
        values.forEach(value -> text.append(value).append('\0'));
        return text.toString();
    }

    /** {@code INDEX BYTES SHA256 PATH}; paths bear no control character. */
    private static String inputs(JobOrder order) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < order.inputs().size(); i++) {
            JobOrder.Input input = order.inputs().get(i);
            text.append(i).append(' ').append(input.bytes()).append(' ');
            text.append(input.sha256()).append(' ').append(input.path()).append('\n');
        }
        return text.toString();
    }

    /** {@code INDEX PATH}. */
    private static String outputs(JobOrder order) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < order.outputs().size(); i++) {
            text.append(i).append(' ').append(order.outputs().get(i).path()).append('\n');
        }
        return text.toString();
    }
}
