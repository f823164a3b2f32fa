package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
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
    private static final String WHOLE = """
            {"queue":"east","project":"p","name":"n","script":"true","scriptName":"job.sh","arguments":["a"],
             "environment":{"A":"1","B":"2"},"cpus":2,"memoryBytes":1024,"gpus":1,"gpuModel":"h100","nodes":2,
             "walltimeSeconds":60,"priority":1,"requeue":true,"sites":["east"],"constraint":"cloud",
             "after":[{"job":"7","onlyIfDone":true}],"array":{"first":0,"last":3,"step":1,"limit":2},"folder":"/home/ada",
             "inputs":[{"pattern":"/home/ada/in","target":"t"}],
             "outputs":[{"pattern":"out","destination":"/home/ada/out","tree":false,"strict":true}],
             "terms":{"account":"physics","deadlineSeconds":90,"licences":{"matlab":1}},"markets":["spot"]}""";

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
        JsonNode again = Json.tree(WHOLE.replace("\"A\":\"1\",\"B\":\"2\"", "\"B\":\"2\",\"A\":\"1\"")
                .getBytes(StandardCharsets.UTF_8));

        assertThat(Tasks.same(Tasks.key("k", read(tree())), read(again))).isTrue();
    }

    @Test
    void aKeyOfAnEarlierReleaseAnswersForNothing() throws IOException {
        assertThat(Tasks.same(JobSpec.Key.of("k"), read(tree()))).isFalse();
    }

    /** Otherwise a field added later would not be looked at here. */
    @Test
    void everyComponentIsAmongThePlaces() throws IOException {
        assertComplete(JobSubmission.class, tree());
    }

    private static void assertComplete(Class<?> type, JsonNode value) {
        for (RecordComponent component : type.getRecordComponents()) {
            JsonNode below = value.path(component.getName());
            assertThat(below.isMissingNode())
                    .as(type.getSimpleName() + "." + component.getName())
                    .isFalse();
            Class<?> kind = component.getType();
            if (kind.isRecord()) {
                assertComplete(kind, below);
            } else if (Collection.class.isAssignableFrom(kind) || Map.class.isAssignableFrom(kind)) {
                assertThat(below).as(component.getName()).isNotEmpty();
                String element = component.getGenericType().getTypeName().replaceAll(".*[<, ]|>$", "");
                Arrays.stream(type.getDeclaredClasses())
                        .filter(nested -> nested.getName().equals(element))
                        .forEach(nested -> assertComplete(nested, below.path(0)));
            }
        }
    }

    private static JsonNode tree() throws IOException {
        return Json.tree(WHOLE.getBytes(StandardCharsets.UTF_8));
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
