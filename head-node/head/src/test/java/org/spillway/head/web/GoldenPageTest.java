package org.spillway.head.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.spillway.api.JobFilter;
import org.spillway.head.rest.FakeHead;
import org.spillway.head.rest.HeadApi;

/** The pages as they are sent, to be read in a review. Written anew by {@code -Dgolden.update=true}. */
final class GoldenPageTest {
    private static final Path GOLDEN = Path.of("src/test/resources/org/spillway/head/web");
    private final Templates templates = new Templates();
    private final AtomicLong nanos = new AtomicLong();

    private Feed feed(HeadApi head) {
        return new Feed(head, templates, InstantSource.fixed(BusyHead.NOON), nanos::get);
    }

    private static Map<String, Object> frame(HeadApi head) {
        var model = new HashMap<String, Object>();
        model.put("health", head.health());
        model.put("assets", Map.of("css", "/assets/a.css", "js", "/assets/a.js", "svg", "/assets/a.svg"));
        model.put("version", "1");
        model.put("events", "/events");
        return model;
    }

    private static void same(String name, String html) throws IOException {
        var file = GOLDEN.resolve(name);
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(file, html);
        }
        assertThat(html).isEqualTo(Files.readString(file));
    }

    @Test
    void mainPage() throws IOException {
        var head = new BusyHead();
        var model = frame(head);
        model.put("board", feed(head).board());
        same("main.html", templates.render("main", model));
    }

    @Test
    void jobPage() throws IOException {
        var head = new BusyHead();
        var model = frame(head);
        model.putAll(feed(head).job("120").orElseThrow());
        same("job.html", templates.render("job-page", model));
    }

    /** Nothing is submitted, nothing runs. */
    @Test
    void anEmptyHead() {
        var model = frame(new FakeHead());
        model.put("board", feed(new FakeHead()).board());
        assertThat(templates.render("main", model)).contains("No job waits or runs.", "No job waits.");
    }

    /** The parts that the live part replaces are on the page, and what it sends is what the page had. */
    @Test
    void thePartsAreThoseOfThePage() throws IOException {
        var parts = feed(new BusyHead()).mainParts();
        assertThat(parts.keySet()).containsExactlyElementsOf(Feed.MAIN_PARTS);
        var page = Files.readString(GOLDEN.resolve("main.html"));
        parts.forEach((name, html) -> {
            assertThat(html).containsOnlyOnce(" id=\"" + name + "\"");
            assertThat(page).contains(html);
        });
        assertThat(feed(new BusyHead()).jobParts("120").get(Feed.JOB_PART)).contains(" id=\"job\"");
        assertThat(feed(new BusyHead()).jobParts("999")).isEmpty();
    }

    /** However many look. */
    @Test
    void theHeadIsAskedOnceASecondAndLessOftenWhenItTakesLong() {
        var asked = new AtomicInteger();
        var tookNanos = new AtomicLong();
        var real = new FakeHead();
        var head = (HeadApi) java.lang.reflect.Proxy.newProxyInstance(
                HeadApi.class.getClassLoader(), new Class<?>[] {HeadApi.class}, (self, method, arguments) -> {
                    if (method.getName().equals("sites")) {
                        asked.incrementAndGet();
                        nanos.addAndGet(tookNanos.get());
                    }
                    return method.invoke(real, arguments);
                });
        var feed = feed(head);
        for (int i = 0; i < 20; i++) {
            feed.mainParts();
            feed.board();
        }
        assertThat(asked).hasValue(1);
        tookNanos.set(500_000_000L);
        nanos.addAndGet(1_000_000_000L);
        feed.board();
        assertThat(asked).hasValue(2);
        nanos.addAndGet(4_000_000_000L);
        feed.board();
        assertThat(asked).hasValue(2);
        nanos.addAndGet(1_000_000_000L);
        feed.board();
        assertThat(asked).hasValue(3);
    }

    @Test
    void aThousandJobsAreCountedAndTheFirstOfThemShown() {
        var head = new FakeHead();
        for (int i = 1; i <= 1000; i++) {
            head.jobs.put("" + i, FakeHead.job("" + i, "many", "ada", 1001, org.spillway.api.JobState.QUEUED));
        }
        assertThat(head.jobs(new JobFilter(java.util.OptionalInt.empty(), false, 10_000)))
                .hasSize(1000);
        var board = feed(head).board();
        assertThat(board.jobs().live()).hasSize(Board.MOST_JOBS);
        assertThat(board.jobs().more()).isEqualTo(800);
        assertThat(board.counts().waiting()).isEqualTo(1000);
        assertThat(board.waits().most()).singleElement().satisfies(wait -> {
            assertThat(wait.count()).isEqualTo(1000);
            assertThat(wait.jobs()).hasSize(3);
        });
    }
}
