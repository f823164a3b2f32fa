package org.spillway.proof.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.spillway.api.NodeView;
import org.spillway.api.SiteView;
import org.spillway.api.WebView;

/** A run of the demo, step by step. It talks to the head as every user does, and to the clouds to count. */
final class Demo {
    /** A real provider is not asked as often as one on this machine. */
    private static final Duration FOR_FORGOTTEN = Duration.ofMinutes(3);

    private static final Duration BETWEEN_FOREIGN_LOOKS = Duration.ofSeconds(5);

    private static final long LOOK_MILLIS = 300;
    private static final String NEW_USER = "ada";
    private static final int NEW_UID = 20_815;

    private final DemoFiles files;
    private final WorkloadLog log;
    private final DemoWork work;
    private final DemoHead head;
    private final Progress progress;
    private final Regions regions;
    private final Patience patience;
    private final List<LocalCloudAccess> clouds;
    private final List<DriverAccess> drivers;
    private final @Nullable Chaos chaos;
    private final boolean keep;
    private final Instant began;
    private final InstanceLedger ledger = new InstanceLedger();
    private final ImageWatch images;
    private final OwnerWatch owners = new OwnerWatch();
    private Duration foreignLook = Duration.ZERO.minus(BETWEEN_FOREIGN_LOOKS);
    private final UserProbe probe;

    private final TreeMap<String, java.math.BigDecimal> found = new TreeMap<>();
    private @Nullable Duration added;

    /**
     * @param drivers of the regions, but for local ones
     * @param slurm what can be hit of it; null without one
     * @param draw null for no chaos
     * @param began when the command was given
     */
    Demo(
            DemoFiles files,
            Regions regions,
            List<DriverAccess> drivers,
            Patience patience,
            WorkloadLog log,
            DemoWork work,
            @Nullable SlurmFaults slurm,
            DemoHead head,
            Progress progress,
            Chaos.@Nullable Draw draw,
            boolean keep,
            Instant began)
            throws IOException {
        this.files = files;
        this.regions = regions;
        this.drivers = List.copyOf(drivers);
        this.patience = patience;
        List<String> sites = new ArrayList<>(regions.names());
        if (regions.haveHome()) {
            sites.addFirst(DemoFiles.HOME);
        }
        this.images = new ImageWatch(sites);
        this.log = log;
        this.work = work;
        this.head = head;
        this.progress = progress;
        this.clouds = files.clouds();
        this.chaos = draw == null
                ? null
                : new Chaos(draw, head, clouds, regions.areForeign() ? this.drivers : List.of(), slurm);
        this.keep = keep;
        this.began = began;
        this.probe = new UserProbe(files.state());
    }

    DemoReport run() throws IOException, InterruptedException {
        Answer expected = Answer.of(log.rows());
        head.begin();
        say(work.introduction());
        head.awaitUp();
        // The site's addresses are in a namespace of its own.
        if (keep && !(work instanceof SlurmWork)) {
            say("watch it in a browser: "
                    + head.ask(client -> client.get("/web", WebView.class)).link());
        }
        work.prepare();
        say(work.submit());
        untilJobsEnd();
        untilReplicated();
        NoticeAct.Part notice = NoticeAct.isOf(regions) ? noticeAct().play(work) : null;
        DemoWork.Outcome outcome = work.outcome();
        untilOwned();
        if (!keep) {
            release();
        }
        countLast();
        progress.end();
        return report(expected, outcome, notice);
    }

    private void untilJobsEnd() throws IOException, InterruptedException {
        Duration limit = at().plus(patience.jobs());
        if (chaos != null && chaos.draw().kind() == Chaos.Kind.SLURMCTLD) {
            // A job that a killed slurmctld forgets is run again, after the two minutes that Slurm lets it wait.
            limit = limit.plus(FOR_FORGOTTEN);
        }
        Scene scene = look();
        while (!work.hasEnded(scene)) {
            if (at().compareTo(limit) > 0) {
                throw new IOException("the jobs have not ended after " + limit.toSeconds() + " s:\n"
                        + String.join("\n", ProgressPage.block(scene, 200)));
            }
            Thread.sleep(LOOK_MILLIS);
            scene = look();
            strike(scene);
            changeWhileRunning(scene);
        }
    }

    private Scene look() throws InterruptedException {
        Scene scene = head.ask(client -> Scene.of(client, at()));
        images.look(scene);
        owners.look(scene);
        progress.show(scene);
        count();
        return scene;
    }

    /** A cloud that does not answer now is asked again with the next look. */
    private void count() {
        clouds.forEach(this::count);
        if (regions.areForeign() && at().minus(foreignLook).compareTo(BETWEEN_FOREIGN_LOOKS) >= 0) {
            foreignLook = at();
            drivers.forEach(this::count);
        }
    }

    private void count(ProviderAccess access) {
        try {
            ledger.look(access.site(), access.machines());
        } catch (IOException notNow) {
            // The last count must succeed.
            return;
        }
    }

    /** Whoever is asked last must answer: what cannot be counted is not zero. */
    private void countLast() throws IOException {
        List<ProviderAccess> accesses = new ArrayList<>(clouds);
        if (regions.areForeign()) {
            accesses.addAll(drivers);
        }
        for (ProviderAccess access : accesses) {
            ledger.look(access.site(), access.machines());
        }
    }

    /** By the drivers' own listings. */
    private int listedByDrivers() throws IOException {
        int listed = 0;
        for (DriverAccess driver : drivers) {
            listed += (int) driver.machines().stream()
                    .filter(machine -> !machine.hasEnded())
                    .count();
        }
        return listed;
    }

    /** Things still on the bill; the network that the demo itself has made goes first. */
    private List<String> bill() throws IOException {
        List<String> bill = new ArrayList<>();
        for (DriverAccess driver : drivers) {
            if (!regions.areForeign() && !keep) {
                driver.deleteNetwork();
            }
            driver.bill().forEach(thing -> bill.add(driver.site() + ": " + thing.kind() + " " + thing.id()));
        }
        return bill;
    }

    /** The sweep has ended what nobody owns, or the report says so. */
    private void untilOwned() throws IOException, InterruptedException {
        Duration limit = at().plus(patience.sweep());
        do {
            Map<String, List<LocalCloudAccess.Machine>> live = new TreeMap<>();
            List<ProviderAccess> accesses = new ArrayList<>(clouds);
            accesses.removeIf(access -> !regions.names().contains(access.site()));
            if (regions.areForeign()) {
                accesses.addAll(drivers);
            }
            for (ProviderAccess access : accesses) {
                live.put(
                        access.site(),
                        access.machines().stream()
                                .filter(machine -> !machine.hasEnded() && !machine.isEnding())
                                .toList());
            }
            // The head is asked after the clouds: what it has launched meanwhile is not in their answers.
            owners.sweep(look(), live);
            if (!owners.allOwned()) {
                Thread.sleep(LOOK_MILLIS);
            }
        } while (!owners.allOwned() && at().compareTo(limit) < 0);
    }

    private void strike(Scene scene) throws IOException, InterruptedException {
        if (chaos != null && chaos.struck().isEmpty()) {
            Optional<Chaos.Struck> struck = chaos.look(scene);
            struck.ifPresent(fault -> say("CHAOS: " + fault.what()));
        }
    }

    /** When the first job runs, a user joins the cluster and the image gets another version. */
    private void changeWhileRunning(Scene scene) throws IOException {
        if (added == null && scene.isAnyRunning()) {
            files.addUser(NEW_USER, NEW_UID);
            files.changeImage("changed while jobs ran\n");
            added = at();
            say("added the user " + NEW_USER + " at home and changed the image; the regions should see both");
        }
        lookForUser(scene);
    }

    private void lookForUser(Scene scene) {
        if (added == null) {
            return;
        }
        for (SiteView site : scene.sites()) {
            boolean region = regions.names().contains(site.name());
            if (region && !found.containsKey(site.name()) && probe.find(site, NEW_USER) == NEW_UID) {
                Duration took = at().minus(added);
                found.put(site.name(), DemoReport.seconds(took, 1));
                say("found the user " + NEW_USER + " in the directory of " + site.name());
            }
        }
    }

    private boolean isReplicated() {
        return found.keySet().containsAll(regions.names());
    }

    private void untilReplicated() throws InterruptedException {
        Duration limit = at().plus(patience.replicas());
        while (!(isReplicated() && images.hasChanged() && images.isEverywhere()) && at().compareTo(limit) < 0) {
            lookForUser(look());
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /** As {@code spillway stop --release} does. */
    private void release() throws IOException, InterruptedException {
        say("all jobs have ended; ending all instances");
        head.ask(client -> client.post("/release"));
        Duration limit = at().plus(patience.release());
        while (liveNodes() > 0) {
            if (at().compareTo(limit) > 0) {
                throw new IOException(
                        "instances are left after " + patience.release().toSeconds() + " s");
            }
            count();
            Thread.sleep(LOOK_MILLIS);
        }
        head.ask(client -> client.post("/shutdown"));
    }

    private long liveNodes() throws InterruptedException {
        return head.ask(client -> client.list("/nodes", "nodes", NodeView.class)).stream()
                .filter(node -> !node.state().isTerminal())
                .count();
    }

    private NoticeAct noticeAct() {
        return new NoticeAct(files, regions, head, patience.jobs(), new NoticeAct.Looks() {
            @Override
            public Scene look() throws InterruptedException {
                return Demo.this.look();
            }

            @Override
            public void say(String text) {
                Demo.this.say(text);
            }
        });
    }

    private DemoReport report(Answer expected, DemoWork.Outcome outcome, NoticeAct.@Nullable Part notice)
            throws IOException {
        Answer got =
                Answer.parse(Files.exists(files.merged()) ? Files.readAllLines(files.merged()) : List.<String>of());
        return new DemoReport(
                DemoReport.AnswerPart.of(expected, got),
                outcome.jobs(),
                outcome.gang(),
                new DemoReport.InstancesPart(
                        ledger.launched(),
                        ledger.terminated(),
                        Math.max(ledger.left(), listedByDrivers()),
                        keep ? List.of() : bill(),
                        keep),
                new DemoReport.IdentityPart(isReplicated(), outcome.ranAsUser(), NEW_USER, found),
                images.report(),
                owners.report(),
                chaosPart(),
                new DemoReport.RegionsPart(
                        regions.api().map(EmulatedApi::word).orElse("given"),
                        regions.names(),
                        patience.gangSeconds(),
                        notice),
                DemoReport.seconds(at(), 1));
    }

    private DemoReport.@Nullable ChaosPart chaosPart() {
        if (chaos == null) {
            return null;
        }
        Chaos.Draw draw = chaos.draw();
        return chaos.struck()
                .map(fault -> new DemoReport.ChaosPart(
                        draw.kind().word(), draw.seed(), DemoReport.seconds(fault.at(), 1), fault.what()))
                .orElseGet(
                        () -> new DemoReport.ChaosPart(draw.kind().word(), draw.seed(), null, "all jobs ended before"));
    }

    private Duration at() {
        return Duration.between(began, Instant.now());
    }

    private void say(String text) {
        progress.say(at(), text);
    }
}
