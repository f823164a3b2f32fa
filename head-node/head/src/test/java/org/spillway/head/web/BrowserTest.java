package org.spillway.head.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobState;

/** The page in Debian's Chromium, as an administrator uses it. Pictures are left in {@code target/screenshots}. */
final class BrowserTest {
    private static final Path PICTURES = Path.of("target/screenshots");
    /** There a test that is skipped would be a gap that nobody sees. */
    private static final boolean IN_CI = "true".equals(System.getenv("CI"));

    private static final int NARROW = 400;
    private static final int WIDE = 1600;

    @TempDir
    Path state;

    private final BusyHead head = new BusyHead();
    private WebServer server;

    /** The browser of all tests, which forgets between them: to start it takes longer than a test. */
    private static Browser browser;

    @BeforeAll
    static void start() throws IOException {
        boolean installed = Browser.isInstalled();
        if (!installed) {
            System.err.println("BrowserTest is skipped: Debian's packages chromium and chromium-driver are missing");
        }
        assumeTrue(installed || IN_CI, "Debian's packages chromium and chromium-driver are missing");
        // In the build's output, and left there: a browser that ends may still write.
        var target = Files.createDirectories(Path.of("target").toAbsolutePath());
        browser = Browser.start(Files.createTempDirectory(target, "browser-"));
    }

    @AfterAll
    static void end() throws IOException {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void open() throws IOException {
        server = serve(0);
        browser.forget();
        browser.size(WIDE, 1000);
        browser.open(server.link());
    }

    private WebServer serve(int port) throws IOException {
        return WebServer.start(
                new WebServer.Place("127.0.0.1", port, state, Duration.ofHours(12)),
                head,
                Optional.empty(),
                InstantSource.fixed(BusyHead.NOON));
    }

    @AfterEach
    void close() {
        if (server != null) {
            server.close();
        }
    }

    private void until(String what, Callable<Boolean> condition) {
        await(what).atMost(Duration.ofMinutes(3)).ignoreExceptions().until(condition);
    }

    private String text(String selector) throws IOException {
        return browser.run("const e = document.querySelector('" + selector + "'); return e ? e.innerText : '';")
                .asText();
    }

    private void untilLive() {
        until("the page is live", () -> text("#live").equals("live"));
    }

    private void fits(int width) throws IOException {
        browser.size(width, 900);
        assertThat(browser.run("return innerWidth").asInt()).isEqualTo(width);
        assertThat(browser.run("return document.documentElement.scrollWidth").asInt())
                .as("the page is wider than the window of " + width)
                .isLessThanOrEqualTo(width);
        // Text that is cut off inside of its box is lost too.
        assertThat(browser.run("""
                return [...document.querySelectorAll('main *')]
                    .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
                    .map(e => e.tagName + '.' + e.className)""").size()).isZero();
    }

    private void pictures(String name) throws IOException {
        for (int width : new int[] {320, 600, 761, 1000, 1199, 1200, 2560}) {
            fits(width);
        }
        for (int width : new int[] {NARROW, WIDE}) {
            fits(width);
            browser.picture(PICTURES.resolve(name + "-" + width + ".png"));
        }
        browser.dark(true);
        browser.picture(PICTURES.resolve(name + "-" + WIDE + "-dark.png"));
        browser.dark(false);
        assertThat(PICTURES.resolve(name + "-" + NARROW + ".png")).isNotEmptyFile();
    }

    @Test
    void theLinkShowsEverythingAtEveryWidth() throws IOException {
        untilLive();
        assertThat(browser.address()).isEqualTo("http://127.0.0.1:" + server.port() + "/");
        assertThat(browser.run("return document.cookie").asText())
                .as("scripts do not see the cookie")
                .isEmpty();
        assertThat(text("#sites")).contains("local-east", "local-west", "the link is down");
        assertThat(text("#queues")).contains("default", "cloud");
        assertThat(text("#nodes")).contains("east-1", "BOOTING", "2.40");
        assertThat(text("#jobs")).contains("train-gang", "RUNNING", "merge");
        assertThat(text("#spend")).contains("17.25", "50.00 EUR");
        assertThat(text("#waits")).contains("gpu.large refused in zone b: no capacity; retry 14:05");
        assertThat(text("#plan")).contains("2 × local-west/a/gpu.large", "over the budget");
        pictures("main");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void markupOfAUserIsText() throws IOException {
        untilLive();
        assertThat(text("#job-120")).contains(BusyHead.MARKUP);
        assertThat(browser.run("return document.querySelectorAll('main script').length")
                        .asInt())
                .isZero();
        browser.open("http://127.0.0.1:" + server.port() + "/jobs/120");
        assertThat(text("#job")).contains(BusyHead.MARKUP);
        assertThat(browser.run("return document.querySelectorAll('main script').length")
                        .asInt())
                .isZero();
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void aJobGoesOnBeforeOnesEyes() throws IOException {
        untilLive();
        browser.run("window.sameDocument = true; document.querySelector('#job-103 a').focus()");
        browser.run("document.querySelector('#nodes details').open = true");
        assertThat(text("#job-121 .badge")).isEqualTo("HELD");
        head.step("121", JobState.STAGING_IN, "job 103 is done");
        until("the job has gone on", () -> text("#job-121 .badge").equals("STAGING_IN"));
        assertThat(text("#job-121")).contains("job 103 is done");
        assertThat(browser.run("return window.sameDocument").asBoolean())
                .as("it was not loaded again")
                .isTrue();
        assertThat(browser.run("return document.activeElement.textContent").asText())
                .as("the focus stays")
                .isEqualTo("103");
        assertThat(browser.run("return document.querySelector('#nodes details').open")
                        .asBoolean())
                .as("what was opened stays open")
                .isTrue();
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void theFilterStaysWhileThePageLives() throws IOException {
        untilLive();
        browser.type("#filter", "grace sweep");
        assertThat(text("#jobs")).contains("sweep-0").doesNotContain("slice-2");
        head.step("110", JobState.STAGING_IN, "now");
        until("the job has gone on", () -> text("#job-110 .badge").equals("STAGING_IN"));
        assertThat(text("#jobs")).contains("sweep-0").doesNotContain("slice-2");
        assertThat(browser.run("return document.querySelector('#filter').value").asText())
                .isEqualTo("grace sweep");
        assertThat(browser.run("return document.activeElement.id").asText()).isEqualTo("filter");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void aJobShowsWhereItsTimeWent() throws IOException {
        untilLive();
        browser.click("#job-105 a");
        until("the job's page", () -> browser.address().endsWith("/jobs/105"));
        untilLive();
        assertThat(browser.run("return document.querySelectorAll('.timeline rect').length")
                        .asInt())
                .isEqualTo(5);
        assertThat(browser.run("""
                const bar = document.querySelector('.timeline').getBoundingClientRect().width;
                const parts = [...document.querySelectorAll('.timeline rect')];
                return Math.abs(bar - parts.reduce((sum, part) => sum + part.getBoundingClientRect().width, 0)) < 20;
                """).asBoolean()).as("the parts fill the bar").isTrue();
        assertThat(text("#job")).contains("results on the way home", "STAGING_OUT", "41.0 MiB of 120 MiB");
        pictures("job");
        assertThat(text("#job")).contains("expected start 14:07");
        browser.run("window.sameDocument = true");
        head.step("105", JobState.DONE, "all results are at home");
        until("the job is done", () -> text("#job h1 .badge").equals("DONE"));
        assertThat(browser.run("return window.sameDocument").asBoolean()).isTrue();
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void aGangShowsItsRanks() throws IOException {
        browser.open("http://127.0.0.1:" + server.port() + "/jobs/104");
        untilLive();
        assertThat(text("#job")).contains("Ranks", "west-1", "west-3", "lost", BusyHead.MARKUP);
        pictures("gang");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void aHeadThatIsAwayIsSaidAndOneThatCameBackAsksForTheLink() throws IOException {
        untilLive();
        int port = server.port();
        server.close();
        until("it is said", () -> text("#live").startsWith("no word from the head"));
        server = serve(port);
        until("the link is asked for", () -> text("#live").contains("spillway web"));
        browser.open(server.link());
        untilLive();
    }

    @Test
    void withoutTheLinkItSaysHowToGetOne() throws IOException {
        int port = server.port();
        server.close();
        server = serve(port);
        browser.open("http://127.0.0.1:" + port + "/");
        assertThat(text("body")).contains("spillway web").doesNotContain("hydro");
        assertThat(browser.run("return getComputedStyle(document.querySelector('h1')).fontSize")
                        .asText())
                .as("its style is let in by its hash")
                .isEqualTo("20px");
        fits(NARROW);
        browser.picture(PICTURES.resolve("refused-400.png"));
        assertThat(Files.size(PICTURES.resolve("refused-400.png"))).isPositive();
    }

    private String page(String path) {
        return "http://127.0.0.1:" + server.port() + path;
    }

    @Test
    void anAdministratorSeesAllClustersAndApprovesOne() throws IOException {
        browser.open(page("/clusters"));
        untilLive();
        assertThat(text("#clusters")).contains("demo1", "big", "7.43 of 20.00", "7 h 30 min", "WAITING_FOR_APPROVAL");
        pictures("clusters");
        browser.click("#cluster-hydro-c2 a");
        until("the cluster's page", () -> browser.address().endsWith("/clusters/big"));
        untilLive();
        assertThat(text("#cluster")).contains("root, carol may agree until", "found 20");
        pictures("cluster-waiting");
        browser.click("#approve button");
        until("it is approved", () -> text("#cluster h1 .badge").equals("CREATING"));
        assertThat(head.clusters.asked).hasSize(1).allMatch(one -> one.endsWith(" big Approve[]"));
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void aUserMakesAndChangesTheirsAndSeesNoOther() throws IOException {
        browser.open(server.link(BusyClusters.ADA).link());
        until("their clusters", () -> browser.address().endsWith("/clusters"));
        untilLive();
        assertThat(text("#clusters")).contains("demo1").doesNotContain("big", "grace");
        for (var path : new String[] {"/clusters/big", "/jobs/101"}) {
            browser.open(page(path));
            assertThat(text("body")).as(path).doesNotContain("20 ×", "slice-0", "Approve");
        }
        browser.complaints();
        browser.open(page("/clusters/demo1"));
        untilLive();
        assertThat(text("#cluster")).contains("head-install", "8.0 s", "under way", "east-1", BusyHead.MARKUP);
        assertThat(browser.run("return document.querySelectorAll('main script').length")
                        .asInt())
                .isZero();
        pictures("cluster");
        browser.run("document.querySelector('#scale input[name=nodes]').value = '4'");
        browser.click("#scale button");
        until("it is scaled", () -> head.clusters.asked.contains("ada demo1 Scale[nodes=4]"));
        browser.type("#extend input[name=ttl]", "+2h");
        browser.click("#extend button");
        until("it is extended", () -> head.clusters.asked.contains("ada demo1 Extend[ttlSeconds=7200, budget=0.00]"));
        browser.click("#stop button");
        until("it is stopped", () -> text("#cluster h1 .badge").equals("STOPPED"));
        browser.click("#start button");
        until("it is started", () -> text("#cluster h1 .badge").equals("RUNNING"));
        browser.click("#delete input[name=sure]");
        browser.click("#delete button");
        until("it is deleted", () -> text("#cluster h1 .badge").equals("DELETING"));
        browser.open(page("/clusters"));
        browser.type("#create input[name=name]", "mine");
        browser.type("#create input[name=ttl]", "30m");
        browser.type("#create input[name=budget]", "5");
        browser.click("#create button");
        until("it is made", () -> text("#cluster h1").contains("mine"));
        assertThat(head.clusters.asked.getLast()).contains("ada", "mine", "ttlSeconds=1800", "budget=5.00");
        assertThat(browser.complaints()).isEmpty();
    }

    @Test
    void whatIsRefusedIsSaid() throws IOException {
        browser.open(page("/clusters"));
        browser.type("#create input[name=name]", "mine");
        browser.type("#create input[name=ttl]", "soon");
        browser.type("#create input[name=budget]", "5");
        browser.click("#create button");
        until("it is said", () -> text("body").contains("such as 30m or 8h"));
        assertThat(head.clusters.asked).isEmpty();
    }
}
