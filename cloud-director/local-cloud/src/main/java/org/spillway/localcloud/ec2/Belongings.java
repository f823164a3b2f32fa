package org.spillway.localcloud.ec2;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.spillway.cloud.Instance;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.InstanceRecord;
import org.spillway.localcloud.StateDirectory;

/** Disks and interfaces of instances: they come and go with them, so nothing of them is kept. */
final class Belongings {
    private final CloudBehind cloud;
    private final Things things;

    Belongings(CloudBehind cloud, Things things) {
        this.cloud = cloud;
        this.things = things;
    }

    static String volumeId(InstanceRecord instance) {
        return "vol-" + instance.id().substring(2);
    }

    /** Disks of instances and the others. */
    List<Thing> volumes() {
        List<Thing> all = new ArrayList<>(things.of("volume"));
        for (InstanceRecord instance : present()) {
            Thing reservation = InstanceView.reservationOf(instance, things);
            Map<String, String> facts = new HashMap<>();
            facts.put("volume-id", volumeId(instance));
            facts.put("availability-zone", instance.zone());
            facts.put("status", "in-use");
            facts.put("size", reservation.fact("disk-gib"));
            for (String part : List.of("volume-type", "iops", "throughput", "kms-key-id")) {
                facts.put(part, reservation.fact(part));
            }
            facts.put("encrypted", reservation.fact("encrypted"));
            facts.put("attachment.instance-id", instance.id());
            facts.put("attachment.delete-on-termination", reservation.fact("delete-on-termination"));
            all.add(new Thing(volumeId(instance), "volume", facts, tags(reservation, "volume-tags")));
        }
        return all;
    }

    /** Interfaces of instances, of NAT gateways, and the others. */
    List<Thing> interfaces() {
        List<Thing> all = new ArrayList<>(things.of("network-interface"));
        for (InstanceRecord instance : present()) {
            Thing reservation = InstanceView.reservationOf(instance, things);
            int cards = Integer.parseInt(reservation.facts().getOrDefault("interfaces", "1"));
            for (int card = 0; card < cards; card++) {
                String id =
                        card == 0 ? "eni-" + instance.id().substring(2) : Digest.id("eni", instance.id() + "/" + card);
                Map<String, String> facts = networkFacts(id, reservation);
                facts.put("availability-zone", instance.zone());
                facts.put("attachment.instance-id", instance.id());
                facts.put("private-ip-address", instance.address());
                facts.put("interface-type", "interface");
                all.add(new Thing(id, "network-interface", facts, tags(reservation, "interface-tags")));
            }
        }
        for (Thing nat : things.of("natgateway")) {
            if (!nat.fact("state").equals("deleted")) {
                String id = "eni-" + nat.id().substring(4);
                Map<String, String> facts = networkFacts(id, nat);
                facts.put("interface-type", "nat_gateway");
                facts.put("description", "Interface for NAT Gateway " + nat.id());
                all.add(new Thing(id, "network-interface", facts, Map.of()));
            }
        }
        return all;
    }

    private static Map<String, String> networkFacts(String id, Thing of) {
        Map<String, String> facts = new HashMap<>();
        facts.put("network-interface-id", id);
        facts.put("subnet-id", of.fact("subnet-id"));
        facts.put("vpc-id", of.fact("vpc-id"));
        facts.put("group-id", of.fact("group-ids"));
        facts.put("status", "in-use");
        return facts;
    }

    private List<InstanceRecord> present() {
        return cloud.list(Map.of(), "", Integer.MAX_VALUE).stream()
                .filter(instance -> instance.state() != Instance.State.TERMINATED)
                .toList();
    }

    /** Whether an instance that is not gone stands in that placement group. */
    boolean inPlacementGroup(String name) {
        return present().stream()
                .anyMatch(i -> InstanceView.reservationOf(i, things)
                        .fact("placement-group")
                        .equals(name));
    }

    private static Map<String, String> tags(Thing reservation, String fact) {
        try {
            String json = reservation.fact(fact);
            return json.isEmpty()
                    ? Map.of()
                    : StateDirectory.JSON.readValue(json, new TypeReference<Map<String, String>>() {});
        } catch (JsonProcessingException damaged) {
            throw new IllegalStateException(damaged);
        }
    }
}
