package org.spillway.head.web;

import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.spillway.api.ApiException;
import org.spillway.api.ExplainView;
import org.spillway.api.HealthView;
import org.spillway.api.JobDetail;
import org.spillway.head.rest.HeadApi;

/**
 * The live parts of the pages as HTML, made at most once a second for all who look, and less often when that takes
 * long: looking at a head may take a tenth of one processor, not more.
 */
final class Feed {
    /** Parts of the main page, each with a template and an element of that name. */
    static final List<String> MAIN_PARTS =
            List.of("summary", "spend", "waits", "plan", "queues", "sites", "nodes", "jobs");

    static final String JOB_PART = "job";
    private static final long PACE_NANOS = 1_000_000_000L;
    private static final int SHARE = 10;
    private static final int MOST_TOPICS = 64;

    private final HeadApi head;
    private final Templates templates;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Topic<Rendered> main = new Topic<>();
    private final Map<String, Topic<Map<String, String>>> jobs = new ConcurrentHashMap<>();

    /** @param nanos a clock that only goes forward */
    Feed(HeadApi head, Templates templates, InstantSource clock, LongSupplier nanos) {
        this.head = head;
        this.templates = templates;
        this.clock = clock;
        this.nanos = nanos;
    }

    HealthView health() {
        return head.health();
    }

    Board board() {
        return main.get(this::render).board;
    }

    Optional<Map<String, Object>> job(String id) {
        return head.job(id).map(this::model);
    }

    /** The parts of the main page by name. */
    Map<String, String> mainParts() {
        return main.get(this::render).parts;
    }

    private Rendered render() {
        var board = Board.of(head);
        var model = Map.<String, Object>of("board", board);
        var parts = new LinkedHashMap<String, String>();
        MAIN_PARTS.forEach(part -> parts.put(part, templates.render(part, model)));
        return new Rendered(board, parts);
    }

    /** The parts of a job's page; none when the head has forgotten the job. */
    Map<String, String> jobParts(String id) {
        if (jobs.size() > MOST_TOPICS) {
            jobs.clear();
        }
        return jobs.computeIfAbsent(id, none -> new Topic<>())
                .get(() -> job(id).map(model -> Map.of(JOB_PART, templates.render(JOB_PART, model)))
                        .orElse(Map.of()));
    }

    private Map<String, Object> model(JobDetail detail) {
        var job = detail.job();
        var explained = job.state().isTerminal() ? Optional.<ExplainView>empty() : explain(job.id());
        return Map.of(
                "detail", detail,
                "job", job,
                "timeline", Timeline.of(detail.timeline(), clock.instant()),
                "sentence",
                        explained
                                .map(ExplainView::sentence)
                                .filter(sentence -> !sentence.isEmpty())
                                .orElse(job.reason()),
                "staged", explained.map(Feed::staged).orElse(""),
                "currency", head.spend().currency());
    }

    /** Explaining may need the loop, which may be too busy or ending; the job's own reason is there then. */
    private Optional<ExplainView> explain(String id) {
        try {
            return head.explain(id);
        } catch (ApiException notNow) {
            return Optional.empty();
        }
    }

    /** How much of its input is in its site, as SVG wants it; empty when there is none or all of it. */
    private static String staged(ExplainView explained) {
        long total = explained.totalBytes();
        return total <= 0 || explained.movedBytes() >= total
                ? ""
                : String.format(Locale.ROOT, "%.1f%%", 100.0 * Math.max(0, explained.movedBytes()) / total);
    }

    private record Rendered(Board board, Map<String, String> parts) {}

    /** A value that is made anew when it has grown old and somebody asks. */
    private final class Topic<T> {
        private @Nullable T value;
        private long freshUntil;

        synchronized T get(Supplier<T> make) {
            long begun = nanos.getAsLong();
            var kept = value;
            if (kept != null && begun - freshUntil < 0) {
                return kept;
            }
            var made = make.get();
            value = made;
            freshUntil = begun + Math.max(PACE_NANOS, SHARE * (nanos.getAsLong() - begun));
            return made;
        }
    }
}
