package org.spillway.director;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.NodeLogs;
import org.spillway.director.wire.PullOrder;
import org.spillway.director.wire.PullState;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.SiteAccounts;
import org.spillway.director.wire.SiteDrift;

/**
 * The wire records as JSON, the same on both ends. Unknown fields are ignored, so that a newer side may say more; a
 * missing field or one of another type is a {@link Malformed}.
 */
public final class WireJson {
    /** Longest directive or report that either side reads. */
    public static final int MAX_BYTES = 8 * 1024 * 1024;

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** Never null on the wire; the one field that may be, an exit code, is of another type. */
    private static final List<Class<?>> REQUIRED = List.of(
            String.class,
            List.class,
            Map.class,
            Path.class,
            Directive.ImageGrant.class,
            Directive.DirectoryGrant.class,
            Report.DirectoryReport.class,
            Report.JobReport.Phase.class,
            SiteAccounts.Word.class,
            SiteDrift.Word.class);

    static {
        REQUIRED.forEach(type -> MAPPER.configOverride(type).setSetterInfo(JsonSetter.Value.forValueNulls(Nulls.FAIL)));
        MAPPER.getFactory()
                .setStreamReadConstraints(StreamReadConstraints.builder()
                        .maxStringLength(MAX_BYTES)
                        .maxNestingDepth(20)
                        .build());
    }

    private static final int MOST_UNREAD = 10;

    private static final Map<String, Class<?>> PARTS = Map.of(
            "joins", Report.JoinRequest.class,
            "nodes", Report.NodeReport.class,
            "jobs", Report.JobReport.class,
            "images", String.class);

    private WireJson() {}

    public static byte[] write(Directive directive) {
        return bytes(directive);
    }

    public static byte[] write(Report report) {
        return bytes(report);
    }

    public static byte[] write(SiteAccounts accounts) {
        return bytes(accounts);
    }

    public static byte[] write(SiteDrift drift) {
        return bytes(drift);
    }

    public static SiteDrift readDrift(byte[] json) throws Malformed {
        return read(json, SiteDrift.class);
    }

    public static byte[] write(NodeLogs logs) {
        return bytes(logs);
    }

    public static byte[] write(PullOrder order) {
        return bytes(order);
    }

    public static PullOrder readPullOrder(byte[] json) throws Malformed {
        return read(json, PullOrder.class);
    }

    public static byte[] write(PullState state) {
        return bytes(state);
    }

    public static PullState readPullState(byte[] json) throws Malformed {
        return read(json, PullState.class);
    }

    public static SiteAccounts readAccounts(byte[] json) throws Malformed {
        return read(json, SiteAccounts.class);
    }

    public static NodeLogs readNodeLogs(byte[] json) throws Malformed {
        return read(json, NodeLogs.class);
    }

    public static Directive readDirective(byte[] json) throws Malformed {
        return read(json, Directive.class);
    }

    /**
     * A report as far as it can be read.
     *
     * @param unread why parts of it were left out, each by its place
     */
    public record Heard(Report report, List<String> unread) {
        public Heard {
            unread = List.copyOf(unread);
        }
    }

    /** Takes each join, node, job and image by itself: a part that cannot be read costs that part, and no other's lease. */
    public static Heard hearReport(byte[] json) throws Malformed {
        try {
            return new Heard(read(json, Report.class), List.of());
        } catch (Malformed inPart) {
            return hearParts(json);
        }
    }

    private static Heard hearParts(byte[] json) throws Malformed {
        JsonNode tree = read(json, JsonNode.class);
        if (!tree.isObject()) {
            throw new Malformed("not a Report: no object");
        }
        List<String> unread = new ArrayList<>();
        PARTS.forEach((field, type) -> {
            if (tree.get(field) instanceof ArrayNode parts) {
                leaveOut(parts, field, type, unread);
            }
        });
        try {
            return new Heard(MAPPER.treeToValue(tree, Report.class), unread);
        } catch (JsonProcessingException e) {
            throw new Malformed("not a Report: " + e.getOriginalMessage());
        }
    }

    private static void leaveOut(ArrayNode parts, String field, Class<?> type, List<String> unread) {
        int number = 0;
        for (Iterator<JsonNode> each = parts.elements(); each.hasNext(); ) {
            JsonNode part = each.next();
            String cause = "it is null";
            try {
                cause = MAPPER.treeToValue(part, type) == null ? cause : "";
            } catch (JsonProcessingException e) {
                cause = String.valueOf(e.getOriginalMessage());
            }
            number++;
            if (!cause.isEmpty()) {
                each.remove();
                if (unread.size() < MOST_UNREAD) {
                    unread.add(field + " " + number + ": " + cause.replaceAll("\\p{Cntrl}", " "));
                }
            }
        }
    }

    static <T> T read(byte[] json, Class<T> type) throws Malformed {
        try {
            T value = MAPPER.readValue(new String(json, StandardCharsets.UTF_8), type);
            if (value == null) {
                throw new Malformed("not a " + type.getSimpleName() + ": null");
            }
            return value;
        } catch (JsonProcessingException e) {
            // Without the source text: it may hold the directory's password.
            throw new Malformed("not a " + type.getSimpleName() + ": " + e.getOriginalMessage());
        }
    }

    private static byte[] bytes(Object value) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Text that is not the record that was expected. The message bears no value of a field. */
    public static final class Malformed extends Exception {
        private static final long serialVersionUID = 1;

        public Malformed(String message) {
            super(message);
        }
    }
}
