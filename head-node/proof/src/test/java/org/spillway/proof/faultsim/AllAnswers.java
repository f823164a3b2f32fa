package org.spillway.proof.faultsim;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.spillway.api.CauseView;
import org.spillway.api.CheckView;
import org.spillway.api.ExplainView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobView;
import org.spillway.api.NodeView;
import org.spillway.api.PlanView;
import org.spillway.api.QueueView;
import org.spillway.api.SiteView;
import org.spillway.cli.ShownText;
import org.spillway.head.config.ConfigReader;
import org.spillway.head.config.FakeDriver;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.config.Installed;
import org.spillway.head.service.Answers;
import org.spillway.head.web.ShownPage;
import org.spillway.policy.builtin.BuiltInPolicies;
import org.spillway.settings.ConfigMistakes;

/** All that a head in a simulated world says at one moment, in REST, by commands and on the page, beside each other. */
final class AllAnswers {
    private static final DateTimeFormatter FULL =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter MINUTE =
            DateTimeFormatter.ofPattern("HH:mm'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final Pattern COUNT = Pattern.compile("site (\\w+) has (\\d+) of (\\d+) nodes");
    private static final Pattern CLOCK = Pattern.compile("(?<![:\\dT])\\d{2}:\\d{2}(?::\\d{2})?(?![:\\d])");

    private static final Pattern ROW = Pattern.compile("<tr id=\"job-([^\"]+)\">(.*?)</tr>", Pattern.DOTALL);

    private final Answers answers;
    private final ShownText text;
    private final ShownPage page;
    private final Story story;
    private int stepMillis;
    int jobs;
    int left;
    int counts;
    int onTheWay;

    AllAnswers(Story story, Path folder) {
        this.story = story;
        this.answers = new Answers(config(folder), story.journal, story.loop, story.world.clock::now);
        this.text = new ShownText(answers);
        this.page = new ShownPage(answers, story.world.clock::now);
    }

    private static HeadConfig config(Path folder) {
        Map<String, Record> defaults = new HashMap<>();
        BuiltInPolicies.byName().forEach((name, policy) -> defaults.put(name, policy.defaults()));
        Path file = folder.resolve("spillway.yaml");
        try {
            Files.createDirectories(folder.resolve("tree"));
            Files.writeString(file, """
                    cluster: story
                    budget: { limit: 1000, period: month }
                    directory: { source: nss }
                    image: { name: base, tree: ./tree }
                    queues: { q: { sites: [home, east] } }
                    sites:
                      home: { driver: local, maxNodes: 2, director: { type: std } }
                      east: { driver: local, maxNodes: 3, director: { type: std } }
                    """);
            return ConfigReader.read(file, new Installed(Map.of("local", new FakeDriver()), defaults, Map.of()));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        } catch (ConfigMistakes mistakes) {
            throw new AssertionError(mistakes);
        }
    }

    /** @param stepLength so far an answer may lie behind another, in milliseconds */
    void compare(int stepLength) {
        stepMillis = stepLength;
        List<JobView> live = answers.live();
        List<NodeView> nodes = answers.nodes();
        Map<String, SiteView> sites = new TreeMap<>();
        answers.sites().forEach(site -> sites.put(site.name(), site));
        String queue = text.queue();
        Map<String, String> parts = page.main();
        Map<String, String> rows = rowsOf(parts.getOrDefault("jobs", ""));
        int more = live.size() - rows.size();
        if (more > 0) {
            left += more;
            assertThat(words(parts.getOrDefault("jobs", ""))).contains("and " + more + " more");
        }
        for (JobView job : live) {
            jobs++;
            job(job, nodes, sites, queue, more > 0 ? rows.getOrDefault(job.id(), "") : rows.get(job.id()));
        }
        sites.values().forEach(site -> site(site, live, nodes, parts.getOrDefault("sites", "")));
        queues(live, parts);
        PlanView plan = answers.plan();
        plan.steps().forEach(step -> counted(step.reason(), sites));
        List.of(queue, text.nodes(), text.sites(), text.queues()).forEach(AllAnswers::zoned);
        parts.forEach((name, html) -> zoned(words(html)));
    }

    private void job(
            JobView job, List<NodeView> nodes, Map<String, SiteView> sites, String queue, @Nullable String rowOfPage) {
        Instant now = story.world.clock.now();
        JobDetail detail = answers.detail(job.id());
        ExplainView explained = answers.explain(job.id());
        String all = job + "\n" + explained;
        assertThat(detail.job()).as(all).isEqualTo(job);
        assertThat(explained.state()).as(all).isEqualTo(job.state());
        assertThat(explained.expectedStart()).as(all).isEqualTo(job.expectedStart());
        assertThat(explained.cause()).as(all).isEqualTo(job.cause());
        String row = rowOf(queue, job.id());
        assertThat(row)
                .as(all)
                .contains(job.state().name())
                .endsWith(job.reason().strip());
        String shown = text.job(job.id());
        assertThat(rowOfPage).as(all).isNotNull();
        if (!rowOfPage.isEmpty()) {
            assertThat(rowOfPage).as(all).contains(job.reason(), job.state().name());
        }
        String jobPage = words(page.page(job.id()));
        assertThat(jobPage).as(all).contains(explained.sentence());
        zoned(shown);
        zoned(jobPage);
        zoned(explained.sentence());
        assertThat(job.reason())
                .as(all)
                .matches(reason -> !reason.isEmpty() || !job.state().waitsToStart());
        Instant start = job.expectedStart();
        assertThat(job.state().waitsToStart() || start == null).as(all).isTrue();
        if (start != null) {
            assertThat(shown).as(all).contains(FULL.format(start));
            assertThat(jobPage).as(all).contains(FULL.format(start));
            assertThat(explained.sentence())
                    .as(all)
                    .contains("expected start " + (start.isBefore(now.plusSeconds(1)) ? "now" : ""));
            assertThat(explained.sentence()).as(all).doesNotContain("cannot be said");
        }
        boolean stops = job.cause().code().startsWith("STOPPING_");
        if (job.state() == JobState.RUNNING && stops) {
            assertThat(explained.sentence()).as(all).startsWith(job.reason());
        } else if (job.state() == JobState.RUNNING) {
            assertThat(explained.sentence()).as(all).contains(" since " + MINUTE.format(job.startedAt()));
        }
        counted(job.reason(), sites);
        counted(explained.sentence(), sites);
        check(job, explained, all);
        if (job.cause().code().equals("NODE_ON_THE_WAY")) {
            onTheWay(job, explained, nodes, all);
        }
    }

    /** A node that is on its way to a job is there for everybody, and for no more jobs than it has room for. */
    private void onTheWay(JobView job, ExplainView explained, List<NodeView> nodes, String all) {
        onTheWay++;
        CauseView cause = job.cause();
        Object type = cause.parameters().get("type");
        assertThat(nodes)
                .as(all)
                .anyMatch(node ->
                        node.site().equals(job.site()) && node.offering().contains("/" + type + "/") && isComing(node));
        assertThat(explained.expectedStart()).as(all).isNotNull();
        assertThat(explained.sentence()).as(all).doesNotContain("expected start now");
    }

    private static boolean isComing(NodeView node) {
        return switch (node.state()) {
            case REQUESTED, LAUNCHING, BOOTING, PROVISIONING, JOINING, REPURPOSING -> true;
            default -> false;
        };
    }

    /** A job of the same kind, asked about now, begins no sooner. */
    private void check(JobView job, ExplainView explained, String all) {
        CheckView twin = answers.check(story.job(job.id()).spec());
        Instant start = explained.expectedStart();
        if (start != null && twin.expectedStart() != null && twin.site().equals(job.site())) {
            assertThat(twin.expectedStart()).as("%s\n%s", all, twin).isAfterOrEqualTo(start.minusMillis(stepMillis));
        }
    }

    private void site(SiteView site, List<JobView> live, List<NodeView> nodes, String sitesOfPage) {
        long there = nodes.stream()
                .filter(node -> node.site().equals(site.name())
                        && node.role().equals("node")
                        && node.state().mayCost())
                .count();
        assertThat((long) site.nodes()).as(site.name()).isEqualTo(there).isLessThanOrEqualTo(site.maxNodes());
        assertThat((long) site.jobs())
                .as(site.name())
                .isEqualTo(live.stream()
                        .filter(job -> job.site().equals(site.name()))
                        .count());
        assertThat(rowOf(text.sites(), site.name())).contains(site.state());
        assertThat(words(sitesOfPage)).contains(site.nodes() + " of " + site.maxNodes());
    }

    private void queues(List<JobView> live, Map<String, String> parts) {
        QueueView queue = answers.queues().getFirst();
        long waiting = live.stream().filter(job -> job.state().waitsToStart()).count();
        assertThat((long) queue.waiting()).isEqualTo(waiting);
        assertThat((long) queue.running()).isEqualTo(live.size() - waiting);
        assertThat(words(parts.getOrDefault("summary", "")))
                .contains(queue.running() + " jobs running", queue.waiting() + " waiting");
        assertThat(rowOf(text.queues(), "q").split("\\s+", -1))
                .containsSequence(waiting + "", queue.running() + "", "on-demand,");
        assertThat(words(parts.getOrDefault("queues", "")))
                .as("markets of a queue")
                .contains(String.join(", ", queue.markets()));
    }

    private void counted(String sentence, Map<String, SiteView> sites) {
        var count = COUNT.matcher(sentence);
        while (count.find()) {
            counts++;
            SiteView site = sites.get(count.group(1));
            assertThat(Integer.parseInt(count.group(3))).as(sentence).isEqualTo(site.maxNodes());
            assertThat(Integer.parseInt(count.group(2)))
                    .as("%s, and the site %s", sentence, site)
                    .isEqualTo(site.nodes());
        }
    }

    /** All that is said of the clock is in one zone, and says which. */
    private static void zoned(String said) {
        var clock = CLOCK.matcher(said);
        while (clock.find()) {
            assertThat(said.substring(clock.end())).as(said).startsWith("Z");
        }
    }

    private static String rowOf(String table, String first) {
        return table.lines()
                .filter(line -> line.startsWith(first + " "))
                .findFirst()
                .orElseThrow(() -> new AssertionError(first + " is not in\n" + table))
                .strip();
    }

    /** The page's rows of jobs by their ids, as they are read. */
    private static Map<String, String> rowsOf(String html) {
        Map<String, String> rows = new HashMap<>();
        var row = ROW.matcher(html);
        while (row.find()) {
            rows.put(row.group(1), words(row.group(2)));
        }
        return rows;
    }

    /** HTML as it is read. */
    private static String words(String html) {
        return html.replaceAll("<time datetime=\"[^\"]*\"[^>]*>", "")
                .replaceAll("<[^>]*>", " ")
                .replace("&#39;", "'")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&amp;", "&")
                .replaceAll("\\s+", " ");
    }
}
