package org.spillway.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.spillway.api.ApiException.Code;
import org.spillway.stage.tree.Glob;

/** Reads the body of a submission, with every bound checked: a job that is accepted can be journalled and run. */
public final class SubmissionReader {
    private static final int MOST_SCRIPT_BYTES = 1024 * 1024;
    private static final int MOST_ARGUMENTS = 1000;
    private static final int MOST_VARIABLES = 1000;
    private static final int MOST_OUTPUTS = 100;
    private static final int MOST_INPUTS = 100;
    private static final int MOST_SITES = 64;
    private static final int MOST_DEPENDENCIES = 100;
    private static final int MOST_NODES = 1000;
    private static final int MOST_TASKS = 1000;
    /** Each task is a journal entry of its own, with the script in it. */
    private static final long MOST_ARRAY_BYTES = 64L * 1024 * 1024;

    private static final int MOST_LICENCES = 20;
    private static final int MOST_OF_A_LICENCE = 10_000;
    private static final int LAST_INDEX = 999_999;
    private static final int LONGEST = 4096;
    /** Both lists together fit into what a node can pass to a program (96 KiB). */
    private static final int MOST_LIST_BYTES = 40 * 1024;

    private static final long YEAR_SECONDS = 365L * 24 * 3600;
    private static final Set<String> FIELDS = new LinkedHashSet<>(List.of(
            "queue",
            "project",
            "name",
            "script",
            "scriptName",
            "arguments",
            "environment",
            "cpus",
            "memoryBytes",
            "gpus",
            "gpuModel",
            "nodes",
            "walltimeSeconds",
            "priority",
            "requeue",
            "sites",
            "constraint",
            "after",
            "array",
            "folder",
            "inputs",
            "outputs",
            "terms"));

    private final JsonNode body;

    private SubmissionReader(JsonNode body) {
        this.body = body;
    }

    /** @throws ApiException BAD_REQUEST or TOO_LARGE, naming the field */
    public static JobSubmission read(byte[] bytes) {
        JsonNode body;
        try {
            body = Json.tree(bytes);
        } catch (IOException malformed) {
            throw new ApiException(Code.BAD_REQUEST, "the body is not JSON", "send one JSON object");
        }
        if (!body.isObject()) {
            throw new ApiException(Code.BAD_REQUEST, "the body is not a JSON object", "send one JSON object");
        }
        onlyFields(body, "", FIELDS);
        var submission = new SubmissionReader(body).submission();
        if ((long) submission.array().size() * bytes.length > MOST_ARRAY_BYTES) {
            throw new ApiException(
                    Code.TOO_LARGE,
                    "array: " + submission.array().size() + " tasks of " + bytes.length
                            + " bytes each are more than the journal should hold",
                    "put what is large into an input file (--in), or submit fewer tasks");
        }
        return submission;
    }

    private JobSubmission submission() {
        var script = body.path("script");
        if (!script.isTextual() || script.textValue().isBlank()) {
            throw refuse("script", "missing or empty", "the text of a script");
        }
        if (script.textValue().getBytes(StandardCharsets.UTF_8).length > MOST_SCRIPT_BYTES) {
            throw new ApiException(
                    Code.TOO_LARGE, "script: larger than 1 MiB", "put large data into an input file (--in)");
        }
        if (script.textValue().indexOf(0) >= 0) {
            throw refuse("script", "found a NUL character: a program, not a script", "text");
        }
        var scriptName = word("scriptName", "script", "[^/\\p{Cc}\\p{Cf}]{1,255}", "a file name without folders");
        if (scriptName.equals(".") || scriptName.equals("..")) {
            throw refuse("scriptName", "found '" + scriptName + "'", "a file name without folders");
        }
        return new JobSubmission(
                word("queue", "", "[a-z0-9][a-z0-9-]{0,39}", "the name of a queue"),
                word("project", "", "[A-Za-z0-9][A-Za-z0-9._-]{0,99}", "a project's name"),
                word("name", scriptName, "[^\\p{Cc}\\p{Cf}]{1,255}", "at most 255 printable characters"),
                script.textValue(),
                scriptName,
                arguments(),
                environment(),
                (int) number("cpus", 1, 1, 4096),
                number("memoryBytes", 0, 0, 1L << 50),
                (int) number("gpus", 0, 0, 1024),
                word("gpuModel", "", "[a-z0-9][a-z0-9._-]{0,39}", "a model in lower case, such as h100"),
                (int) number("nodes", 1, 1, MOST_NODES),
                number("walltimeSeconds", 0, 0, YEAR_SECONDS),
                (int) number("priority", 0, -1000, 1000),
                flag("requeue", true),
                sites(),
                word("constraint", "", "home|cloud", "home, cloud"),
                after(),
                array(),
                absolute(body.path("folder"), "folder", false),
                inputs(),
                outputs(),
                terms());
    }

    private JobSubmission.Terms terms() {
        var value = body.path("terms");
        if (absent(value)) {
            return JobSubmission.Terms.USUAL;
        }
        onlyFields(value, "terms.", Set.of("account", "deadlineSeconds", "licences"));
        var reader = new SubmissionReader(value);
        return new JobSubmission.Terms(
                reader.word("account", "", "[A-Za-z0-9_][A-Za-z0-9._-]{0,99}", "the name of a group"),
                reader.number("deadlineSeconds", 0, 0, YEAR_SECONDS),
                licences(value.path("licences")));
    }

    private static Map<String, Integer> licences(JsonNode value) {
        if (absent(value)) {
            return Map.of();
        }
        if (!value.isObject() || value.size() > MOST_LICENCES) {
            throw refuse("terms.licences", "found " + brief(value), "an object of at most " + MOST_LICENCES);
        }
        var licences = new LinkedHashMap<String, Integer>();
        for (var entry : value.properties()) {
            boolean named = entry.getKey().matches("[A-Za-z0-9_][A-Za-z0-9._@-]{0,99}");
            int count = entry.getValue().asInt(0);
            if (!named || !entry.getValue().isInt() || count < 1 || count > MOST_OF_A_LICENCE) {
                throw refuse(
                        "terms.licences",
                        "found '" + entry.getKey() + "' " + brief(entry.getValue()),
                        "names with a whole number from 1 to " + MOST_OF_A_LICENCE);
            }
            licences.put(entry.getKey(), count);
        }
        return licences;
    }

    private boolean flag(String field, boolean fallback) {
        var value = body.path(field);
        if (absent(value)) {
            return fallback;
        }
        if (!value.isBoolean()) {
            throw refuse(field, "found " + brief(value), "true, false");
        }
        return value.booleanValue();
    }

    private List<JsonNode> list(String field, int most) {
        var value = body.path(field);
        if (absent(value)) {
            return List.of();
        }
        if (!value.isArray() || value.size() > most) {
            throw refuse(field, "found " + brief(value), "a list of at most " + most);
        }
        var items = new ArrayList<JsonNode>();
        value.forEach(items::add);
        return items;
    }

    private List<String> sites() {
        return list("sites", MOST_SITES).stream()
                .map(item -> {
                    if (!item.isTextual() || !item.textValue().matches("[a-z0-9][a-z0-9-]{0,39}")) {
                        throw refuse("sites", "found " + brief(item), "names of sites");
                    }
                    return item.textValue();
                })
                .distinct()
                .toList();
    }

    private List<JobSubmission.Dependency> after() {
        return list("after", MOST_DEPENDENCIES).stream()
                .map(item -> {
                    onlyFields(item, "after.", Set.of("job", "onlyIfDone"));
                    var job = item.path("job");
                    if (!job.isTextual() || !job.textValue().matches("[A-Za-z0-9-]{1,64}")) {
                        throw refuse("after.job", "found " + brief(job), "the id of a job or an array");
                    }
                    return new JobSubmission.Dependency(
                            job.textValue(), item.path("onlyIfDone").asBoolean(true));
                })
                .toList();
    }

    private JobSubmission.ArrayRange array() {
        var value = body.path("array");
        if (absent(value)) {
            return JobSubmission.ArrayRange.NONE;
        }
        onlyFields(value, "array.", Set.of("first", "last", "step", "limit"));
        var range = new JobSubmission.ArrayRange(
                value.path("first").asInt(-1),
                value.path("last").asInt(-1),
                value.path("step").asInt(1),
                value.path("limit").asInt(0));
        if (range.isNone() && range.equals(JobSubmission.ArrayRange.NONE)) {
            return range;
        }
        boolean sound = range.first() >= 0
                && range.last() >= range.first()
                && range.last() <= LAST_INDEX
                && range.step() >= 1
                && range.step() <= LAST_INDEX
                && range.limit() >= 0
                && range.size() <= MOST_TASKS;
        if (!sound) {
            throw refuse(
                    "array",
                    "found " + brief(value),
                    "indices from 0 to " + LAST_INDEX + ", at most " + MOST_TASKS + " of them, such as 0-9");
        }
        return range;
    }

    private List<JobSubmission.Input> inputs() {
        return list("inputs", MOST_INPUTS).stream()
                .map(item -> {
                    onlyFields(item, "inputs.", Set.of("pattern", "target"));
                    var pattern = absolute(item.path("pattern"), "inputs.pattern", false);
                    glob(pattern, "inputs.pattern");
                    return new JobSubmission.Input(pattern, target(item.path("target")));
                })
                .toList();
    }

    /** Where an input goes: a name, a folder with a slash behind it, or nothing for the job's folder. */
    private static String target(JsonNode value) {
        if (absent(value) || (value.isTextual() && value.textValue().isEmpty())) {
            return "";
        }
        var path = plain(value, "inputs.target");
        if (path.startsWith("/") || path.startsWith("-") || hasDots(path) || path.contains("//")) {
            throw refuse("inputs.target", "found '" + path + "'", "a relative path in the job's folder, without ..");
        }
        return path;
    }

    private static void glob(String pattern, String field) {
        try {
            Glob.parse(pattern);
        } catch (IllegalArgumentException malformed) {
            throw refuse(
                    field, "found '" + pattern + "': " + malformed.getMessage(), "a path with *, ?, [], ** or {,}");
        }
    }

    private String word(String field, String fallback, String pattern, String allowed) {
        var value = body.path(field);
        if (absent(value) || (value.isTextual() && value.textValue().isEmpty())) {
            return fallback;
        }
        if (!value.isTextual() || !value.textValue().matches(pattern)) {
            throw refuse(field, "found " + brief(value), allowed);
        }
        return value.textValue();
    }

    private long number(String field, long fallback, long least, long most) {
        var value = body.path(field);
        if (absent(value)) {
            return fallback;
        }
        if (!value.isIntegralNumber()
                || !value.canConvertToLong()
                || value.longValue() < least
                || value.longValue() > most) {
            throw refuse(field, "found " + brief(value), "a whole number from " + least + " to " + most);
        }
        return value.longValue();
    }

    private List<String> arguments() {
        var value = body.path("arguments");
        if (absent(value)) {
            return List.of();
        }
        if (!value.isArray() || value.size() > MOST_ARGUMENTS) {
            throw refuse("arguments", "found " + brief(value), "a list of at most " + MOST_ARGUMENTS + " texts");
        }
        var arguments = new ArrayList<String>();
        for (var item : value) {
            arguments.add(plain(item, "arguments"));
        }
        checkTotal("arguments", arguments.stream());
        return arguments;
    }

    private Map<String, String> environment() {
        var value = body.path("environment");
        if (absent(value)) {
            return Map.of();
        }
        if (!value.isObject() || value.size() > MOST_VARIABLES) {
            throw refuse("environment", "found " + brief(value), "an object of at most " + MOST_VARIABLES + " texts");
        }
        var environment = new LinkedHashMap<String, String>();
        for (var entry : value.properties()) {
            if (!entry.getKey().matches("[A-Za-z_][A-Za-z0-9_]{0,254}")) {
                throw refuse("environment", "found the name '" + entry.getKey() + "'", "letters, digits and _");
            }
            environment.put(entry.getKey(), plain(entry.getValue(), "environment." + entry.getKey()));
        }
        checkTotal("environment", environment.values().stream());
        return environment;
    }

    private List<JobSubmission.Output> outputs() {
        var value = body.path("outputs");
        if (absent(value)) {
            return List.of();
        }
        if (!value.isArray() || value.size() > MOST_OUTPUTS) {
            throw refuse("outputs", "found " + brief(value), "a list of at most " + MOST_OUTPUTS);
        }
        var outputs = new ArrayList<JobSubmission.Output>();
        var destinations = new LinkedHashSet<String>();
        for (var item : value) {
            onlyFields(item, "outputs.", Set.of("pattern", "destination", "tree", "strict"));
            var output = new JobSubmission.Output(
                    relative(item.path("pattern")),
                    absolute(item.path("destination"), "outputs.destination", false),
                    item.path("tree").asBoolean(false),
                    item.path("strict").asBoolean(false));
            glob(output.pattern(), "outputs.pattern");
            if (!output.tree() && !destinations.add(output.destination())) {
                throw refuse("outputs.destination", "found '" + output.destination() + "' twice", "each once");
            }
            outputs.add(output);
        }
        return outputs;
    }

    private static String relative(JsonNode value) {
        var path = plain(value, "outputs.pattern");
        if (path.isEmpty() || path.startsWith("/") || path.endsWith("/") || hasDots(path)) {
            throw refuse(
                    "outputs.pattern",
                    "found '" + path + "'",
                    "a relative path of a file or folder in the job's folder, without ..");
        }
        return path;
    }

    private static String absolute(JsonNode value, String field, boolean mayBeAbsent) {
        if (mayBeAbsent
                && (absent(value) || (value.isTextual() && value.textValue().isEmpty()))) {
            return "";
        }
        var path = plain(value, field);
        if (!path.startsWith("/") || path.endsWith("/") || hasDots(path)) {
            throw refuse(field, "found '" + path + "'", "an absolute path of a file, without . and ..");
        }
        return path;
    }

    private static boolean hasDots(String path) {
        return Stream.of(path.split("/", -1)).anyMatch(step -> step.equals("..") || step.equals("."));
    }

    private static String plain(JsonNode value, String field) {
        if (!value.isTextual() || value.textValue().indexOf(0) >= 0) {
            throw refuse(field, "found " + brief(value), "a text without NUL");
        }
        if (value.textValue().getBytes(StandardCharsets.UTF_8).length > LONGEST) {
            throw refuse(field, "found a text of more than " + LONGEST + " bytes", "at most " + LONGEST + " bytes");
        }
        return value.textValue();
    }

    private static void checkTotal(String field, Stream<String> texts) {
        long bytes = texts.mapToLong(text -> text.getBytes(StandardCharsets.UTF_8).length)
                .sum();
        if (bytes > MOST_LIST_BYTES) {
            throw refuse(field, "found " + bytes + " bytes in all", "at most " + MOST_LIST_BYTES);
        }
    }

    private static void onlyFields(JsonNode object, String prefix, Set<String> allowed) {
        if (!object.isObject()) {
            throw refuse(prefix + "*", "found " + brief(object), "an object");
        }
        for (var entry : object.properties()) {
            if (!allowed.contains(entry.getKey())) {
                throw refuse(prefix + entry.getKey(), "unknown field", String.join(", ", allowed));
            }
        }
    }

    private static boolean absent(JsonNode value) {
        return value.isMissingNode() || value.isNull();
    }

    private static String brief(JsonNode value) {
        var text = value.isMissingNode() ? "nothing" : value.toString();
        return text.length() <= 80 ? text : text.substring(0, 80) + "...";
    }

    private static ApiException refuse(String field, String found, String allowed) {
        return new ApiException(Code.BAD_REQUEST, field + ": " + found, "allowed: " + allowed);
    }
}
