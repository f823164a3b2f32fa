package org.spillway.localcloud.ec2;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Gateway endpoints of a VPC: routes to a service of the region ("Gateway endpoints"). */
final class Endpoints {
    private static final Pages.Kind ENDPOINTS = new Pages.Kind(
            "vpcEndpointSet",
            "VpcEndpointId",
            "",
            "InvalidVpcEndpointId.NotFound",
            Set.of("vpc-endpoint-id", "vpc-id", "service-name", "vpc-endpoint-state"));
    private final Things things;

    Endpoints(Things things) {
        this.things = things;
    }

    void addTo(Map<String, Calls.Call> calls) {
        calls.put(
                "DescribeVpcEndpoints",
                (query, out, context) ->
                        Pages.write(query, out, ENDPOINTS, things.of("vpc-endpoint"), each -> endpoint(out, each)));
        calls.put("CreateVpcEndpoint", this::create);
        calls.put("ModifyVpcEndpoint", this::modify);
        calls.put("DeleteVpcEndpoints", this::delete);
    }

    private void create(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String vpc = query.required("VpcId");
        String service = query.required("ServiceName");
        if (things.find("vpc", vpc).isEmpty()) {
            throw new Ec2Error("InvalidVpcId.NotFound", "The Vpc Id " + vpc + " does not exist");
        }
        if (!query.get("VpcEndpointType").equals("Gateway") || !service.matches("com\\.amazonaws\\.[a-z0-9-]+\\.s3")) {
            throw new Ec2Error("InvalidServiceName", "The Vpc Endpoint Service '" + service + "' does not exist");
        }
        List<String> tables = query.list("RouteTableId");
        checkFree(vpc, service, tables);
        String id = Things.newId("vpce");
        Map<String, String> facts = Map.of(
                "vpc-endpoint-id", id,
                "vpc-id", vpc,
                "service-name", service,
                "vpc-endpoint-state", "available",
                "route-table-ids", String.join(",", tables));
        Thing made = things.put(new Thing(id, "vpc-endpoint", facts, query.tagsFor("vpc-endpoint")));
        out.open("vpcEndpoint");
        endpoint(out, made);
        out.close("vpcEndpoint");
        context.note(id);
    }

    /** "Considerations" of gateway endpoints: a route table has one route to each service. */
    private void checkFree(String vpc, String service, List<String> tables) throws Ec2Error {
        for (String table : tables) {
            if (things.find("route-table", table)
                    .filter(found -> found.fact("vpc-id").equals(vpc))
                    .isEmpty()) {
                throw new Ec2Error("InvalidRouteTableId.NotFound", "The routeTable ID '" + table + "' does not exist");
            }
            for (Thing other : things.of("vpc-endpoint")) {
                if (other.fact("service-name").equals(service)
                        && other.facts("route-table-ids").contains(table)) {
                    throw new Ec2Error(
                            "RouteAlreadyExists", "route table " + table + " already has a route to " + service);
                }
            }
        }
    }

    private Thing find(String id) throws Ec2Error {
        return things.find("vpc-endpoint", id).orElseThrow(() -> unknown(id));
    }

    private static Ec2Error unknown(String id) {
        return new Ec2Error("InvalidVpcEndpointId.NotFound", "The Vpc Endpoint Id '" + id + "' does not exist");
    }

    private void modify(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Thing endpoint = find(query.required("VpcEndpointId"));
        List<String> more = query.list("AddRouteTableId");
        checkFree(endpoint.fact("vpc-id"), endpoint.fact("service-name"), more);
        List<String> tables = new ArrayList<>(endpoint.facts("route-table-ids"));
        tables.addAll(more);
        things.put(endpoint.with("route-table-ids", String.join(",", tables)));
        out.leaf("return", true);
        context.note(endpoint.id());
    }

    /** DeleteVpcEndpoints: "Information about the VPC endpoints that were not successfully deleted" is in its answer. */
    private void delete(Query query, Xml out, Calls.Context context) throws IOException {
        List<String> unknown = new ArrayList<>();
        for (String id : query.list("VpcEndpointId")) {
            Optional<Thing> found = things.find("vpc-endpoint", id);
            if (found.isPresent()) {
                things.removeAll(List.of(id));
            } else {
                unknown.add(id);
            }
            context.note(id);
        }
        out.items("unsuccessful", unknown, id -> {
            Ec2Error why = unknown(id);
            out.leaf("resourceId", id)
                    .open("error")
                    .leaf("code", why.code())
                    .leaf("message", String.valueOf(why.getMessage()))
                    .close("error");
        });
    }

    private static void endpoint(Xml out, Thing endpoint) {
        out.leaf("vpcEndpointId", endpoint.id())
                .leaf("vpcEndpointType", "Gateway")
                .leaf("vpcId", endpoint.fact("vpc-id"))
                .leaf("serviceName", endpoint.fact("service-name"))
                .leaf("state", endpoint.fact("vpc-endpoint-state"));
        out.items("routeTableIdSet", endpoint.facts("route-table-ids"), out::text);
        out.tags(endpoint.tags());
    }
}
