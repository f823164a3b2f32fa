package org.spillway.proof.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.api.CauseView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobView;
import org.spillway.api.Json;
import org.spillway.api.NodeState;
import org.spillway.api.NodeView;
import org.spillway.api.SiteView;
import org.spillway.api.SpendView;
import org.spillway.policy.Money;

/** Pages computed from the head's answers; the golden files are rewritten with -Dgolden.update=true. */
final class DemoPagesTest {
    private static final Instant BEGIN = Instant.parse("2026-11-21T12:00:00Z");
    private static final List<String> SITES = List.of("home", "local-east", "local-west");
    private static final Answer ANSWER =
            Answer.of(List.of("2017-09-04 10:30:41,10.5,8,84.0,aaaaaa", "2017-09-05 10:30:41,3600.0,2,7200.0,bbbbbb"));

    @Test
    void reportOfAGoodRun() throws IOException {
        DemoReport report = report(JobState.DONE, 2300, true, 0);
        assertThat(report.broken()).isEmpty();
        assertThat(report.inRegions()).isEqualTo(3);
        golden("report.txt", ReportPage.of(report, BEGIN));
        golden("report.json", Json.writeIndented(report) + "\n");
    }

    @Test
    void reportSaysWhatIsNotAsPromised() throws IOException {
        DemoReport report = report(JobState.FAILED, 3400, false, 2);
        assertThat(report.broken()).hasSize(13);
        golden("report-broken.txt", ReportPage.of(report, BEGIN));
    }

    @Test
    void whatWasAskedToStayIsNoBrokenPromise() {
        DemoReport good = report(JobState.DONE, 2300, true, 0);
        var kept = new DemoReport(
                good.answer(),
                good.jobs(),
                good.gang(),
                new DemoReport.InstancesPart(7, 2, 5, List.of(), true),
                good.identity(),
                good.images(),
                good.owners(),
                null,
                good.regions(),
                good.seconds());
        assertThat(kept.broken()).isEmpty();
    }

    @Test
    void aGangOfWhichOneNeverStartedHasNoStart() {
        JobDetail gang = detail(view("5", "shapes", "local-west", JobState.FAILED, 2), null);
        assertThat(DemoReport.GangPart.of(gang).withinSeconds()).isNull();
    }

    @Test
    void progress() throws IOException {
        Scene before = scene(JobState.STAGING_IN, NodeState.BOOTING);
        Scene after = scene(JobState.RUNNING, NodeState.READY);
        golden(
                "progress.txt",
                String.join("\n", ProgressPage.block(after, 100)) + "\n\n"
                        + String.join("\n", ProgressPage.changes(before, after)) + "\n");
        assertThat(ProgressPage.block(after, 20)).allMatch(line -> line.length() <= 20);
        assertThat(ProgressPage.changes(after, after)).isEmpty();
    }

    @Test
    void imagesAreEqualWhenEveryDirectorHasTheLatestAndEveryNodeOneThatWasCurrent() {
        var watch = new ImageWatch(SITES);
        watch.look(images("one", List.of("one"), "one"));
        assertThat(watch.report().digestsEqual()).isTrue();
        watch.look(images("two", List.of("one"), "one"));
        assertThat(watch.hasChanged()).isTrue();
        assertThat(watch.report().digestsEqual()).isFalse();
        watch.look(images("two", List.of("one", "two"), "one"));
        assertThat(watch.report().digestsEqual()).isTrue();
        watch.look(images("two", List.of("one", "two"), "three"));
        assertThat(watch.report().digestsEqual()).isFalse();
    }

    private static Scene images(String home, List<String> directors, String node) {
        List<SiteView> sites =
                SITES.stream().map(site -> site(site, home, directors)).toList();
        return new Scene(Duration.ZERO, List.of(), List.of(node(NodeState.READY, node)), sites, spend());
    }

    private static Scene scene(JobState job, NodeState node) {
        return new Scene(
                Duration.ofMillis(12_300),
                List.of(
                        view("1", "resample-1", "home", JobState.DONE, 1),
                        view("2", "hours-aaaaaa", "local-east", job, 1)),
                List.of(node(node, "one")),
                List.of(site("home", "one", List.of("one")), site("local-east", "one", List.of("one"))),
                spend());
    }

    private static DemoReport report(JobState state, long secondStartMillis, boolean good, int left) {
        Answer got = good ? ANSWER : new Answer(new java.util.TreeMap<>());
        List<JobDetail> details = List.of(
                detail(view("1", "resample-1", "home", state, 1), null),
                detail(view("2", "hours-aaaaaa", "local-east", JobState.DONE, 1), null),
                detail(view("3", "hours-bbbbbb", "local-west", JobState.DONE, 1), null),
                detail(view("5", "shapes", "local-west", state, 2), BEGIN.plusMillis(secondStartMillis)));
        var found = new java.util.TreeMap<>(Map.of("local-east", DemoReport.seconds(Duration.ofMillis(1240), 1)));
        return new DemoReport(
                DemoReport.AnswerPart.of(ANSWER, got),
                details.stream().map(DemoReport.JobPart::of).toList(),
                DemoReport.GangPart.of(details.getLast()),
                new DemoReport.InstancesPart(
                        7, 7 - left, left, good ? List.of() : List.of("local-east: disk d-1"), false),
                new DemoReport.IdentityPart(good, true, "ada", found),
                new DemoReport.ImagesPart(true, "0123456789abcdef", Map.of("home", List.of("0123456789abcdef")), 4),
                good
                        ? new DemoReport.OwnersPart(5, List.of(), List.of())
                        : new DemoReport.OwnersPart(5, List.of("local-west: i-9"), List.of("local-east-7: i-1, i-2")),
                good
                        ? new DemoReport.ChaosPart("link", 3, DemoReport.seconds(Duration.ofMillis(9870), 1), "cut")
                        : null,
                new DemoReport.RegionsPart(
                        good ? "local" : "aws", SITES.subList(1, 3), Patience.USUAL.gangSeconds(), notice(good)),
                DemoReport.seconds(Duration.ofMillis(43_210), 1));
    }

    private static NoticeAct.Part notice(boolean good) {
        return new NoticeAct.Part(
                true,
                "local-east",
                "local-west",
                DemoReport.seconds(Duration.ofMillis(good ? 900 : 2_100), 1),
                17,
                good ? 18 : 1,
                good,
                new Money(good ? 40 : 0));
    }

    private static JobDetail detail(JobView job, @org.jspecify.annotations.Nullable Instant second) {
        var timings = new JobDetail.Timings(
                BEGIN.plusMillis(900),
                BEGIN.plusMillis(1000),
                BEGIN.plusMillis(1600),
                BEGIN.minusMillis(50),
                null,
                BEGIN.plusMillis(1900),
                BEGIN.plusMillis(2000),
                BEGIN.plusMillis(2900),
                BEGIN.plusMillis(3700));
        List<JobDetail.RankView> ranks = job.nodeCount() == 1
                ? List.of()
                : List.of(
                        new JobDetail.RankView(0, "n-0", "127.0.0.2", BEGIN.plusMillis(2000), null, 0, false, "", null),
                        new JobDetail.RankView(1, "n-1", "127.0.0.3", second, null, 0, false, "", null));
        return new JobDetail(
                job,
                List.of(),
                timings,
                ranks,
                List.of(),
                List.of(),
                List.of(),
                null,
                new JobDetail.DataView(
                        30_000, 4_567, 0, 34_567, 89, new JobDetail.NoticeView(1, 2, new Money(40), true, "")),
                "");
    }

    private static JobView view(String id, String name, String site, JobState state, int nodes) {
        return new JobView(
                id,
                "",
                name,
                "",
                site.equals("home") ? "home" : "anywhere",
                site,
                "me",
                1000,
                state,
                state == JobState.FAILED ? "its script ended with exit code 1" : "",
                2,
                List.of(),
                nodes,
                1,
                0,
                0,
                "",
                60,
                0,
                BEGIN,
                null,
                null,
                null,
                34_567,
                89,
                new Money(1234),
                CauseView.NONE,
                "",
                null);
    }

    private static NodeView node(NodeState state, String image) {
        return NodeView.of(view -> {
            view.id = "local-east-7";
            view.site = "local-east";
            view.state = state;
            view.offering = "a/e.large/ON_DEMAND";
            view.instance = "i-1";
            view.address = "127.0.0.9";
            view.since = BEGIN;
            view.pricePerHour = new Money(200_000);
            view.image = image;
        });
    }

    private static SiteView site(String name, String image, List<String> images) {
        return new SiteView(
                name,
                "local",
                name.equals("home"),
                "up",
                name + "-d",
                "127.0.0.5",
                1,
                3,
                1,
                image,
                images,
                2,
                true,
                "",
                CauseView.NONE,
                org.spillway.api.CallsView.NONE,
                CauseView.NONE);
    }

    private static SpendView spend() {
        return new SpendView(
                "EUR",
                "day",
                BEGIN,
                new Money(2_000_000),
                new Money(123),
                new Money(45_000),
                new Money(1_954_877),
                Money.ZERO,
                Money.ZERO);
    }

    private static void golden(String name, String text) throws IOException {
        Path file = Path.of("src/test/resources/org/spillway/proof/demo", name);
        if (Boolean.getBoolean("golden.update")) {
            Files.writeString(file, text);
        }
        assertThat(text).isEqualTo(Files.readString(file, StandardCharsets.UTF_8));
    }
}
