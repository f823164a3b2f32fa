package org.spillway.localcloud.ec2;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Security groups, key pairs and placement groups. */
final class Groups {
    private static final Pages.Kind SECURITY = new Pages.Kind(
            "securityGroupInfo", "GroupId", "", "InvalidGroup.NotFound", Set.of("group-id", "group-name", "vpc-id"));
    private static final Pages.Kind KEYS = new Pages.Kind(
            "keySet", "KeyName", "key-name", "InvalidKeyPair.NotFound", Set.of("key-name", "key-pair-id"));
    private static final Pages.Kind PLACEMENT = new Pages.Kind(
            "placementGroupSet",
            "GroupName",
            "group-name",
            "InvalidPlacementGroup.Unknown",
            Set.of("group-name", "strategy", "state"));
    private final Things things;
    private final Belongings belongings;

    Groups(Things things, Belongings belongings) {
        this.things = things;
        this.belongings = belongings;
    }

    void addTo(Map<String, Calls.Call> calls) {
        calls.put("CreateSecurityGroup", this::createSecurity);
        calls.put(
                "DescribeSecurityGroups",
                (query, out, context) ->
                        Pages.write(query, out, SECURITY, things.of("security-group"), each -> security(out, each)));
        calls.put("DeleteSecurityGroup", this::deleteSecurity);
        calls.put("AuthorizeSecurityGroupIngress", (query, out, context) -> authorize(query, out, "ingress"));
        calls.put("RevokeSecurityGroupIngress", (query, out, context) -> revoke(query, out));
        calls.put("AuthorizeSecurityGroupEgress", (query, out, context) -> authorize(query, out, "egress"));
        calls.put("ImportKeyPair", this::importKey);
        calls.put(
                "DescribeKeyPairs",
                (query, out, context) -> Pages.write(query, out, KEYS, things.of("key-pair"), each -> key(out, each)));
        calls.put("DeleteKeyPair", this::deleteKey);
        calls.put("CreatePlacementGroup", this::createPlacement);
        calls.put(
                "DescribePlacementGroups",
                (query, out, context) ->
                        Pages.write(query, out, PLACEMENT, things.of("placement-group"), each -> placement(out, each)));
        calls.put("DeletePlacementGroup", this::deletePlacement);
    }

    private Optional<Thing> byFact(String kind, String fact, String value) {
        return things.of(kind).stream()
                .filter(thing -> thing.fact(fact).equals(value))
                .findFirst();
    }

    private void createSecurity(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String name = query.required("GroupName");
        String vpc = query.get("VpcId").isEmpty() ? Defaults.VPC : query.get("VpcId");
        if (things.find("vpc", vpc).isEmpty()) {
            throw new Ec2Error("InvalidVpcID.NotFound", "The vpc ID '" + vpc + "' does not exist");
        }
        if (things.of("security-group").stream()
                .anyMatch(g ->
                        g.fact("group-name").equals(name) && g.fact("vpc-id").equals(vpc))) {
            throw new Ec2Error("InvalidGroup.Duplicate", "The security group '" + name + "' already exists");
        }
        String id = Things.newId("sg");
        Map<String, String> facts = Map.of(
                "group-id",
                id,
                "group-name",
                name,
                "vpc-id",
                vpc,
                "description",
                query.required("GroupDescription"),
                // As EC2 makes it: everything out.
                "egress",
                "-1 -1 -1 0.0.0.0/0");
        things.put(new Thing(id, "security-group", facts, query.tagsFor("security-group")));
        out.leaf("return", true).leaf("groupId", id);
        context.note(id);
    }

    private static void security(Xml out, Thing group) {
        out.leaf("ownerId", Ec2Front.ACCOUNT)
                .leaf("groupId", group.id())
                .leaf("groupName", group.fact("group-name"))
                .leaf("groupDescription", group.fact("description"))
                .leaf("vpcId", group.fact("vpc-id"));
        rules(out, "ipPermissions", group.facts("ingress"));
        rules(out, "ipPermissionsEgress", group.facts("egress"));
        out.tags(group.tags());
    }

    private static void rules(Xml out, String name, List<String> rules) {
        out.items(name, rules, rule -> {
            String[] part = rule.split(" ", -1);
            out.leaf("ipProtocol", part[0]);
            if (!part[1].equals("-1")) {
                out.leaf("fromPort", part[1]).leaf("toPort", part[2]);
            }
            boolean group = part[3].startsWith("sg-");
            out.items("groups", group ? List.of(part[3]) : List.of(), id -> out.leaf("groupId", id));
            out.items("ipRanges", group ? List.of() : List.of(part[3]), cidr -> out.leaf("cidrIp", cidr));
        });
    }

    private void authorize(Query query, Xml out, String direction) throws Ec2Error, IOException {
        Thing group = things.find("security-group", query.required("GroupId"))
                .orElseThrow(() -> new Ec2Error("InvalidGroup.NotFound", "The security group does not exist"));
        List<String> rules = new ArrayList<>(group.facts(direction));
        for (Query permission : query.structures("IpPermissions")) {
            String from = permission.get("FromPort").isEmpty() ? "-1" : permission.get("FromPort");
            String to = permission.get("ToPort").isEmpty() ? "-1" : permission.get("ToPort");
            List<String> ends = new ArrayList<>();
            permission.structures("Groups").forEach(g -> ends.add(g.get("GroupId")));
            permission.structures("IpRanges").forEach(r -> ends.add(r.get("CidrIp")));
            for (String end : ends) {
                if (!end.matches("sg-[0-9a-f]+|[0-9.]+/[0-9]{1,2}")) {
                    throw Ec2Error.badValue("CidrIp", end);
                }
                String rule = permission.required("IpProtocol") + " " + from + " " + to + " " + end;
                if (rules.contains(rule)) {
                    throw new Ec2Error(
                            "InvalidPermission.Duplicate", "the specified rule \"" + rule + "\" already exists");
                }
                rules.add(rule);
            }
        }
        things.put(group.with(direction, String.join(",", rules)));
        out.leaf("return", true);
    }

    private void revoke(Query query, Xml out) throws Ec2Error, IOException {
        Thing group = things.find("security-group", query.required("GroupId"))
                .orElseThrow(() -> new Ec2Error("InvalidGroup.NotFound", "The security group does not exist"));
        List<String> rules = new ArrayList<>(group.facts("ingress"));
        for (Query permission : query.structures("IpPermissions")) {
            for (Query range : permission.structures("IpRanges")) {
                String rule = permission.required("IpProtocol") + " " + permission.get("FromPort") + " "
                        + permission.get("ToPort") + " " + range.get("CidrIp");
                if (!rules.remove(rule)) {
                    throw new Ec2Error(
                            "InvalidPermission.NotFound", "The specified rule does not exist in this security group.");
                }
            }
        }
        things.put(group.with("ingress", String.join(",", rules)));
        out.leaf("return", true);
    }

    private void deleteSecurity(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String id = query.required("GroupId");
        if (things.find("security-group", id).isEmpty()) {
            throw new Ec2Error("InvalidGroup.NotFound", "The security group '" + id + "' does not exist");
        }
        boolean used = belongings.interfaces().stream()
                .anyMatch(card -> card.facts("group-id").contains(id));
        boolean named = things.of("security-group").stream()
                .anyMatch(other ->
                        !other.id().equals(id) && (other.fact("ingress") + other.fact("egress")).contains(" " + id));
        if (used || named) {
            throw Ec2Error.inUse(id, used ? "a network interface" : "another group's rule");
        }
        things.removeAll(List.of(id));
        out.leaf("return", true);
        context.note(id);
    }

    private void importKey(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String name = query.required("KeyName");
        if (byFact("key-pair", "key-name", name).isPresent()) {
            throw new Ec2Error("InvalidKeyPair.Duplicate", "The keypair '" + name + "' already exists.");
        }
        String id = Things.newId("key");
        String fingerprint = Digest.hex(query.required("PublicKeyMaterial")).substring(0, 32);
        things.put(new Thing(
                id,
                "key-pair",
                Map.of("key-pair-id", id, "key-name", name, "fingerprint", fingerprint),
                query.tagsFor("key-pair")));
        out.leaf("keyName", name).leaf("keyFingerprint", fingerprint).leaf("keyPairId", id);
        context.note(name);
    }

    private static void key(Xml out, Thing key) {
        out.leaf("keyPairId", key.id())
                .leaf("keyName", key.fact("key-name"))
                .leaf("keyFingerprint", key.fact("fingerprint"))
                .tags(key.tags());
    }

    /** As EC2 does, it says true for a key that there is not. */
    private void deleteKey(Query query, Xml out, Calls.Context context) throws IOException {
        Optional<Thing> key = query.get("KeyPairId").isEmpty()
                ? byFact("key-pair", "key-name", query.get("KeyName"))
                : things.find("key-pair", query.get("KeyPairId"));
        if (key.isPresent()) {
            things.removeAll(List.of(key.get().id()));
        }
        out.leaf("return", true);
        context.note(query.get("KeyPairId") + query.get("KeyName"));
    }

    private void createPlacement(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String name = query.required("GroupName");
        if (byFact("placement-group", "group-name", name).isPresent()) {
            throw new Ec2Error("InvalidPlacementGroup.Duplicate", "The Placement Group '" + name + "' already exists.");
        }
        String id = Things.newId("pg");
        Map<String, String> facts = new HashMap<>();
        facts.put("group-id", id);
        facts.put("group-name", name);
        facts.put("strategy", query.required("Strategy"));
        facts.put("state", "available");
        Thing made = things.put(new Thing(id, "placement-group", facts, query.tagsFor("placement-group")));
        out.leaf("return", true).open("placementGroup");
        placement(out, made);
        out.close("placementGroup");
        context.note(name);
    }

    private static void placement(Xml out, Thing group) {
        out.leaf("groupName", group.fact("group-name"))
                .leaf("groupId", group.id())
                .leaf("strategy", group.fact("strategy"))
                .leaf("state", group.fact("state"))
                .tags(group.tags());
    }

    private void deletePlacement(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        String name = query.required("GroupName");
        Thing group = byFact("placement-group", "group-name", name)
                .orElseThrow(() -> new Ec2Error(
                        "InvalidPlacementGroup.Unknown", "The Placement Group '" + name + "' is unknown."));
        if (belongings.inPlacementGroup(name)) {
            throw new Ec2Error("InvalidPlacementGroup.InUse", "The placement group '" + name + "' is in use.");
        }
        things.removeAll(List.of(group.id()));
        out.leaf("return", true);
        context.note(name);
    }
}
