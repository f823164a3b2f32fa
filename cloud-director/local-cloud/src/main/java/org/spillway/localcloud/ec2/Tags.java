package org.spillway.localcloud.ec2;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.spillway.localcloud.CloudBehind;
import org.spillway.localcloud.InstanceRecord;

/** DescribeTags and CreateTags, over things of all kinds. */
final class Tags {
    private static final Set<String> FILTERS = Set.of("resource-id", "resource-type", "key", "value");
    private final CloudBehind cloud;
    private final Things things;
    private final Belongings belongings;

    Tags(CloudBehind cloud, Things things, Belongings belongings) {
        this.cloud = cloud;
        this.things = things;
        this.belongings = belongings;
    }

    void addTo(Map<String, Calls.Call> calls) {
        calls.put("DescribeTags", this::describe);
        calls.put("CreateTags", this::create);
    }

    private void describe(Query query, Xml out, Calls.Context context) throws Ec2Error {
        Filters filters = Filters.of(query, FILTERS);
        List<Thing> tags = new ArrayList<>();
        for (Query filter : query.structures("Filter")) {
            if (filter.get("Name").equals("resource-id")) {
                filter.list("Value").forEach(id -> tags.addAll(of(id)));
            }
        }
        if (tags.isEmpty()) {
            for (Thing thing : things.all()) {
                tags.addAll(each(thing.id(), thing.kind(), thing.tags()));
            }
        }
        out.items(
                "tagSet",
                tags.stream().filter(filters::match).toList(),
                tag -> out.leaf("resourceId", tag.fact("resource-id"))
                        .leaf("resourceType", tag.fact("resource-type"))
                        .leaf("key", tag.fact("key"))
                        .leaf("value", tag.fact("value")));
    }

    private List<Thing> of(String id) {
        if (id.startsWith("i-")) {
            return cloud.find(id)
                    .map(instance -> each(id, "instance", InstanceView.tagsOf(instance)))
                    .orElse(List.of());
        }
        List<Thing> all = new ArrayList<>(things.all());
        if (id.startsWith("vol-")) {
            all.addAll(belongings.volumes());
        } else if (id.startsWith("eni-")) {
            all.addAll(belongings.interfaces());
        }
        return all.stream()
                .filter(thing -> thing.id().equals(id))
                .findFirst()
                .map(thing -> each(id, thing.kind(), thing.tags()))
                .orElse(List.of());
    }

    private static List<Thing> each(String id, String kind, Map<String, String> tags) {
        return tags.entrySet().stream()
                .map(tag -> new Thing(
                        id,
                        "tag",
                        Map.of("resource-id", id, "resource-type", kind, "key", tag.getKey(), "value", tag.getValue()),
                        Map.of()))
                .toList();
    }

    private void create(Query query, Xml out, Calls.Context context) throws Ec2Error, IOException {
        Map<String, String> tags = query.tags("Tag");
        for (String id : query.list("ResourceId")) {
            InstanceRecord instance = cloud.find(id).orElse(null);
            if (instance != null) {
                Map<String, String> all = new HashMap<>(instance.tags());
                all.putAll(tags);
                cloud.tag(id, all);
                continue;
            }
            Thing thing = things.all().stream()
                    .filter(each -> each.id().equals(id))
                    .findFirst()
                    .orElseThrow(() -> new Ec2Error("InvalidID", "The ID '" + id + "' is not valid"));
            Map<String, String> all = new HashMap<>(thing.tags());
            all.putAll(tags);
            things.put(thing.tagged(all));
        }
        out.leaf("return", true);
        context.note(String.join(",", query.list("ResourceId")));
    }
}
