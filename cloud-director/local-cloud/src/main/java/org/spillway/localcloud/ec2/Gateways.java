package org.spillway.localcloud.ec2;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** NAT gateways and the public addresses that they hold. */
final class Gateways {
    private static final Pages.Kind NATS = new Pages.Kind(
            "natGatewaySet", "NatGatewayId", "", "NatGatewayNotFound", Set.of("nat-gateway-id", "state", "vpc-id"));
    private static final Pages.Kind ADDRESSES = new Pages.Kind(
            "addressesSet", "AllocationId", "", "InvalidAllocationID.NotFound", Set.of("allocation-id", "public-ip"));
    private final Things things;

    Gateways(Things things) {
        this.things = things;
    }

    void addTo(Map<String, Calls.Call> calls) {
        calls.put(
                "DescribeNatGateways",
                (query, out, context) ->
                        Pages.write(query, out, NATS, things.of("natgateway"), each -> nat(out, each)));
        calls.put(
                "DescribeAddresses",
                (query, out, context) ->
                        Pages.write(query, out, ADDRESSES, things.of("elastic-ip"), each -> address(out, each)));
        calls.put("AllocateAddress", this::allocate);
        calls.put("ReleaseAddress", this::release);
        calls.put("CreateNatGateway", this::createNat);
        calls.put("DeleteNatGateway", this::deleteNat);
    }

    private Thing find(String kind, String id, String notFound) throws Ec2Error {
        return things.find(kind, id).orElseThrow(() -> new Ec2Error(notFound, "The ID '" + id + "' does not exist"));
    }

    private static void wrap(Xml out, Thing nat) {
        out.open("natGateway");
        nat(out, nat);
        out.close("natGateway");
    }

    private void allocate(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String id = Things.newId("eipalloc");
        // A block that is kept for documentation: nobody's address.
        String address = "203.0.113." + (things.of("elastic-ip").size() % 254 + 1);
        Map<String, String> facts = Map.of("allocation-id", id, "public-ip", address);
        things.put(new Thing(id, "elastic-ip", facts, query.tagsFor("elastic-ip")));
        context.note(id);
        out.leaf("publicIp", address).leaf("allocationId", id).leaf("domain", "vpc");
    }

    private static void address(Xml out, Thing address) {
        out.leaf("publicIp", address.fact("public-ip"))
                .leaf("allocationId", address.id())
                .leaf("associationId", address.fact("association-id"))
                .leaf("networkInterfaceId", address.fact("network-interface-id"))
                .leaf("domain", "vpc")
                .tags(address.tags());
    }

    private void release(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing address = find("elastic-ip", query.required("AllocationId"), "InvalidAllocationID.NotFound");
        if (!address.fact("association-id").isEmpty()) {
            throw new Ec2Error("InvalidIPAddress.InUse", "Address " + address.fact("public-ip") + " is in use.");
        }
        things.removeAll(List.of(address.id()));
        out.leaf("return", true);
        context.note(address.id());
    }

    private void createNat(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing subnet = find("subnet", query.required("SubnetId"), "InvalidSubnetID.NotFound");
        Thing address = find("elastic-ip", query.required("AllocationId"), "InvalidAllocationID.NotFound");
        String token = query.get("ClientToken");
        for (Thing nat : things.of("natgateway")) {
            if (!token.isEmpty() && nat.fact("client-token").equals(token)) {
                wrap(out, nat);
                return;
            }
        }
        if (!address.fact("association-id").isEmpty()) {
            throw new Ec2Error("Resource.AlreadyAssociated", "Elastic IP address [" + address.id() + "] is in use");
        }
        String id = Things.newId("nat");
        Map<String, String> facts = new HashMap<>();
        facts.put("nat-gateway-id", id);
        facts.put("subnet-id", subnet.id());
        facts.put("vpc-id", subnet.fact("vpc-id"));
        facts.put("state", "available");
        facts.put("allocation-id", address.id());
        facts.put("public-ip", address.fact("public-ip"));
        facts.put("client-token", token);
        Thing made = things.put(new Thing(id, "natgateway", facts, query.tagsFor("natgateway")));
        context.note(id);
        things.put(address.with("association-id", "eipassoc-" + id.substring(4))
                .with("network-interface-id", "eni-" + id.substring(4)));
        wrap(out, made);
    }

    private static void nat(Xml out, Thing nat) {
        out.leaf("natGatewayId", nat.id())
                .leaf("subnetId", nat.fact("subnet-id"))
                .leaf("vpcId", nat.fact("vpc-id"))
                .leaf("state", nat.fact("state"));
        out.items(
                "natGatewayAddressSet",
                List.of(nat),
                each -> out.leaf("publicIp", each.fact("public-ip")).leaf("allocationId", each.fact("allocation-id")));
        out.tags(nat.tags());
    }

    /** A deleted gateway stays in listings, as in EC2, where it does so for about an hour. */
    private void deleteNat(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing nat = find("natgateway", query.required("NatGatewayId"), "NatGatewayNotFound");
        Optional<Thing> address = things.find("elastic-ip", nat.fact("allocation-id"));
        if (address.isPresent()) {
            things.put(address.get().with("association-id", "").with("network-interface-id", ""));
        }
        things.put(nat.with("state", "deleted").with("client-token", ""));
        out.leaf("natGatewayId", nat.id());
        context.note(nat.id());
    }
}
