package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.spillway.api.JobSubmission;
import org.spillway.api.Json;
import org.spillway.head.journal.JobSpec;

/** A key stands for the whole submission: whatever else is asked for under it is another job. */
final class IdempotencyKeyTest {
    static Stream<String> places() throws IOException {
        return leaves(tree(), "");
    }

    @ParameterizedTest
    @MethodSource("places")
    void anotherValueAnywhereIsAnotherJob(String place) throws IOException {
        JobSpec.Key known = Tasks.key("k", read(tree()));
        JsonNode changed = tree();
        change((ObjectNode) changed.at(place.substring(0, place.lastIndexOf('/'))), place);

        assertThat(Tasks.same(known, read(changed))).isFalse();
    }

    @Test
    void theSameAgainIsTheSameJob() throws IOException {
        ObjectNode again = (ObjectNode) tree();
        ((ObjectNode) again.get("environment")).removeAll().put("B", "x").put("A", "x");

        assertThat(Tasks.same(Tasks.key("k", read(tree())), read(again))).isTrue();
    }

    @Test
    void aKeyOfAnEarlierReleaseAnswersForNothing() throws IOException {
        assertThat(Tasks.same(JobSpec.Key.of("k"), read(tree()))).isFalse();
    }

    @Test
    void placesAreInLists() throws IOException {
        assertThat(places())
                .contains("/terms/licences/A", "/outputs/0/strict", "/arguments", "/environment/B", "/array/last");
    }

    /** A value in every field, made from what the record says of itself: one that is added later is looked at by itself. */
    private static JsonNode tree() {
        return whole(JobSubmission.class);
    }

    private static ObjectNode whole(Class<?> record) {
        ObjectNode all = JsonNodeFactory.instance.objectNode();
        for (RecordComponent component : record.getRecordComponents()) {
            all.set(component.getName(), value(component.getGenericType()));
        }
        return all;
    }

    private static JsonNode value(Type type) {
        return switch (type) {
            case ParameterizedType many
            when many.getRawType() == Map.class -> {
                JsonNode each = value(many.getActualTypeArguments()[1]);
                yield JsonNodeFactory.instance
                        .objectNode()
                        .<ObjectNode>set("A", each)
                        .set("B", each);
            }
            case ParameterizedType many ->
                JsonNodeFactory.instance.arrayNode().add(value(many.getActualTypeArguments()[0]));
            case Class<?> one when one.isRecord() -> whole(one);
            case Class<?> one when one == String.class -> TextNode.valueOf("x");
            case Class<?> one when one == boolean.class -> BooleanNode.TRUE;
            default -> IntNode.valueOf(1);
        };
    }

    private static JobSubmission read(JsonNode body) throws IOException {
        return Json.read(body.toString().getBytes(StandardCharsets.UTF_8), JobSubmission.class);
    }

    /** Every object's fields, as JSON pointers; a list counts as one field and its objects' fields besides. */
    private static Stream<String> leaves(JsonNode node, String path) {
        return node.propertyStream().flatMap(field -> {
            String here = path + "/" + field.getKey();
            JsonNode value = field.getValue();
            Stream<String> below = value.isObject() ? leaves(value, here) : leaves(value.path(0), here + "/0");
            return value.isObject() && !value.isEmpty() ? below : Stream.concat(Stream.of(here), below);
        });
    }

    private static void change(ObjectNode object, String place) {
        String field = place.substring(place.lastIndexOf('/') + 1);
        JsonNode value = object.get(field);
        object.set(
                field,
                switch (value) {
                    case IntNode number -> IntNode.valueOf(number.intValue() + 1);
                    case BooleanNode flag -> BooleanNode.valueOf(!flag.booleanValue());
                    case TextNode text -> TextNode.valueOf(text.textValue() + "x");
                    case ArrayNode list -> list.deepCopy().removeAll();
                    default -> throw new AssertionError("no change is known for " + List.of(place, value));
                });
    }
}
