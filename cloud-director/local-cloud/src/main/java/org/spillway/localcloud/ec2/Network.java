package org.spillway.localcloud.ec2;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.localcloud.CloudBehind;

/** Networks, subnets, routes, gateways and addresses; what depends on something keeps it from being deleted. */
final class Network {
    private static final Pages.Kind VPCS = new Pages.Kind(
            "vpcSet", "VpcId", "", "InvalidVpcID.NotFound", Set.of("vpc-id", "state", "is-default", "cidr-block"));
    private static final Pages.Kind SUBNETS = new Pages.Kind(
            "subnetSet",
            "SubnetId",
            "",
            "InvalidSubnetID.NotFound",
            Set.of("subnet-id", "vpc-id", "availability-zone", "state"));
    private static final Pages.Kind INTERNET = new Pages.Kind(
            "internetGatewaySet",
            "InternetGatewayId",
            "",
            "InvalidInternetGatewayID.NotFound",
            Set.of("internet-gateway-id", "attachment.vpc-id"));
    private static final Pages.Kind TABLES = new Pages.Kind(
            "routeTableSet", "RouteTableId", "", "InvalidRouteTableID.NotFound", Set.of("route-table-id", "vpc-id"));
    private static final int ADDRESSES = 4091;
    private final CloudBehind cloud;
    private final Things things;
    private final Belongings belongings;

    Network(CloudBehind cloud, Things things, Belongings belongings) {
        this.cloud = cloud;
        this.things = things;
        this.belongings = belongings;
    }

    void addTo(Map<String, Calls.Call> calls) {
        describe(calls, "DescribeVpcs", VPCS, "vpc", Network::vpc);
        describe(calls, "DescribeSubnets", SUBNETS, "subnet", this::subnet);
        describe(calls, "DescribeInternetGateways", INTERNET, "internet-gateway", Network::internet);
        describe(calls, "DescribeRouteTables", TABLES, "route-table", this::table);
        calls.put("CreateVpc", this::createVpc);
        calls.put("DeleteVpc", this::deleteVpc);
        calls.put("CreateSubnet", this::createSubnet);
        calls.put("DeleteSubnet", this::deleteSubnet);
        calls.put("CreateInternetGateway", this::createInternet);
        calls.put("AttachInternetGateway", (query, out, context) -> attach(query, out, query.required("VpcId")));
        calls.put("DetachInternetGateway", (query, out, context) -> attach(query, out, ""));
        calls.put("DeleteInternetGateway", this::deleteInternet);
        calls.put("CreateRouteTable", this::createTable);
        calls.put("CreateRoute", this::createRoute);
        calls.put("ReplaceRoute", this::replaceRoute);
        calls.put("AssociateRouteTable", this::associate);
        calls.put("DisassociateRouteTable", this::disassociate);
        calls.put("DeleteRouteTable", this::deleteTable);
    }

    private interface View {
        void write(Xml out, Thing thing);
    }

    private void describe(Map<String, Calls.Call> calls, String action, Pages.Kind kind, String things, View view) {
        calls.put(
                action,
                (query, out, context) ->
                        Pages.write(query, out, kind, this.things.of(things), each -> view.write(out, each)));
    }

    private Thing find(String kind, String id, String notFound) throws Ec2Error {
        return things.find(kind, id).orElseThrow(() -> new Ec2Error(notFound, "The ID '" + id + "' does not exist"));
    }

    private Thing make(String kind, String id, Map<String, String> facts, Query query, Calls.Context context)
            throws Ec2Error, IOException {
        context.note(id);
        return things.put(new Thing(id, kind, facts, query.tagsFor(kind)));
    }

    private void remove(Thing thing, Xml out, Calls.Context context) throws IOException {
        things.removeAll(List.of(thing.id()));
        out.leaf("return", true);
        context.note(thing.id());
    }

    private static void wrap(Xml out, String element, Thing thing, View view) {
        out.open(element);
        view.write(out, thing);
        out.close(element);
    }

    private void createVpc(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String id = Things.newId("vpc");
        Map<String, String> facts = Map.of(
                "vpc-id", id, "cidr-block", query.required("CidrBlock"), "state", "available", "is-default", "false");
        Thing made = make("vpc", id, facts, query, context);
        String group = Things.newId("sg");
        String table = Things.newId("rtb");
        things.putAll(List.of(
                new Thing(
                        group,
                        "security-group",
                        Map.of("group-id", group, "group-name", "default", "vpc-id", id, "description", "default"),
                        Map.of()),
                new Thing(
                        table,
                        "route-table",
                        Map.of("route-table-id", table, "vpc-id", id, "main", "true"),
                        Map.of())));
        wrap(out, "vpc", made, Network::vpc);
    }

    private static void vpc(Xml out, Thing vpc) {
        out.leaf("vpcId", vpc.id())
                .leaf("state", vpc.fact("state"))
                .leaf("cidrBlock", vpc.fact("cidr-block"))
                .leaf("isDefault", vpc.fact("is-default"))
                .tags(vpc.tags());
    }

    private void deleteVpc(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing vpc = find("vpc", query.required("VpcId"), "InvalidVpcID.NotFound");
        List<String> own = new ArrayList<>(List.of(vpc.id()));
        for (Thing thing : things.all()) {
            boolean inside = thing.fact("vpc-id").equals(vpc.id())
                    || thing.fact("attachment.vpc-id").equals(vpc.id());
            boolean ofEveryNetwork = thing.fact("main").equals("true")
                    || (thing.kind().equals("security-group")
                            && thing.fact("group-name").equals("default"));
            boolean gone = thing.fact("state").equals("deleted") || thing.kind().equals("reservation");
            if (inside && ofEveryNetwork) {
                own.add(thing.id());
            } else if (inside && !gone && !thing.id().equals(vpc.id())) {
                throw Ec2Error.inUse("The vpc '" + vpc.id() + "'", thing.id());
            }
        }
        things.removeAll(own);
        out.leaf("return", true);
        context.note(vpc.id());
    }

    private void createSubnet(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing vpc = find("vpc", query.required("VpcId"), "InvalidVpcID.NotFound");
        String cidr = query.required("CidrBlock");
        if (things.of("subnet").stream()
                .anyMatch(s -> s.fact("vpc-id").equals(vpc.id())
                        && s.fact("cidr-block").equals(cidr))) {
            throw new Ec2Error("InvalidSubnet.Conflict", "The CIDR '" + cidr + "' conflicts with another subnet");
        }
        String id = Things.newId("subnet");
        Map<String, String> facts = Map.of(
                "subnet-id",
                id,
                "vpc-id",
                vpc.id(),
                "availability-zone",
                query.required("AvailabilityZone"),
                "cidr-block",
                cidr,
                "state",
                "available");
        wrap(out, "subnet", make("subnet", id, facts, query, context), this::subnet);
    }

    private void subnet(Xml out, Thing subnet) {
        out.leaf("subnetId", subnet.id())
                .leaf("state", subnet.fact("state"))
                .leaf("vpcId", subnet.fact("vpc-id"))
                .leaf("cidrBlock", subnet.fact("cidr-block"))
                .leaf("availableIpAddressCount", Ec2Broken.SUBNET_FULL.is(cloud) ? 0 : ADDRESSES)
                .leaf("availabilityZone", subnet.fact("availability-zone"))
                .tags(subnet.tags());
    }

    private void deleteSubnet(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing subnet = find("subnet", query.required("SubnetId"), "InvalidSubnetID.NotFound");
        for (Thing card : belongings.interfaces()) {
            if (card.fact("subnet-id").equals(subnet.id())) {
                throw Ec2Error.inUse("The subnet '" + subnet.id() + "'", card.id());
            }
        }
        for (Thing table : things.of("route-table")) {
            if (table.facts("association.subnet-id").contains(subnet.id())) {
                things.put(without(table, "association.subnet-id", subnet.id()));
            }
        }
        remove(subnet, out, context);
    }

    private static Thing without(Thing thing, String fact, String value) {
        List<String> left = new ArrayList<>(thing.facts(fact));
        left.remove(value);
        return thing.with(fact, String.join(",", left));
    }

    private void createInternet(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String id = Things.newId("igw");
        Thing made = make("internet-gateway", id, Map.of("internet-gateway-id", id), query, context);
        wrap(out, "internetGateway", made, Network::internet);
    }

    private static void internet(Xml out, Thing gateway) {
        out.leaf("internetGatewayId", gateway.id());
        out.items(
                "attachmentSet",
                gateway.facts("attachment.vpc-id"),
                vpc -> out.leaf("vpcId", vpc).leaf("state", "available"));
        out.tags(gateway.tags());
    }

    private void attach(Query query, Xml out, String vpc) throws Ec2Error, IOException {
        Thing gateway =
                find("internet-gateway", query.required("InternetGatewayId"), "InvalidInternetGatewayID.NotFound");
        String now = gateway.fact("attachment.vpc-id");
        if (!vpc.isEmpty() && !now.isEmpty()) {
            throw new Ec2Error("Resource.AlreadyAssociated", gateway.id() + " is already attached to " + now);
        }
        if (vpc.isEmpty() && !now.equals(query.get("VpcId"))) {
            throw new Ec2Error("Gateway.NotAttached", gateway.id() + " is not attached to " + query.get("VpcId"));
        }
        if (vpc.isEmpty()) {
            for (Thing nat : things.of("natgateway")) {
                if (nat.fact("vpc-id").equals(now) && !nat.fact("state").equals("deleted")) {
                    throw Ec2Error.inUse("Network " + now, "mapped public address " + nat.fact("public-ip"));
                }
            }
        } else {
            find("vpc", vpc, "InvalidVpcID.NotFound");
        }
        things.put(gateway.with("attachment.vpc-id", vpc));
        out.leaf("return", true);
    }

    private void deleteInternet(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing gateway =
                find("internet-gateway", query.required("InternetGatewayId"), "InvalidInternetGatewayID.NotFound");
        if (!gateway.fact("attachment.vpc-id").isEmpty()) {
            throw Ec2Error.inUse(gateway.id(), gateway.fact("attachment.vpc-id"));
        }
        remove(gateway, out, context);
    }

    private void createTable(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing vpc = find("vpc", query.required("VpcId"), "InvalidVpcID.NotFound");
        String id = Things.newId("rtb");
        Map<String, String> facts = Map.of("route-table-id", id, "vpc-id", vpc.id());
        wrap(out, "routeTable", make("route-table", id, facts, query, context), this::table);
    }

    private static String association(Thing table, String subnet) {
        return Digest.id("rtbassoc", table.id() + subnet);
    }

    private void table(Xml out, Thing table) {
        out.leaf("routeTableId", table.id()).leaf("vpcId", table.fact("vpc-id"));
        List<String> routes = Ec2Broken.NO_ROUTE.is(cloud) ? List.of() : table.facts("routes");
        out.items("routeSet", routes, route -> {
            String[] part = route.split(" ", -1);
            out.leaf("destinationCidrBlock", part[0])
                    .leaf(part[1].startsWith("nat-") ? "natGatewayId" : "gatewayId", part[1])
                    .leaf("state", leadsOn(part[1]) ? "active" : "blackhole");
        });
        List<String> subnets = new ArrayList<>(table.facts("association.subnet-id"));
        if (table.fact("main").equals("true")) {
            subnets.addFirst("");
        }
        out.items(
                "associationSet",
                subnets,
                subnet -> out.leaf("routeTableAssociationId", association(table, subnet))
                        .leaf("routeTableId", table.id())
                        .leaf("subnetId", subnet)
                        .leaf("main", subnet.isEmpty()));
        out.tags(table.tags());
    }

    private boolean leadsOn(String gateway) {
        return things.find("internet-gateway", gateway).isPresent()
                || things.find("natgateway", gateway)
                        .filter(nat -> nat.fact("state").equals("available"))
                        .isPresent();
    }

    private void replaceRoute(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing table = find("route-table", query.required("RouteTableId"), "InvalidRouteTableID.NotFound");
        String gateway = query.get("GatewayId") + query.get("NatGatewayId");
        String destination = query.required("DestinationCidrBlock");
        List<String> routes = new ArrayList<>(table.facts("routes"));
        if (!routes.removeIf(route -> route.startsWith(destination + " "))) {
            throw new Ec2Error("InvalidRoute.NotFound", "There is no route " + destination + " in " + table.id());
        }
        if (!leadsOn(gateway)) {
            throw new Ec2Error("InvalidGatewayID.NotFound", "The gateway ID '" + gateway + "' does not exist");
        }
        routes.add(destination + " " + gateway);
        things.put(table.with("routes", String.join(",", routes)));
        out.leaf("return", true);
        context.note(table.id());
    }

    private void createRoute(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing table = find("route-table", query.required("RouteTableId"), "InvalidRouteTableID.NotFound");
        String gateway = query.get("GatewayId") + query.get("NatGatewayId");
        String destination = query.required("DestinationCidrBlock");
        List<String> routes = new ArrayList<>(table.facts("routes"));
        if (routes.stream().anyMatch(route -> route.startsWith(destination + " "))) {
            throw new Ec2Error("RouteAlreadyExists", "The route identified by " + destination + " already exists.");
        }
        if (things.find("internet-gateway", gateway).isEmpty()
                && things.find("natgateway", gateway).isEmpty()) {
            throw new Ec2Error("InvalidGatewayID.NotFound", "The gateway ID '" + gateway + "' does not exist");
        }
        routes.add(destination + " " + gateway);
        things.put(table.with("routes", String.join(",", routes)));
        out.leaf("return", true);
        context.note(table.id());
    }

    private void associate(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing table = find("route-table", query.required("RouteTableId"), "InvalidRouteTableID.NotFound");
        Thing subnet = find("subnet", query.required("SubnetId"), "InvalidSubnetID.NotFound");
        for (Thing other : things.of("route-table")) {
            if (other.facts("association.subnet-id").contains(subnet.id())
                    && !other.id().equals(table.id())) {
                throw new Ec2Error("Resource.AlreadyAssociated", subnet.id() + " already has a route table");
            }
        }
        if (!table.facts("association.subnet-id").contains(subnet.id())) {
            List<String> all = new ArrayList<>(table.facts("association.subnet-id"));
            all.add(subnet.id());
            things.put(table.with("association.subnet-id", String.join(",", all)));
        }
        out.leaf("associationId", association(table, subnet.id()));
        context.note(table.id());
    }

    private void disassociate(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String id = query.required("AssociationId");
        for (Thing table : things.of("route-table")) {
            for (String subnet : table.facts("association.subnet-id")) {
                if (association(table, subnet).equals(id)) {
                    things.put(without(table, "association.subnet-id", subnet));
                    out.leaf("return", true);
                    context.note(id);
                    return;
                }
            }
        }
        throw new Ec2Error("InvalidAssociationID.NotFound", "The association ID '" + id + "' does not exist");
    }

    private void deleteTable(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing table = find("route-table", query.required("RouteTableId"), "InvalidRouteTableID.NotFound");
        if (!table.facts("association.subnet-id").isEmpty()) {
            throw Ec2Error.inUse("The route table '" + table.id() + "'", table.fact("association.subnet-id"));
        }
        remove(table, out, context);
    }
}
