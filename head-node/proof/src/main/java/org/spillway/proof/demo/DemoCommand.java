package org.spillway.proof.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.spillway.api.HealthView;
import org.spillway.api.Json;
import org.spillway.api.WebView;
import org.spillway.cli.CliFailure;
import org.spillway.cli.HeadClient;
import org.spillway.cli.OwnCommand;
import org.spillway.cli.Terminal;
import org.spillway.head.config.Installed;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code spillway demo}. */
@Command(
        name = "demo",
        description = {
            "Shows what Spillway does, with real processes on this machine and nothing else: a head with two nodes at home"
                    + " and two regions in local clouds. The queue at home is filled, what it cannot take runs in the"
                    + " regions, and the results come back and are checked.",
            "Takes about a minute, needs no configuration, and leaves nothing behind.",
            "With --cloud the regions are local clouds that wear a vendor's API, and the head speaks to them through that"
                    + " vendor's SDK: this rehearses the driver, and is no real account. There a machine is then taken from"
                    + " a job in its middle, with that vendor's notice if it publishes one. With --regions they are what a"
                    + " file says: sections as below 'sites' of spillway.yaml, one or two; networks must be there before"
                    + " (spillway site create), and the instances cost what they cost."
        },
        footer = {
            "",
            "Examples:",
            "  spillway demo",
            "  spillway demo --keep                   (leaves it up to look around)",
            "  spillway demo --workload slurm --keep  (a Slurm to play with, until Ctrl-C)",
            "  spillway demo --chaos head --seed 7    (kills the head: same answer)",
            "  spillway demo --cloud aws              (both regions speak EC2)",
            "  spillway demo --regions lab.yaml --patience 120",
            "  spillway demo --workload slurm         (as root: jobs by sbatch, run by slurmd)",
            "",
            "A file for --regions: 'sites', a mapping of one or two names to sections with driver, maxNodes (2 or more),",
            "director, and what else a section may have; 'cluster' [demo] and 'budget' [2.00, a day] if wanted. A type with",
            "2 CPUs must be for sale. Files that options name are sought beside it.",
            "",
            "Exit codes: 0 all as promised, 1 something was not (it is said what), 2 bad input."
        })
public final class DemoCommand extends OwnCommand {
    private static final int MOST_PATIENCE_SECONDS = 3600;

    private static final int USUAL_COLUMNS = 80;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the report to this file, too.")
    private @Nullable Path json;

    @Option(names = "--keep", description = "Leave all of it up, and print what to try and how to end it.")
    private boolean keep;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "The folder to work in, new or empty; otherwise one among the temporary files.")
    private @Nullable Path folder;

    @Option(
            names = "--chaos",
            paramLabel = "KIND",
            description =
                    "Kill or cut while jobs run: head, director, node or link, or take a spot machine back with notice:"
                            + " notice; with --workload slurm also slurmctld, slurmd or region.")
    private @Nullable String chaos;

    @Option(names = "--seed", paramLabel = "N", description = "Draws the moment and the target of --chaos; default 1.")
    private long seed = 1;

    @Option(
            names = "--cloud",
            paramLabel = "CLOUD",
            description =
                    "What API the regions wear: aws, azure or openstack; without it they are local clouds as such.")
    private @Nullable String cloud;

    @Option(names = "--regions", paramLabel = "FILE", description = "Regions that exist, instead of local ones.")
    private @Nullable Path regionsFile;

    @Option(
            names = "--patience",
            paramLabel = "SECONDS",
            description =
                    "How long a boot takes there; every limit and the nodes' lease are that much longer. Default 0.")
    private int patienceSeconds;

    @Option(
            names = "--workload",
            paramLabel = "MANAGER",
            description =
                    "Who gives jobs to nodes: embedded, or slurm (as root, with Slurm's packages; jobs by sbatch).")
    private String workload = "embedded";

    @Option(names = "--end", paramLabel = "DIR", description = "End a demo that was kept, and remove its folder.")
    private @Nullable Path end;

    private final Supplier<Installed> installed;

    /** @param installed what a configuration may name */
    public DemoCommand(Supplier<Installed> installed) {
        this.installed = installed;
    }

    @Override
    public Integer call() throws InterruptedException {
        Instant began = Instant.now();
        try {
            return end == null ? run(began) : endRunning(end);
        } catch (IOException failed) {
            throw new CliFailure(CliFailure.FAILED, String.valueOf(failed.getMessage()), "");
        }
    }

    private int run(Instant began) throws IOException, InterruptedException {
        boolean slurm = slurm();
        if (slurm) {
            SlurmRoom.check(launcher());
            if (System.getenv(SlurmRoom.INSIDE) == null) {
                return runInside();
            }
        }
        Regions regions = slurm ? Regions.emulated(EmulatedApi.SLURM) : regions();
        Patience patience = patience();
        Chaos.Draw draw = chaos == null ? null : Chaos.Draw.of(kind(chaos), seed);
        if (draw != null && draw.kind().isOfSlurm() && !slurm) {
            throw new CliFailure(CliFailure.BAD_INPUT, "--chaos " + draw.kind().word() + " needs --workload slurm", "");
        }
        if (draw != null && regions.areForeign() && Chaos.needsOwnClouds(draw.kind())) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "--chaos " + draw.kind().word() + " needs clouds that the demo has made itself",
                    "with --regions there are head and node");
        }
        boolean notice = draw != null && draw.kind() == Chaos.Kind.NOTICE;
        if (notice
                && (slurm || regions.api().filter(EmulatedApi.OPENSTACK::equals).isPresent())) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "--chaos notice needs machines that are bought as spot",
                    "OpenStack sells none, and with --workload slurm none are bought");
        }
        Path launcher = launcher();
        refuseBadPlace(json);
        WorkloadLog log = WorkloadLog.excerpt();
        DemoFiles files;
        try {
            files = DemoFiles.create(folder, log, regions);
        } catch (IOException unusable) {
            throw new CliFailure(CliFailure.BAD_INPUT, String.valueOf(unusable.getMessage()), "");
        }
        DemoHead head = new DemoHead(launcher, files, patience.answer());
        Progress progress = new Progress(System.err, Terminal.isStandardError(), columns());
        DemoCleaning cleaning = new DemoCleaning(files, head);
        Thread onSignal = new Thread(cleaning::run);
        Runtime.getRuntime().addShutdownHook(onSignal);
        SlurmRoom room = slurm ? new SlurmRoom(launcher, files) : null;
        boolean kept = false;
        try {
            if (room != null) {
                room.network();
            }
            List<DriverAccess> drivers = prepare(launcher, files, regions, patience, notice);
            cleaning.alsoEnd(regions.areForeign() ? drivers : List.of());
            DemoWork work =
                    room == null ? new QueueWork(files, log, head, regions) : new SlurmWork(files, log, head, room);
            SlurmFaults slurmFaults = room == null ? null : new SlurmFaults(room, files, regions.names());
            DemoReport report = new Demo(
                            files,
                            regions,
                            drivers,
                            patience,
                            log,
                            work,
                            slurmFaults,
                            head,
                            progress,
                            draw,
                            keep,
                            began)
                    .run();
            show(ReportPage.of(report, began));
            if (json != null) {
                Files.writeString(json, Json.writeIndented(report) + "\n");
            }
            kept = keep && room == null;
            if (keep && room != null) {
                show(RunningDemoPage.ofSlurm(room.makeDoor()));
                room.untilEnded();
            } else if (keep) {
                String link =
                        head.ask(client -> client.get("/web", WebView.class)).link();
                show(RunningDemoPage.of(launcher, files, link));
            }
            return report.broken().isEmpty() ? 0 : CliFailure.FAILED;
        } catch (IOException | CliFailure failed) {
            progress.end();
            System.err.println("The end of the head's log:\n" + head.logEnd());
            if (room != null) {
                System.err.println("What slurmctld wrote of jobs and nodes:\n" + room.controllerLog());
            }
            throw failed;
        } finally {
            if (kept) {
                cleaning.disarm();
            }
            cleaning.run();
        }
    }

    private boolean slurm() {
        if (!workload.equals("embedded") && !workload.equals("slurm")) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT, "--workload: found '" + workload + "'", "allowed: embedded, slurm");
        }
        boolean slurm = workload.equals("slurm");
        if (slurm && (cloud != null || regionsFile != null)) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "--workload slurm excludes --cloud and --regions",
                    "its regions are namespaces that end with the command");
        }
        return slurm;
    }

    /** In namespaces of its own, in a folder that is removed also when those end before their time. */
    private int runInside() throws IOException, InterruptedException {
        Path place = folder == null ? DemoFiles.temporary() : folder;
        List<String> words = new ArrayList<>(
                List.of("demo", "--workload", "slurm", "--dir", place.toString(), "--seed", Long.toString(seed)));
        words.addAll(List.of("--patience", Integer.toString(patienceSeconds)));
        if (chaos != null) {
            words.addAll(List.of("--chaos", chaos));
        }
        if (json != null) {
            words.addAll(List.of("--json", json.toAbsolutePath().toString()));
        }
        if (keep) {
            words.add("--keep");
        }
        try {
            return SlurmRoom.inside(launcher(), words, () -> removeQuietly(place));
        } finally {
            removeQuietly(place);
        }
    }

    private static void removeQuietly(Path place) {
        try {
            if (Files.isDirectory(place) && DemoFiles.isOurs(place)) {
                DemoFiles.existing(place).delete();
            }
        } catch (IOException failed) {
            System.err.println("spillway demo: " + place + " could not be removed: " + failed.getMessage());
        }
    }

    private Regions regions() {
        if (cloud != null && regionsFile != null) {
            throw new CliFailure(CliFailure.BAD_INPUT, "--cloud and --regions exclude each other", "");
        }
        if (regionsFile != null) {
            if (keep) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT,
                        "--keep would leave instances that cost something in " + regionsFile,
                        "start a head of your own with these sites instead: spillway serve");
            }
            try {
                return Regions.of(regionsFile);
            } catch (IOException unusable) {
                throw new CliFailure(
                        CliFailure.BAD_INPUT,
                        String.valueOf(unusable.getMessage()),
                        "spillway demo --help explains it");
            }
        }
        if (cloud == null) {
            return Regions.emulated(EmulatedApi.LOCAL);
        }
        String wanted = cloud;
        return EmulatedApi.named(wanted)
                .map(Regions::emulated)
                .orElseThrow(() -> new CliFailure(
                        CliFailure.BAD_INPUT, "--cloud: found '" + wanted + "'", "allowed: " + EmulatedApi.words()));
    }

    private Patience patience() {
        if (patienceSeconds < 0 || patienceSeconds > MOST_PATIENCE_SECONDS) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "--patience: found " + patienceSeconds,
                    "allowed: 0 to " + MOST_PATIENCE_SECONDS + " seconds");
        }
        return new Patience(Duration.ofSeconds(patienceSeconds));
    }

    /** Clouds that wear an API are started, and get their networks as an administrator would give them. */
    private List<DriverAccess> prepare(Path launcher, DemoFiles files, Regions regions, Patience patience, boolean spot)
            throws IOException, InterruptedException {
        Map<String, String> endpoints = regions.haveDrivers() && !regions.areForeign()
                ? DemoClouds.start(launcher, files, regions.api().orElseThrow())
                : Map.of();
        files.configure(regions, endpoints, patience, spot);
        if (!regions.haveDrivers()) {
            return List.of();
        }
        List<DriverAccess> drivers = DemoClouds.drivers(files, regions.names(), installed.get());
        if (!regions.areForeign()) {
            for (DriverAccess driver : drivers) {
                driver.createNetwork();
            }
        }
        return drivers;
    }

    /** Said before a minute has gone by. */
    private static void refuseBadPlace(@Nullable Path file) {
        Path parent = file == null ? null : file.toAbsolutePath().getParent();
        if (file != null && (Files.isDirectory(file) || parent == null || !Files.isWritable(parent))) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT, "--json: " + file + " cannot be written", "name a file in a folder of yours");
        }
    }

    private int endRunning(Path kept) throws IOException, InterruptedException {
        DemoFiles files;
        try {
            files = DemoFiles.existing(kept);
        } catch (IOException notOurs) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT, String.valueOf(notOurs.getMessage()), "name the folder that --keep printed");
        }
        try {
            long pid = new HeadClient(files.socket())
                    .get("/health", HealthView.class)
                    .pid();
            DemoEnding.end(ProcessHandle.of(pid).stream().toList());
        } catch (CliFailure noHead) {
            show("no head answers any more\n");
        }
        new DemoEnding(files).endClouds();
        files.delete();
        show("ended, and removed " + files.folder() + "\n");
        return 0;
    }

    private static Chaos.Kind kind(String word) {
        for (Chaos.Kind kind : Chaos.Kind.values()) {
            if (kind.word().equals(word.toLowerCase(Locale.ROOT))) {
                return kind;
            }
        }
        throw new CliFailure(
                CliFailure.BAD_INPUT,
                "--chaos: found '" + word + "'",
                "allowed: head, director, node, link, notice, and with --workload slurm slurmctld, slurmd, region");
    }

    private static Path launcher() {
        Path launcher = Path.of(System.getenv().getOrDefault("SPILLWAY_HOME", "."), "spillway");
        if (!Files.isExecutable(launcher)) {
            throw new CliFailure(
                    CliFailure.BAD_INPUT,
                    "no launcher at " + launcher,
                    "start this with the spillway command, or set SPILLWAY_HOME");
        }
        return launcher.toAbsolutePath();
    }

    /** Of the terminal, as stty tells it. */
    private static int columns() throws IOException, InterruptedException {
        if (!Terminal.isStandardError()) {
            return USUAL_COLUMNS;
        }
        Process stty = new ProcessBuilder("stty", "size")
                .redirectInput(Path.of("/dev/tty").toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(stty.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.US_ASCII);
        boolean ended = stty.waitFor(2, TimeUnit.SECONDS) && stty.exitValue() == 0;
        String[] size = said.strip().split(" ", -1);
        return ended && size.length == 2 && size[1].matches("[1-9]\\d{1,3}")
                ? Integer.parseInt(size[1])
                : USUAL_COLUMNS;
    }
}
