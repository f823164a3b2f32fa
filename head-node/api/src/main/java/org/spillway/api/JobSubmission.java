package org.spillway.api;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.spillway.api.form.Bounds;
import org.spillway.api.form.Checked;
import org.spillway.api.form.Describes;
import org.spillway.api.form.Holds;
import org.spillway.api.form.Keys;
import org.spillway.api.form.Matches;
import org.spillway.api.form.OneOf;
import org.spillway.api.form.Usual;
import org.spillway.stage.tree.Glob;
import org.spillway.stage.tree.ImageName;
import org.spillway.stage.tree.Origin;

/** A job as it is asked for; {@link SubmissionReader} reads it by what is said here of each field, and nowhere else. */
public record JobSubmission(
        @Usual
        @Matches(value = "[a-z0-9][a-z0-9-]{0,39}", allowed = "the name of a queue")
        @Describes("empty for the default queue")
        String queue,

        @Usual
        @Matches(value = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}", allowed = "a project's name")
        @Describes("empty for none")
        String project,

        @Usual
        @Matches(value = "[^\\p{Cc}\\p{Cf}]{1,255}", allowed = "at most 255 printable characters")
        @Describes("shown in listings; empty for the script's name")
        String name,

        @Holds(bytes = 1024 * 1024) @Describes("text of the script, at most 1 MiB of UTF-8, without NUL")
        String script,

        @Usual("script")
        @Matches(value = "(?!\\.{1,2}$)[^/\\p{Cc}\\p{Cf}]{1,255}", allowed = "a file name without folders")
        @Describes("file name of the script, without folders")
        String scriptName,

        @Usual @Holds(most = 1000, bytes = MOST_LIST_BYTES) @Describes("for the script")
        List<String> arguments,

        @Usual
        @Holds(most = 1000, bytes = MOST_LIST_BYTES)
        @Keys(value = "[A-Za-z_][A-Za-z0-9_]{0,254}", allowed = "letters, digits and _")
        @Describes("added to a clean one")
        Map<String, String> environment,

        @Usual("1") @Bounds(min = 1, max = 4096) @Describes("of each node")
        int cpus,

        @Usual("0") @Bounds(min = 0, max = 1L << 50) @Describes("of each node; 0 for no demand")
        long memoryBytes,

        @Usual("0") @Bounds(min = 0, max = 1024) @Describes("of each node")
        int gpus,

        @Usual
        @Matches(value = "[a-z0-9][a-z0-9._-]{0,39}", allowed = "a model in lower case, such as h100")
        @Describes("empty for any")
        String gpuModel,

        @Usual("1") @Bounds(min = 1, max = 1000) @Describes("more than one is a gang")
        int nodes,

        @Usual("0") @Bounds(min = 0, max = YEAR_SECONDS) @Describes("0 for the queue's limit")
        long walltimeSeconds,

        @Usual("0") @Bounds(min = -1000, max = 1000) @Describes("higher goes first")
        int priority,

        @Usual("true") @Describes("whether it is tried again when its nodes are lost")
        boolean requeue,

        @Usual
        @Holds(most = 64)
        @Matches(value = "[a-z0-9][a-z0-9-]{0,39}", allowed = "names of sites")
        @Describes("the only ones where it may run; empty for those of the queue")
        List<String> sites,

        @Usual @OneOf({"", "home", "cloud"}) String constraint,

        @Usual @Holds(most = 100) @Describes("jobs that must have ended before it starts")
        List<Dependency> after,

        @Usual @Describes("left out for a single job") ArrayRange array,

        @Matches(value = ABSOLUTE, allowed = "an absolute path of a file, without . and ..")
        @Describes("absolute path of the folder that it was submitted from")
        String folder,

        @Usual @Holds(most = 100) @Describes("what is put into the job's folder")
        List<Input> inputs,

        @Usual @Holds(most = 100) @Describes("what comes home at the end")
        List<Output> outputs,

        @Usual @Describes("who is charged, by when it is wanted, what else it takes")
        Terms terms,

        @Usual
        @Holds(most = 3)
        @Matches(value = "on-demand|spot|reserved", allowed = "on-demand, spot, reserved")
        @Describes(
                "the only markets in which machines are bought for it, of those that its queue allows; empty for all of them")
        List<String> markets,

        @Usual("0")
        @Bounds(min = 0, max = YEAR_SECONDS)
        @Describes(
                "outputs come home while it runs, so long after the last time; 0 for only at its end, else at least 5")
        long syncSeconds,

        @Usual
        @Holds(bytes = 1024)
        @Describes(
                "the image that it runs in: [REGISTRY/]REPOSITORY[:TAG][@sha256:DIGEST], oci:/FOLDER or oci-archive:/FILE;"
                        + " empty for that of its queue, if it has one, none for no image")
        String container)
        implements Checked {
    /** Both lists together fit into what a node can pass to a program (96 KiB). */
    static final int MOST_LIST_BYTES = 40 * 1024;

    static final long YEAR_SECONDS = 365L * 24 * 3600;
    private static final int SHORTEST_SYNC_SECONDS = 5;
    private static final int MOST_TASKS = 10_000;
    private static final int LAST_INDEX = 999_999;
    static final String ABSOLUTE = "(?![\\s\\S]*/\\.{1,2}(/|$))/[\\s\\S]*[^/]";
    /** A submission by the names of its fields; what {@code asked} leaves alone is as usual. */
    public static JobSubmission of(Consumer<Draft> asked) {
        Draft draft = new Draft();
        asked.accept(draft);
        return draft.submission();
    }

    public JobSubmission {
        name = name.isEmpty() ? scriptName : name;
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
        sites = sites.stream().distinct().toList();
        after = List.copyOf(after);
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        markets = markets.stream().distinct().toList();
    }

    @Override
    public void check(String prefix) {
        if (script.isBlank()) {
            throw RequestReader.refuse(prefix + "script", "missing or empty", "the text of a script");
        }
        if (syncSeconds > 0 && syncSeconds < SHORTEST_SYNC_SECONDS) {
            throw RequestReader.refuse(
                    prefix + "syncSeconds", "found " + syncSeconds, "0, or " + SHORTEST_SYNC_SECONDS + " or more");
        }
        if (!container.isEmpty() && !container.equals(ImageName.NONE)) {
            checkImage(container, prefix + "container");
        }
        Set<String> destinations = new HashSet<>();
        for (Output output : outputs) {
            if (!output.tree && !destinations.add(output.destination)) {
                throw RequestReader.refuse(
                        prefix + "outputs.destination", "found '" + output.destination + "' twice", "each once");
            }
        }
    }

    private static void checkGlob(String pattern, String field) {
        try {
            Glob.parse(pattern);
        } catch (IllegalArgumentException malformed) {
            throw RequestReader.refuse(
                    field, "found '" + pattern + "': " + malformed.getMessage(), "a path with *, ?, [], ** or {,}");
        }
    }

    private static void checkOrigin(String text, String field) {
        try {
            Origin.of(text);
        } catch (IllegalArgumentException unknown) {
            // The text may hold a password.
            throw RequestReader.refuse(
                    field, "found an input that cannot be used: " + unknown.getMessage(), Origin.KNOWN);
        }
    }

    private static void checkImage(String text, String field) {
        try {
            ImageName.of(text);
        } catch (IllegalArgumentException unknown) {
            throw RequestReader.refuse(field, "found '" + text + "': " + unknown.getMessage(), ImageName.KNOWN);
        }
    }

    public record Terms(
            @Usual
            @Matches(value = "[A-Za-z0-9_][A-Za-z0-9._-]{0,99}", allowed = "the name of a group")
            @Describes("that is charged; empty for the caller's primary group")
            String account,

            @Usual("0")
            @Bounds(min = 0, max = YEAR_SECONDS)
            @Describes("after its submission it should have ended; 0 for no deadline")
            long deadlineSeconds,

            @Usual
            @Holds(most = 20)
            @Keys(value = "[A-Za-z0-9_][A-Za-z0-9._@-]{0,99}", allowed = "names of licences")
            @Bounds(min = 1, max = 10_000)
            @Describes("floating licences that it takes while it runs, by name")
            Map<String, Integer> licences) {
        public static final Terms USUAL = new Terms("", 0, Map.of());

        public Terms {
            licences = Map.copyOf(licences);
        }
    }

    public record Dependency(
            @Matches(value = "[A-Za-z0-9-]{1,64}", allowed = "the id of a job or an array")
            @Describes("id of a job, or of an array for all its tasks")
            String job,

            @Usual("true") @Describes("it must have ended as DONE; otherwise any end will do")
            boolean onlyIfDone) {}

    /** Tasks from {@code first} to {@code last}, each {@code step}-th. */
    public record ArrayRange(
            @Usual("-1") @Bounds(min = -1, max = LAST_INDEX) @Describes("-1 for no array")
            int first,

            @Usual("-1") @Bounds(min = -1, max = LAST_INDEX) int last,
            @Usual("1") @Bounds(min = 1, max = LAST_INDEX) int step,

            @Usual("0")
            @Bounds(min = 0, max = Integer.MAX_VALUE)
            @Describes("how many may run at once; 0 for any number")
            int limit)
            implements Checked {
        public static final ArrayRange NONE = new ArrayRange(-1, -1, 1, 0);

        @JsonIgnore
        public boolean isNone() {
            return first < 0;
        }

        public int size() {
            return isNone() ? 1 : (last - first) / step + 1;
        }

        @Override
        public void check(String prefix) {
            boolean sound = isNone() ? equals(NONE) : last >= first && size() <= MOST_TASKS;
            if (!sound) {
                throw RequestReader.refuse(
                        prefix.replaceAll("\\.$", ""),
                        "found " + Json.write(this),
                        "indices from 0 to " + LAST_INDEX + ", at most " + MOST_TASKS + " of them, such as 0-9");
            }
        }
    }

    public record Input(
            @Matches(
                    value = ABSOLUTE + "|[A-Za-z][A-Za-z0-9+.-]*:[\\s\\S]+",
                    allowed = "an absolute path of a file, without . and .., or " + Origin.KNOWN)
            @Describes(
                    "absolute path, with globs if wanted; opened as the caller. Or the other end from which its region"
                            + " pulls it: https://[LOGIN@]HOST/PATH, s3://[PROFILE@]BUCKET/KEY, all of a bucket below a KEY that"
                            + " ends with a slash, or urls:/PATH, a list of URLs at home")
            String pattern,

            @Usual
            @Matches(
                    value = "(?!([\\s\\S]*/)?\\.{1,2}(/|$))(?![\\s\\S]*//)[^/-][\\s\\S]*",
                    allowed = "a relative path in the job's folder, without ..")
            @Describes("relative path in the job's folder; empty for the folder itself")
            String target)
            implements Checked {
        @Override
        public void check(String prefix) {
            if (Origin.isElsewhere(pattern)) {
                checkOrigin(pattern, prefix + "pattern");
            } else {
                checkGlob(pattern, prefix + "pattern");
            }
        }
    }

    public record Output(
            @Matches(
                    value = "(?!([\\s\\S]*/)?\\.{1,2}(/|$))[^/]([\\s\\S]*[^/])?",
                    allowed = "a relative path of a file or folder in the job's folder, without ..")
            @Describes("relative path in the job's folder, with globs if wanted")
            String pattern,

            @Matches(value = ABSOLUTE, allowed = "an absolute path of a file, without . and ..")
            @Describes("absolute path on the head node, written as the caller")
            String destination,

            @Usual("false")
            @Describes("the destination is a folder, in which what is below the pattern's fixed part keeps its path")
            boolean tree,

            @Usual("false") @Describes("the job has failed when there is nothing of it")
            boolean strict)
            implements Checked {
        /** Names of what a job says, among its outputs. */
        public static final String STDOUT = ".spillway/stdout";

        public static final String STDERR = ".spillway/stderr";

        @Override
        public void check(String prefix) {
            checkGlob(pattern, prefix + "pattern");
        }
    }

    /** Fields of a submission that is being made. */
    public static final class Draft {
        public String queue = "";
        public String project = "";
        public String name = "";
        public String script = "";
        public String scriptName = "script";
        public List<String> arguments = List.of();
        public Map<String, String> environment = Map.of();
        public int cpus = 1;
        public long memoryBytes;
        public int gpus;
        public String gpuModel = "";
        public int nodes = 1;
        public long walltimeSeconds;
        public int priority;
        public boolean requeue = true;
        public List<String> sites = List.of();
        public String constraint = "";
        public List<Dependency> after = List.of();
        public ArrayRange array = ArrayRange.NONE;
        public String folder = "";
        public List<Input> inputs = List.of();
        public List<Output> outputs = List.of();
        public Terms terms = Terms.USUAL;
        public List<String> markets = List.of();
        public long syncSeconds;
        public String container = "";

        private Draft() {}

        private JobSubmission submission() {
            return new JobSubmission(
                    queue,
                    project,
                    name,
                    script,
                    scriptName,
                    arguments,
                    environment,
                    cpus,
                    memoryBytes,
                    gpus,
                    gpuModel,
                    nodes,
                    walltimeSeconds,
                    priority,
                    requeue,
                    sites,
                    constraint,
                    after,
                    array,
                    folder,
                    inputs,
                    outputs,
                    terms,
                    markets,
                    syncSeconds,
                    container);
        }
    }
}
