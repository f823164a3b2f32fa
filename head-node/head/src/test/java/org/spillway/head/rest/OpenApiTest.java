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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.spillway.api.AccountsView;
import org.spillway.api.ApiException;
import org.spillway.api.BackupOrder;
import org.spillway.api.BackupView;
import org.spillway.api.BreakerView;
import org.spillway.api.CauseView;
import org.spillway.api.CheckView;
import org.spillway.api.ClusterOrder;
import org.spillway.api.ClusterRun;
import org.spillway.api.ClusterTerms;
import org.spillway.api.ClusterView;
import org.spillway.api.DecisionLine;
import org.spillway.api.DecisionView;
import org.spillway.api.DriftView;
import org.spillway.api.ExplainView;
import org.spillway.api.HealthView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobSubmission;
import org.spillway.api.JobView;
import org.spillway.api.Json;
import org.spillway.api.LogView;
import org.spillway.api.ManySubmissions;
import org.spillway.api.ManySubmitted;
import org.spillway.api.NodeExplainView;
import org.spillway.api.NodeLogsView;
import org.spillway.api.NodeOrder;
import org.spillway.api.NodePageView;
import org.spillway.api.NodeTurnOrder;
import org.spillway.api.NodeView;
import org.spillway.api.OfferingView;
import org.spillway.api.OperationOrder;
import org.spillway.api.OperationView;
import org.spillway.api.PlanView;
import org.spillway.api.PoliciesView;
import org.spillway.api.PolicyDetail;
import org.spillway.api.QueueView;
import org.spillway.api.RecoveryOrder;
import org.spillway.api.RecoveryView;
import org.spillway.api.ReplayView;
import org.spillway.api.RolloutOrder;
import org.spillway.api.RolloutView;
import org.spillway.api.SiteView;
import org.spillway.api.SpendPartsView;
import org.spillway.api.SpendView;
import org.spillway.api.StageOrder;
import org.spillway.api.StagedView;
import org.spillway.api.Submitted;
import org.spillway.api.WebView;

/**
 * Keeps the file true: schemas of requests and answers are made from their records, and written anew by
 * {@code -Dgolden.update=true}; paths are written by hand and compared with the routes.
 */
final class OpenApiTest {
    private static final List<Class<? extends Record>> REQUESTS = List.of(
            BackupOrder.class,
            JobSubmission.class,
            ManySubmissions.class,
            ClusterOrder.class,
            ClusterRun.class,
            ClusterTerms.class,
            NodeOrder.class,
            NodeTurnOrder.class,
            OperationOrder.class,
            RecoveryOrder.class,
            RolloutOrder.class,
            StageOrder.class);
    private static final List<Class<? extends Record>> ANSWERS = List.of(
            CauseView.class,
            JobView.class,
            Submitted.class,
            ManySubmitted.class,
            JobDetail.class,
            ExplainView.class,
            LogView.class,
            CheckView.class,
            NodeView.class,
            OfferingView.class,
            OperationView.class,
            QueueView.class,
            SiteView.class,
            AccountsView.class,
            PoliciesView.class,
            PolicyDetail.class,
            PlanView.class,
            SpendView.class,
            SpendPartsView.class,
            HealthView.class,
            WebView.class,
            DecisionLine.class,
            DecisionView.class,
            ReplayView.class,
            BreakerView.class,
            RecoveryView.class,
            NodeExplainView.class,
            NodeLogsView.class,
            NodePageView.class,
            BackupView.class,
            StagedView.class,
            RolloutView.class,
            DriftView.class,
            ClusterView.class);

    /** Errors, which every call may answer, and a tenant's records, which are in its module. */
    private static final Pattern BY_HAND = Pattern.compile("Error|Slurm.*");

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

    @Test
    void requestsAndAnswersAreDescribedByTheirRecords() throws IOException {
        var described = (ObjectNode) file();
        var schemas = (ObjectNode) described.path("components").path("schemas");
        Map<String, ObjectNode> made = new LinkedHashMap<>(RequestSchemas.of(REQUESTS));
        AnswerSchemas.of(ANSWERS)
                .forEach((name, schema) -> assertThat(made.put(name, schema))
                        .as("another record of the name " + name)
                        .isNull());
        if (Boolean.getBoolean("golden.update")) {
            made.forEach((name, schema) -> schemas.set(name, reread(schema)));
            var written = new ObjectMapper().writer(printer()).writeValueAsString(described);
            Files.writeString(Path.of("src/main/resources/openapi.json"), written + "\n");
        }
        made.forEach((name, schema) -> assertThat(schemas.path(name)).as(name).isEqualTo(reread(schema)));
        var names = new TreeSet<String>();
        schemas.fieldNames().forEachRemaining(names::add);
        names.removeIf(name -> BY_HAND.matcher(name).matches());
        assertThat(names).isEqualTo(new TreeSet<>(made.keySet()));
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
