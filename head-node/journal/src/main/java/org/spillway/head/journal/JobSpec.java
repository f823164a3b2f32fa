package org.spillway.head.journal;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobSubmission;
import org.spillway.policy.Market;
import org.spillway.policy.Resources;
import org.spillway.stage.tree.ImageName;

/**
 * A user's submission; never changes.
 *
 * @param project that it belongs to; empty for none
 * @param sites where it may run, the most preferred first; one for a job that is pinned
 * @param requeue whether it is tried again when its nodes are lost
 * @param after jobs that must have ended before
 * @param array which task of an array it is; null for a job by itself
 * @param data what goes out with it and what comes home
 * @param idempotencyKey chosen by the client: the same key by the same user is the same job
 * @param terms who is charged, by when it is wanted, and which licences it takes; {@link Terms#NONE} in what earlier
 *     releases have journalled
 */
public record JobSpec(
        String name,
        Owner owner,
        String project,
        String queue,
        List<String> sites,
        Program program,
        Need need,
        int priority,
        boolean requeue,
        List<Dependency> after,
        @Nullable ArrayTask array,
        Data data,
        Key idempotencyKey,
        Instant submittedAt,
        Terms terms) {
    public JobSpec {
        sites = List.copyOf(sites);
        after = List.copyOf(after);
        terms = terms == null ? Terms.NONE : terms;
        // A body in the journal does without it: it is stored once for all that run it.
        program = program == null ? Program.NONE : program;
        if (sites.isEmpty()) {
            throw new IllegalArgumentException("a job may run nowhere: " + name);
        }
    }

    /**
     * @param account that is charged; empty for none
     * @param deadline when it should have ended; null for none
     * @param licences floating licences that it takes while it runs, by name, each 1 or more
     */
    public record Terms(String account, @Nullable Instant deadline, Map<String, Integer> licences) {
        public static final Terms NONE = new Terms("", null, Map.of());

        /** @param account the asked one, or the one that is charged when none was */
        public static Terms of(JobSubmission.Terms asked, String account, Instant now) {
            Instant deadline = asked.deadlineSeconds() == 0 ? null : now.plusSeconds(asked.deadlineSeconds());
            return new Terms(account, deadline, asked.licences());
        }

        public Terms {
            licences = Map.copyOf(licences);
        }
    }

    /**
     * @param value as the client chose it
     * @param digest of all that was asked for under it; empty where nobody may ask again: for a later task of an array,
     *     for another manager's job, and in what earlier releases have journalled
     */
    public record Key(String value, String digest) {
        @JsonCreator(mode = JsonCreator.Mode.PROPERTIES)
        public Key {}

        /** Without a digest, as earlier releases have written it. */
        @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
        public static Key of(String value) {
            return new Key(value, "");
        }
    }

    /** Whose job it is. */
    public record Owner(String user, int uid, int gid) {}

    /** The program that runs on each node of the job. */
    public record Program(String script, List<String> arguments, Map<String, String> environment) {
        public static final Program NONE = new Program("", List.of(), Map.of());

        public Program {
            arguments = List.copyOf(arguments);
            environment = Map.copyOf(environment);
        }
    }

    /**
     * @param perNode what each node must have free
     * @param nodes 1 or more; more than one is a gang: it starts together or not at all
     * @param types the only ones that it may run on, as {@code SITE/TYPE}; empty for any
     * @param whole whether it shares its nodes with nobody
     * @param usual the queue's limit where nobody asked for a walltime, of which {@code walltime} may be a part; null
     *     where one was asked for, and in what earlier releases have journalled
     * @param markets the only ones of those that its queue allows; empty for all of them
     */
    public record Need(
            Resources perNode,
            int nodes,
            Duration walltime,
            List<String> types,
            boolean whole,
            @Nullable Duration usual,
            Set<Market> markets) {
        /** @param walltime the asked one, or of the queue's as much as there is time and money for */
        public static Need of(JobSubmission asked, Duration walltime, @Nullable Duration usual) {
            Resources each = new Resources(asked.cpus(), asked.memoryBytes(), asked.gpus(), asked.gpuModel(), 0);
            Set<Market> wanted = asked.markets().stream().map(Market::of).collect(Collectors.toUnmodifiableSet());
            return new Need(each, asked.nodes(), walltime, List.of(), false, usual, wanted);
        }

        /** On nodes of any type, which it shares. */
        public Need(Resources perNode, int nodes, Duration walltime) {
            this(perNode, nodes, walltime, List.of(), false, null, Set.of());
        }

        /** The same on such nodes. */
        public Need on(List<String> others, Resources each, boolean alone) {
            return new Need(each, nodes, walltime, others, alone, usual, markets);
        }

        private Need lasting(Duration other, int count) {
            return new Need(perNode, count, other, types, whole, usual, markets);
        }

        public Need {
            // Not written by releases that knew none.
            types = types == null ? List.of() : List.copyOf(types);
            markets = markets == null ? Set.of() : Set.copyOf(markets);
            if (nodes < 1) {
                throw new IllegalArgumentException("a job of " + nodes + " nodes");
            }
        }
    }

    /** @param onlyIfDone it must have ended as DONE; otherwise any end will do */
    public record Dependency(String job, boolean onlyIfDone) {}

    /**
     * @param id of the array; its tasks are {@code id-index}
     * @param limit how many of its tasks may run at once; 0 for any number
     */
    public record ArrayTask(String id, int index, int limit) {}

    /**
     * @param folder absolute path at home that relative paths are meant from; the hidden bundle of results lies there
     *     before they are put in their places
     * @param syncSeconds from one round of outputs that come home while it runs to the next; 0 for only at its end, and in
     *     what earlier releases have journalled
     * @param streams of a job whose outputs do not say which of them they are; none in what earlier releases have journalled
     */
    public record Data(
            List<Input> inputs,
            List<Output> outputs,
            String folder,
            int syncSeconds,
            @Nullable Streams streams) {
        /** Whose outputs come home at its end. */
        public Data(List<Input> inputs, List<Output> outputs, String folder) {
            this(inputs, outputs, folder, 0, null);
        }

        /** The same with other files. */
        public Data with(List<Input> otherInputs, List<Output> otherOutputs) {
            return new Data(otherInputs, otherOutputs, folder, syncSeconds, streams);
        }

        /** The same of a job whose runs add to its files of output. */
        public Data adding() {
            Streams its = streams == null ? Streams.NONE : streams;
            return new Data(inputs, outputs, folder, syncSeconds, new Streams(its.stdout, its.stderr, true));
        }

        /** The same of a job that runs in that image. */
        public Data in(String image) {
            List<Input> all = new ArrayList<>(inputs);
            all.removeIf(Input::isImage);
            all.add(new Input(ImageName.AS_INPUT + image, ""));
            return with(all, outputs);
        }

        private static Data of(JobSubmission asked) {
            return new Data(
                    asked.inputs().stream()
                            .map(input -> new Input(input.pattern(), input.target()))
                            .toList(),
                    asked.outputs().stream()
                            .map(output ->
                                    new Output(output.pattern(), output.destination(), output.tree(), output.strict()))
                            .toList(),
                    asked.folder(),
                    Math.toIntExact(asked.syncSeconds()),
                    null);
        }

        public Data {
            inputs = List.copyOf(inputs);
            outputs = List.copyOf(outputs);
        }
    }

    /**
     * Files at home that standard output and error of a job go to.
     *
     * @param stdout absolute path; empty for none
     * @param stderr the same; empty also where both are one file
     * @param adds whether each run adds to what these files have, and does not begin them anew
     */
    public record Streams(String stdout, String stderr, boolean adds) {
        public static final Streams NONE = new Streams("", "");

        /** Begun anew by each run. */
        public Streams(String stdout, String stderr) {
            this(stdout, stderr, false);
        }
    }

    /** Where standard output and error of the job go at home. */
    public Streams streams() {
        Streams said = data.streams();
        return said != null ? said : new Streams(file(JobSubmission.Output.STDOUT), file(JobSubmission.Output.STDERR));
    }

    private String file(String pattern) {
        return data.outputs().stream()
                .filter(output -> output.pattern().equals(pattern) && !output.tree())
                .map(Output::destination)
                .findFirst()
                .orElse("");
    }

    /**
     * @param pattern absolute path at home, of a file, a folder, or with globs; another end ({@code Origin}), or the image
     *     that the job runs in, behind {@link ImageName#AS_INPUT}
     * @param target where it goes in the job's folder; empty for its root
     */
    public record Input(String pattern, String target) {
        /** Whether it is the image that the job runs in, which no user can name among the inputs. */
        public boolean isImage() {
            return pattern.startsWith(ImageName.AS_INPUT);
        }
    }

    /**
     * @param pattern relative path in the job's folder, of a file, a folder, or with globs
     * @param destination absolute path at home: of the file, or, when {@code tree}, of the folder that they go to
     * @param strict the job has failed when there is nothing of it
     */
    public record Output(String pattern, String destination, boolean tree, boolean strict) {
        /** The pattern of all that the job leaves. */
        public static final String ALL = "**";

        /** The pattern of what the job leaves below its user's home and outside of its folder: nodes put a link there. */
        public static final String BELOW_HOME = ".spillway-home";

        /** Whether there may be nothing of it: what a job leaves besides what it names is not missed. */
        public boolean mayBeNothing() {
            return (pattern.equals(ALL) || pattern.equals(BELOW_HOME)) && !strict;
        }
    }

    /** A job by the names of its parts; those that {@code made} leaves alone are as {@link Draft} has them. */
    public static JobSpec of(Consumer<Draft> made) {
        Draft draft = new Draft();
        made.accept(draft);
        return draft.made();
    }

    /** The same as was asked for, but for what {@code said} sets: its owner, its places and its terms are not the user's. */
    public static JobSpec asked(JobSubmission asked, Consumer<Draft> said) {
        return of(draft -> {
            draft.name = asked.name().isEmpty() ? asked.scriptName() : asked.name();
            draft.project = asked.project();
            draft.program = new Program(asked.script(), asked.arguments(), asked.environment());
            draft.priority = asked.priority();
            draft.requeue = asked.requeue();
            draft.after = asked.after().stream()
                    .map(one -> new Dependency(one.job(), one.onlyIfDone()))
                    .toList();
            draft.data = Data.of(asked);
            said.accept(draft);
        });
    }

    /** The same but for what {@code changed} sets. */
    public JobSpec with(Consumer<Draft> changed) {
        Draft draft = new Draft();
        draft.name = name;
        draft.owner = owner;
        draft.project = project;
        draft.queue = queue;
        draft.sites = sites;
        draft.program = program;
        draft.need = need;
        draft.priority = priority;
        draft.requeue = requeue;
        draft.after = after;
        draft.array = array;
        draft.data = data;
        draft.idempotencyKey = idempotencyKey;
        draft.submittedAt = submittedAt;
        draft.terms = terms;
        changed.accept(draft);
        return draft.made();
    }

    /** The same job, with fewer sites to choose from. */
    public JobSpec at(List<String> fewer) {
        return with(draft -> draft.sites = fewer);
    }

    /** The same job on that many nodes, as its manager has decided. */
    public JobSpec on(int nodes) {
        return with(draft -> draft.need = need.lasting(need.walltime, nodes));
    }

    /** The same without its program, for listings: scripts are by far the largest part of a job. */
    public JobSpec withoutProgram() {
        return with(draft -> draft.program = Program.NONE);
    }

    /** The workload manager's key of it when its user gave it to that one; empty when it was given to the head. */
    public String foreign() {
        return isForeign(idempotencyKey.value) ? idempotencyKey.value : "";
    }

    /** Whether a key is a workload manager's of a job that was given to that one. */
    public static boolean isForeign(String key) {
        return ForeignKey.is(key);
    }

    /** The name of the workload manager in such a key. */
    public static String managerOf(String foreign) {
        return foreign.substring(0, foreign.indexOf(':'));
    }

    public String user() {
        return owner.user;
    }

    public int uid() {
        return owner.uid;
    }

    public int gid() {
        return owner.gid;
    }

    public Resources resources() {
        return need.perNode;
    }

    public int nodes() {
        return need.nodes;
    }

    public Duration walltime() {
        return need.walltime;
    }

    /** The same with another walltime. */
    public JobSpec lasting(Duration walltime) {
        return with(draft -> draft.need = need.lasting(walltime, need.nodes));
    }

    public List<Input> inputs() {
        return data.inputs;
    }

    /** The image that it runs in, by the digest that it had when that was looked up; empty for none. */
    public String container() {
        return data.inputs.stream()
                .filter(Input::isImage)
                .map(input -> input.pattern.substring(ImageName.AS_INPUT.length()))
                .findFirst()
                .orElse("");
    }

    public List<Output> outputs() {
        return data.outputs;
    }

    /** Parts of one that is being made. */
    public static final class Draft {
        public String name = "";
        public Owner owner = new Owner("", -1, -1);
        public String project = "";
        public String queue = "";
        public List<String> sites = List.of();
        public Program program = Program.NONE;
        public Need need = new Need(Resources.NONE, 1, Duration.ZERO);
        public int priority;
        public boolean requeue = true;
        public List<Dependency> after = List.of();
        public @Nullable ArrayTask array;
        public Data data = new Data(List.of(), List.of(), "/");
        public Key idempotencyKey = Key.of("");
        public Instant submittedAt = Instant.EPOCH;
        public Terms terms = Terms.NONE;

        private Draft() {}

        private JobSpec made() {
            return new JobSpec(
                    name,
                    owner,
                    project,
                    queue,
                    sites,
                    program,
                    need,
                    priority,
                    requeue,
                    after,
                    array,
                    data,
                    idempotencyKey,
                    submittedAt,
                    terms);
        }
    }
}
