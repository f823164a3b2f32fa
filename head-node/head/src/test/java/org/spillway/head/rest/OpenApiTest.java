package org.spillway.head.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.Separators;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.api.ApiException;
import org.spillway.api.BreakerView;
import org.spillway.api.CauseView;
import org.spillway.api.CheckView;
import org.spillway.api.ClusterOrder;
import org.spillway.api.ClusterRun;
import org.spillway.api.ClusterTerms;
import org.spillway.api.ClusterView;
import org.spillway.api.DecisionLine;
import org.spillway.api.DecisionView;
import org.spillway.api.ExplainView;
import org.spillway.api.HealthView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.api.JobView;
import org.spillway.api.Json;
import org.spillway.api.LogView;
import org.spillway.api.ManySubmissions;
import org.spillway.api.ManySubmitted;
import org.spillway.api.NodeExplainView;
import org.spillway.api.NodeOrder;
import org.spillway.api.NodeState;
import org.spillway.api.NodeTurnOrder;
import org.spillway.api.NodeView;
import org.spillway.api.OfferingView;
import org.spillway.api.OperationOrder;
import org.spillway.api.OperationView;
import org.spillway.api.PlanView;
import org.spillway.api.PoliciesView;
import org.spillway.api.PolicyDetail;
import org.spillway.api.PolicyView;
import org.spillway.api.QueueView;
import org.spillway.api.ReplayView;
import org.spillway.api.SiteView;
import org.spillway.api.SpendView;
import org.spillway.api.Submitted;
import org.spillway.api.TickView;
import org.spillway.api.TransferState;
import org.spillway.api.WebView;

/**
 * Keeps the file true: schemas of requests are made from their records, and written anew by {@code -Dgolden.update=true};
 * the rest is written by hand and compared with routes and records.
 */
final class OpenApiTest {
    private static final List<Class<? extends Record>> REQUESTS = List.of(
            JobSubmission.class,
            ManySubmissions.class,
            ClusterOrder.class,
            ClusterRun.class,
            ClusterTerms.class,
            NodeOrder.class,
            NodeTurnOrder.class,
            OperationOrder.class);

    private static JsonNode file() throws IOException {
        try (var in = OpenApiTest.class.getResourceAsStream("/openapi.json")) {
            return Json.tree(in.readAllBytes());
        }
    }

    /** Paths of a tenant, which answers them in a module of its own, are described with the others. */
    private static FakeHead withTenant() throws IOException {
        var posts = new TreeMap<String, RoutePart.Handler>();
        file().path("paths").fieldNames().forEachRemaining(path -> {
            if (path.startsWith("/slurm/")) {
                posts.put(path, request -> new RoutePart.Reply(200, Map.of()));
            }
        });
        var head = new FakeHead();
        head.parts.add(new RoutePart() {
            @Override
            public boolean isTrusted(Caller caller) {
                return false;
            }

            @Override
            public Map<String, Handler> posts() {
                return posts;
            }
        });
        return head;
    }

    @Test
    void everyRouteIsDescribedAndNothingElse() throws IOException {
        var served = new TreeSet<String>();
        new Routes(withTenant()).all().forEach(route -> served.add(route.method() + " " + route.path()));
        served.add("GET /openapi.json");
        var described = new TreeSet<String>();
        for (var path : file().path("paths").properties()) {
            path.getValue()
                    .fieldNames()
                    .forEachRemaining(method -> described.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey()));
        }
        assertThat(described).isEqualTo(served);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                CauseView.class,
                JobView.class,
                JobDetail.class,
                JobDetail.Moment.class,
                JobDetail.Timings.class,
                JobDetail.RankView.class,
                JobDetail.TransferView.class,
                JobDetail.OutputView.class,
                NodeView.class,
                SiteView.class,
                PolicyView.class,
                PoliciesView.class,
                TickView.class,
                PolicyDetail.class,
                PolicyDetail.SettingView.class,
                PolicyDetail.VersionView.class,
                PlanView.class,
                PlanView.StepView.class,
                BreakerView.class,
                NodeExplainView.class,
                DecisionLine.class,
                DecisionView.class,
                DecisionView.LaunchChoice.class,
                DecisionView.OtherChoice.class,
                ReplayView.class,
                SpendView.class,
                HealthView.class,
                WebView.class,
                Submitted.class,
                ManySubmissions.class,
                ManySubmissions.Ahead.class,
                ManySubmissions.KeyedSubmission.class,
                ManySubmitted.class,
                ManySubmitted.SubmissionAnswer.class,
                ExplainView.class,
                LogView.class,
                CheckView.class,
                CheckView.FoundInput.class,
                QueueView.class,
                ClusterOrder.class,
                ClusterTerms.class,
                ClusterRun.class,
                ClusterView.class,
                ClusterView.StageView.class,
                ClusterView.NoticeView.class,
                ClusterView.ApprovalView.class,
                NodeOrder.class,
                NodeTurnOrder.class,
                OfferingView.class,
                OperationOrder.class,
                OperationOrder.ThingName.class,
                OperationView.class,
                OperationView.ThingView.class,
                JobSubmission.class,
                JobSubmission.Dependency.class,
                JobSubmission.ArrayRange.class,
                JobSubmission.Input.class,
                JobSubmission.Output.class
            })
    void everyFieldIsDescribedInItsOrder(Class<?> record) throws IOException {
        var schema = file().path("components").path("schemas").path(record.getSimpleName());
        var described = new ArrayList<String>();
        schema.path("properties").fieldNames().forEachRemaining(described::add);
        var fields = Arrays.stream(record.getRecordComponents())
                .map(field -> field.getName())
                .toList();
        assertThat(described).isEqualTo(fields);
        for (var component : record.getRecordComponents()) {
            var property = schema.path("properties").path(component.getName());
            assertThat(property.path("$ref").asText(kind(property)))
                    .as(component.toString())
                    .isEqualTo(expected(component.getType()));
        }
    }

    @Test
    void requestsAreDescribedByTheirRecords() throws IOException {
        var described = (ObjectNode) file();
        var schemas = (ObjectNode) described.path("components").path("schemas");
        var made = RequestSchemas.of(REQUESTS);
        if (Boolean.getBoolean("golden.update")) {
            made.forEach((name, schema) -> schemas.set(name, reread(schema)));
            var written = new ObjectMapper().writer(printer()).writeValueAsString(described);
            Files.writeString(Path.of("src/main/resources/openapi.json"), written + "\n");
        }
        made.forEach((name, schema) -> assertThat(schemas.path(name)).as(name).isEqualTo(reread(schema)));
    }

    private static DefaultPrettyPrinter printer() {
        var lines = new DefaultIndenter("  ", "\n");
        return new DefaultPrettyPrinter(Separators.createDefaultInstance()
                        .withObjectFieldValueSpacing(Separators.Spacing.AFTER)
                        .withArrayEmptySeparator("")
                        .withObjectEmptySeparator(""))
                .withArrayIndenter(lines)
                .withObjectIndenter(lines);
    }

    /** As a file says it, which tells a number's kind by its size. */
    private static JsonNode reread(JsonNode schema) {
        try {
            return Json.tree(schema.toString().getBytes(StandardCharsets.UTF_8));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private static String kind(JsonNode property) {
        var type = property.path("type");
        return type.isArray() ? type.get(0).asText() : type.asText();
    }

    private static String expected(Class<?> type) {
        if (type == int.class || type == long.class || type == Integer.class) {
            return "integer";
        } else if (type == boolean.class) {
            return "boolean";
        } else if (type == List.class) {
            return "array";
        } else if (type == Map.class) {
            return "object";
        }
        boolean named =
                (type.isRecord() || type.isEnum()) && !type.getSimpleName().equals("Money");
        return named ? "#/components/schemas/" + type.getSimpleName() : "string";
    }

    @ParameterizedTest
    @ValueSource(classes = {JobState.class, NodeState.class, TransferState.class})
    void everyStateIsDescribed(Class<?> states) throws IOException {
        assertThat(texts(file().path("components")
                        .path("schemas")
                        .path(states.getSimpleName())
                        .path("enum")))
                .isEqualTo(Arrays.stream(states.getEnumConstants())
                        .map(Object::toString)
                        .toList());
    }

    @Test
    void everyErrorCodeIsDescribed() throws IOException {
        var codes = file().at("/components/schemas/Error/properties/error/properties/code/enum");
        assertThat(texts(codes))
                .isEqualTo(Arrays.stream(ApiException.Code.values())
                        .map(Enum::name)
                        .toList());
    }

    private static List<String> texts(JsonNode array) {
        var texts = new ArrayList<String>();
        array.forEach(item -> texts.add(item.asText()));
        return texts;
    }
}
