package org.spillway.localcloud.arm;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.UUID;
import org.spillway.localcloud.FrontReply;
import org.spillway.localcloud.FrontRequest;
import org.spillway.localcloud.InstanceMetadata;
import org.spillway.localcloud.InstanceRecord;
import org.spillway.localcloud.StateDirectory;
import org.spillway.policy.Market;

/**
 * Azure's, as "Azure Instance Metadata Service" and "Scheduled Events for Linux VMs" have it: the header {@code Metadata:
 * true} and a version, both mandatory; a document of events, without any as long as nothing is scheduled. Azure gives no hint
 * before an eviction.
 */
final class ArmMetadata implements InstanceMetadata {
    private static final DateTimeFormatter NOT_BEFORE = DateTimeFormatter.RFC_1123_DATE_TIME.withZone(ZoneOffset.UTC);

    @Override
    public FrontReply answer(InstanceRecord instance, Optional<Notice> notice, FrontRequest request) {
        if (!request.header("metadata").equalsIgnoreCase("true")) {
            return problem("Bad request. Required metadata header not specified");
        }
        if (!request.query().matches("(.*&)?api-version=[0-9]{4}-[0-9]{2}-[0-9]{2}(&.*)?")) {
            return problem("Bad request. api-version was not specified in the request");
        }
        return switch (request.path()) {
            case "/metadata/instance/compute/name" -> text(instance.id());
            case "/metadata/instance/compute/priority" -> text(instance.market() == Market.SPOT ? "Spot" : "Regular");
            case "/metadata/scheduledevents" -> json(events(instance, notice));
            default -> FrontReply.of(404, "application/json", "{ \"error\": \"Not found\" }", "");
        };
    }

    private static ObjectNode events(InstanceRecord instance, Optional<Notice> notice) {
        ObjectNode document = StateDirectory.JSON.createObjectNode();
        ArrayNode events = StateDirectory.JSON.createArrayNode();
        notice.filter(Notice::certain).ifPresent(said -> {
            ObjectNode event = events.addObject();
            String seed = instance.id() + said.at();
            event.put(
                    "EventId",
                    UUID.nameUUIDFromBytes(seed.getBytes(StandardCharsets.UTF_8))
                            .toString());
            event.put("EventStatus", "Scheduled").put("EventType", "Preempt").put("ResourceType", "VirtualMachine");
            event.putArray("Resources").add(instance.id());
            event.put("NotBefore", NOT_BEFORE.format(said.at())).put("Description", "");
            event.put("EventSource", "Platform").put("DurationInSeconds", -1);
        });
        document.put("DocumentIncarnation", events.isEmpty() ? 1 : 2);
        document.set("Events", events);
        return document;
    }

    private static FrontReply text(String text) {
        return FrontReply.of(200, "text/plain; charset=utf-8", text, "");
    }

    private static FrontReply json(ObjectNode body) {
        return FrontReply.of(200, "application/json; charset=utf-8", body.toString(), "");
    }

    private static FrontReply problem(String what) {
        return FrontReply.of(400, "application/json", "{ \"error\": \"" + what + "\" }", "");
    }
}
