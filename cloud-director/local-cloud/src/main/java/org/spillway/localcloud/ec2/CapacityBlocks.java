package org.spillway.localcloud.ec2;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Capacity blocks: looked for, then bought. A block that is bought begins at once here. It is targeted: "you must specify the
 * Capacity Block reservation ID when launching instances" (EC2 user guide, "Launch instances using Capacity Blocks").
 */
final class CapacityBlocks {
    private static final Pages.Kind OFFERINGS = new Pages.Kind(
            "capacityBlockOfferingSet", "CapacityBlockOfferingId", "", "InvalidParameterValue", Set.of());
    private final Things things;
    private final Stock stock;

    CapacityBlocks(Things things, Stock stock) {
        this.things = things;
        this.stock = stock;
    }

    void addTo(Map<String, Calls.Call> calls) {
        calls.put("DescribeCapacityBlockOfferings", this::offerings);
        calls.put("PurchaseCapacityBlock", this::purchase);
    }

    private void offerings(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String type = query.required("InstanceType");
        int count = query.whole("InstanceCount", 1, 1, 64);
        int hours = query.whole("CapacityDurationHours", 0, 24, 24 * 182);
        Thing subnet = things.of("subnet").getFirst();
        Thing offering = things.put(new Thing(
                Things.newId("cbo"),
                "capacity-block-offering",
                Map.of(
                        "instance-type",
                        type,
                        "availability-zone",
                        subnet.fact("availability-zone"),
                        "total",
                        Integer.toString(count)),
                Map.of()));
        Pages.write(
                query,
                out,
                OFFERINGS,
                List.of(offering),
                each -> out.leaf("capacityBlockOfferingId", each.id())
                        .leaf("instanceType", type)
                        .leaf("availabilityZone", each.fact("availability-zone"))
                        .leaf("instanceCount", count)
                        .leaf("capacityBlockDurationHours", hours)
                        .leaf("upfrontFee", "0")
                        .leaf("currencyCode", "USD")
                        .leaf("tenancy", "default"));
    }

    private void purchase(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String wanted = query.required("CapacityBlockOfferingId");
        Thing offering = things.find("capacity-block-offering", wanted)
                .orElseThrow(() -> Ec2Error.badValue("CapacityBlockOfferingId", wanted));
        Map<String, String> facts = new HashMap<>();
        for (String key : List.of("instance-type", "availability-zone", "total")) {
            facts.put(key, offering.fact(key));
        }
        facts.put("state", "active");
        facts.put("match", "targeted");
        facts.put("reservation-type", "capacity-block");
        String id = Things.newId("cr");
        Thing made = things.put(new Thing(id, "capacity-reservation", facts, query.tagsFor("capacity-reservation")));
        things.removeAll(List.of(wanted));
        out.open("capacityReservation");
        stock.reservation(out, made);
        out.close("capacityReservation");
        context.note(id);
    }
}
