package org.spillway.head.service;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.NodeOrder;
import org.spillway.api.NodeTurnOrder;
import org.spillway.api.NodeView;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.loop.nodes.NodeAction;
import org.spillway.head.loop.nodes.NodeTurn;
import org.spillway.head.loop.nodes.OrderRefused;
import org.spillway.head.loop.state.NodePurchase;
import org.spillway.policy.Market;

/** Orders of administrators for nodes. */
record NodesByHand(Loop loop, LoopRunner runner, Function<NodeRecord, NodeView> view) {
    List<NodeView> add(String user, NodeOrder order) {
        Market market = Market.valueOf(order.market().toUpperCase(Locale.ROOT).replace('-', '_'));
        NodePurchase purchase =
                new NodePurchase(order.site(), order.type(), order.zone(), market, order.count(), order.keep(), user);
        return runner.ask(now ->
                refusing(() -> loop.addNodes(purchase, now)).stream().map(view).toList());
    }

    NodeView change(String id, String action) {
        NodeAction wanted = NodeAction.of(action)
                .orElseThrow(() -> new ApiException(
                        Code.BAD_REQUEST,
                        "action: found '" + action + "'",
                        "allowed: "
                                + Arrays.stream(NodeAction.values())
                                        .map(NodeAction::text)
                                        .collect(Collectors.joining(", "))
                                + ", repurpose, join, leave"));
        return runner.ask(now -> view.apply(refusing(() -> loop.changeNode(id, wanted, now))));
    }

    NodeView turn(String id, String action, NodeTurnOrder order) {
        NodeTurn turn = switch (action) {
            case "repurpose" -> new NodeTurn(NodeTurn.Kind.REPURPOSE, order.category(), order.drain());
            case "join" -> new NodeTurn(NodeTurn.Kind.JOIN, order.overlay(), order.drain());
            default -> new NodeTurn(NodeTurn.Kind.LEAVE, order.overlay(), order.drain());
        };
        return runner.ask(now -> view.apply(refusing(() -> loop.turnNode(id, turn, now))));
    }

    private static <T> T refusing(Supplier<T> order) {
        try {
            return order.get();
        } catch (OrderRefused refused) {
            Code code = switch (refused.kind()) {
                case NOT_FOUND -> Code.NOT_FOUND;
                case CONFLICT -> Code.CONFLICT;
                case NO_OFFERING -> Code.NO_OFFERING;
                case LIMIT -> Code.LIMIT_EXCEEDED;
            };
            throw new ApiException(code, String.valueOf(refused.getMessage()), refused.hint());
        }
    }
}
