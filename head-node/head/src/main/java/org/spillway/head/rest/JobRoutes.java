package org.spillway.head.rest;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.JobDetail;
import org.spillway.api.JobFilter;
import org.spillway.api.JobState;
import org.spillway.api.JobView;

/** Answers about jobs, to those who may see them. */
final class JobRoutes {
    private final HeadApi head;

    JobRoutes(HeadApi head) {
        this.head = head;
    }

    Routes.Answer one(Routes.Call call) {
        return Routes.Answer.ok(head.sight().shown(call.caller(), visible(call)));
    }

    Routes.Answer explain(Routes.Call call) {
        JobView job = visible(call).job();
        if (!JobSight.isTold(job.state())) {
            needReader(call, job, "why it ended");
        }
        var id = job.id();
        return Routes.Answer.ok(head.explain(id).orElseThrow(() -> noJob(id)));
    }

    Routes.Answer log(Routes.Call call) {
        Routes.onlyQuery(call, List.of("stream", "rank", "after"));
        JobView job = visible(call).job();
        needReader(call, job, "its output");
        var id = job.id();
        var stream = call.query().getOrDefault("stream", "stdout");
        if (!stream.equals("stdout") && !stream.equals("stderr")) {
            throw new ApiException(Code.BAD_REQUEST, "stream: found '" + stream + "'", "allowed: stdout, stderr");
        }
        return Routes.Answer.ok(head.log(
                id,
                stream,
                (int) Routes.number(call, "rank", 0, 1000),
                Routes.number(call, "after", 0, Long.MAX_VALUE)));
    }

    Routes.Answer array(Routes.Call call) {
        return Routes.Answer.ok(Map.of("jobs", shown(call, visibleTasks(call))));
    }

    Routes.Answer cancelArray(Routes.Call call) {
        visibleTasks(call).forEach(job -> needEnder(call, job));
        return Routes.Answer.ok(
                Map.of("jobs", head.cancelArray(call.caller(), call.path().getOrDefault("id", ""))));
    }

    private List<JobView> visibleTasks(Routes.Call call) {
        var id = call.path().getOrDefault("id", "");
        var tasks = head.array(id).stream().filter(job -> sees(call, job)).toList();
        if (tasks.isEmpty()) {
            throw new ApiException(Code.NOT_FOUND, "no array '" + id + "'", "'spillway queue --all' lists your jobs");
        }
        return tasks;
    }

    /** All nodes; of what runs there only what the caller sees anyway. */
    Routes.Answer nodes(Routes.Call call) {
        var nodes = head.nodes();
        if (head.sight().seesAll(call.caller())) {
            return Routes.Answer.ok(Map.of("nodes", nodes));
        }
        var own = OptionalInt.of(call.caller().uid());
        Set<String> seen = head.jobs(new JobFilter(own, false, JobFilter.MOST)).stream()
                .map(JobView::id)
                .collect(Collectors.toSet());
        return Routes.Answer.ok(Map.of(
                "nodes",
                nodes.stream().map(node -> node.showing(seen::contains)).toList()));
    }

    Routes.Answer jobs(Routes.Call call) {
        Routes.onlyQuery(call, List.of("ended", "queue", "state", "since", "until", "limit"));
        var ended = Routes.flag(call, "ended");
        var own = head.sight().seesAll(call.caller())
                ? OptionalInt.empty()
                : OptionalInt.of(call.caller().uid());
        var jobs = head.jobs(new JobFilter(
                own,
                ended,
                call.query().getOrDefault("queue", ""),
                state(call.query().get("state")),
                moment(call, "since", Instant.EPOCH),
                moment(call, "until", Instant.MAX),
                limit(call.query().getOrDefault("limit", "1000"))));
        // Jobs of a queue that the configuration does not have any more are still found.
        if (jobs.isEmpty()) {
            UnknownQueue.refuse(call.query().getOrDefault("queue", ""), head.queues());
        }
        // The port is asked for the caller's jobs; a port that answers others' must not leak them.
        return Routes.Answer.ok(Map.of(
                "jobs", shown(call, jobs.stream().filter(job -> sees(call, job)).toList())));
    }

    private static Optional<JobState> state(@Nullable String text) {
        if (text == null) {
            return Optional.empty();
        }
        for (var state : JobState.values()) {
            if (state.name().equals(text)) {
                return Optional.of(state);
            }
        }
        throw new ApiException(
                Code.BAD_REQUEST, "state: found '" + text + "'", "allowed: " + Arrays.toString(JobState.values()));
    }

    private static Instant moment(Routes.Call call, String key, Instant otherwise) {
        var text = call.query().get(key);
        try {
            return text == null ? otherwise : Instant.parse(text);
        } catch (DateTimeParseException unclear) {
            throw new ApiException(
                    Code.BAD_REQUEST, key + ": found '" + text + "'", "allowed: a time such as 2026-11-21T14:00:00Z");
        }
    }

    private static int limit(String text) {
        if (!text.matches("\\d{1,5}") || Integer.parseInt(text) < 1 || Integer.parseInt(text) > JobFilter.MOST) {
            throw new ApiException(
                    Code.BAD_REQUEST,
                    "limit: found '" + text + "'",
                    "allowed: a whole number from 1 to " + JobFilter.MOST);
        }
        return Integer.parseInt(text);
    }

    /** Another user's job looks just like no job. */
    private JobDetail visible(Routes.Call call) {
        var id = call.path().getOrDefault("id", "");
        return head.job(id).filter(job -> sees(call, job.job())).orElseThrow(() -> noJob(id));
    }

    private static ApiException noJob(String id) {
        return new ApiException(Code.NOT_FOUND, "no job '" + id + "'", "'spillway queue --all' lists your jobs");
    }

    private boolean sees(Routes.Call call, JobView job) {
        return head.sight().sees(call.caller(), job);
    }

    private List<JobView> shown(Routes.Call call, List<JobView> jobs) {
        JobSight sight = head.sight();
        return jobs.stream().map(job -> sight.shown(call.caller(), job)).toList();
    }

    private void needReader(Routes.Call call, JobView job, String what) {
        if (!head.sight().reads(call.caller(), job)) {
            throw new ApiException(
                    Code.FORBIDDEN,
                    "job " + job.id() + " is of " + job.user() + ", with whom you share no group: you see that it is"
                            + " there and what it costs, and not " + what,
                    "ask " + job.user());
        }
    }

    private void needEnder(Routes.Call call, JobView job) {
        if (!head.sight().mayEnd(call.caller(), job)) {
            throw new ApiException(
                    Code.FORBIDDEN,
                    "job " + job.id() + " is of " + job.user() + ", and only they may cancel it",
                    "ask " + job.user() + "; 'spillway cluster stop' ends what the cluster costs");
        }
    }

    Routes.Answer cancel(Routes.Call call) {
        JobView job = visible(call).job();
        needEnder(call, job);
        return Routes.Answer.ok(head.cancel(call.caller(), job.id()));
    }
}
