package org.spillway.head.rest;

import java.util.ArrayList;
import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.OfferingView;
import org.spillway.api.OperationOrder;
import org.spillway.api.OperationView;
import org.spillway.policy.Money;

/** Bills in memory: each operation is running when it is begun, and done when it is looked at. */
public final class FakeAccounts implements SiteApi {
    public static final List<OperationView.ThingView> BILL = List.of(
            new OperationView.ThingView(
                    "instance", "i-1", Money.parse("0.50"), "OWNED", "node east-1 (ada)", "east-1", "ada", ""),
            new OperationView.ThingView(
                    "instance", "i-9", Money.parse("0.50"), "ORPHAN", "", "", "", "no live node was launched under i9"),
            new OperationView.ThingView(
                    "gateway", "nat-1", Money.parse("0.045"), "OWNED", "network of the site", "", "", ""),
            new OperationView.ThingView(
                    "key",
                    "k-1",
                    Money.ZERO,
                    "UNMARKED",
                    "",
                    "",
                    "",
                    "cannot be tagged: found by listing the account"));

    public final List<OperationOrder> orders = new ArrayList<>();
    public List<OperationView.ThingView> bill = BILL;
    /** Why operations fail; empty when they do not. */
    public String trouble = "";
    /** Whether what is deleted stays, as at a provider that is slow. */
    public boolean keeps;

    @Override
    public List<OfferingView> offerings(List<String> sites) {
        return List.of(
                offering("gpu-large", 1, "h100", 80L << 30, "good"),
                offering("small", 0, "", 0, "CAPACITY: none left\u001b[2J"));
    }

    private static OfferingView offering(String type, int gpus, String model, long gpuMemory, String health) {
        return new OfferingView(
                "east",
                "a",
                type,
                "on-demand",
                8,
                32L << 30,
                gpus,
                model,
                gpuMemory,
                gpus == 0 ? 0 : 1L << 40,
                gpus == 0 ? "" : "efa",
                "x86_64",
                List.of("arch:x86_64"),
                Money.parse("0.5"),
                health,
                null);
    }

    @Override
    public OperationView begin(OperationOrder order) {
        orders.add(order);
        return view(order, "RUNNING", List.of());
    }

    @Override
    public OperationView operation(String id) {
        if (orders.isEmpty()) {
            throw new ApiException(Code.NOT_FOUND, "there is no operation " + id, "");
        }
        OperationOrder order = orders.get(Integer.parseInt(id.substring(1)) - 1);
        if (!trouble.isEmpty()) {
            return view(order, "FAILED", List.of());
        }
        switch (order.kind()) {
            case "delete" ->
                bill = bill.stream()
                        .filter(one ->
                                keeps || !order.things().contains(new OperationOrder.ThingName(one.kind(), one.id())))
                        .toList();
            case "delete-network" ->
                bill = bill.stream()
                        .filter(one -> !one.owner().equals("network of the site"))
                        .toList();
            default -> {}
        }
        return view(
                order,
                "DONE",
                order.kind().equals("create-network")
                        ? bill.stream()
                                .filter(one -> one.owner().equals("network of the site"))
                                .toList()
                        : bill);
    }

    private OperationView view(OperationOrder order, String state, List<OperationView.ThingView> things) {
        return new OperationView(
                "e" + (orders.indexOf(order) + 1),
                order.kind(),
                order.site(),
                state,
                state.equals("FAILED") ? trouble : "",
                FakeHead.NOON,
                List.of(),
                things);
    }
}
