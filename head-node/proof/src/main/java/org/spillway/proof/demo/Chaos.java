package org.spillway.proof.demo;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.spillway.api.NodeState;
import org.spillway.api.NodeView;

/** A fault, drawn from a seed: what is hit, when, and which of those that are there. */
final class Chaos {
    private static final long LATEST_MILLIS = 8000;
    private static final Duration FOR_BUSY = Duration.ofSeconds(3);
    private static final double SHORTEST_CUT_SECONDS = 2;
    private static final double LONGEST_CUT_SECONDS = 8;
    /** As the shortest that is published. */
    private static final int NOTICE_SECONDS = 30;

    /** Kinds of faults. */
    enum Kind {
        /** {@code kill -9} of the head, which is started again as its service manager would. */
        HEAD,
        /** {@code kill -9} of a director's process. */
        DIRECTOR,
        /** A node loses its power, one that runs a job if there is any. */
        NODE,
        /** The connections between head and a director end, and none can be made for a while. */
        LINK,
        /** {@code kill -9} of slurmctld, which is started again as its service manager would. */
        SLURMCTLD,
        /** {@code kill -9} of a node's slurmd. */
        SLURMD,
        /** Nothing passes between home and a region for a while. */
        REGION,
        /** The provider of a spot machine that runs a job says that it takes it back. */
        NOTICE;

        /** Whether it needs a Slurm. */
        boolean isOfSlurm() {
            return this == SLURMCTLD || this == SLURMD || this == REGION;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * The drawn fault.
     *
     * @param after how long jobs have been running when it strikes
     * @param target which of those that can be hit, as a share of their number, 0 to less than 1
     * @param cutSeconds for a link
     */
    record Draw(Kind kind, long seed, Duration after, double target, double cutSeconds) {
        static Draw of(Kind kind, long seed) {
            // Neighbouring seeds begin alike; mixing them with the kind parts them.
            var random = new Random((seed * 4 + kind.ordinal()) * 0x9E3779B97F4A7C15L);
            return new Draw(
                    kind,
                    seed,
                    Duration.ofMillis(random.nextLong(LATEST_MILLIS)),
                    random.nextDouble(),
                    SHORTEST_CUT_SECONDS + random.nextDouble() * (LONGEST_CUT_SECONDS - SHORTEST_CUT_SECONDS));
        }

        <T> Optional<T> pick(List<T> candidates) {
            return candidates.isEmpty()
                    ? Optional.empty()
                    : Optional.of(candidates.get((int) (target * candidates.size())));
        }
    }

    /** @param what was hit, for people */
    record Struck(Duration at, String what) {}

    private final Draw draw;
    private final DemoHead head;
    private final List<LocalCloudAccess> clouds;
    private final List<DriverAccess> foreign;
    private final @Nullable SlurmFaults slurm;
    private @Nullable Duration running;
    private @Nullable Struck struck;

    /**
     * @param foreign regions that the demo has not made, and can end instances of but nothing else
     * @param slurm null without one
     */
    Chaos(
            Draw draw,
            DemoHead head,
            List<LocalCloudAccess> clouds,
            List<DriverAccess> foreign,
            @Nullable SlurmFaults slurm) {
        this.draw = draw;
        this.head = head;
        this.clouds = List.copyOf(clouds);
        this.foreign = List.copyOf(foreign);
        this.slurm = slurm;
    }

    /** Whether it needs more of a region than its driver can do. */
    static boolean needsOwnClouds(Kind kind) {
        return kind == Kind.DIRECTOR || kind == Kind.LINK || kind == Kind.NOTICE;
    }

    Draw draw() {
        return draw;
    }

    Optional<Struck> struck() {
        return Optional.ofNullable(struck);
    }

    /** Strikes when it is time and there is something to hit; once. @return what was hit just now */
    Optional<Struck> look(Scene scene) throws IOException, InterruptedException {
        if (struck != null || scene.allEnded()) {
            return Optional.empty();
        }
        if (running == null && scene.isAnyRunning()) {
            running = scene.at();
        }
        if (running == null || scene.at().minus(running).compareTo(draw.after()) < 0) {
            return Optional.empty();
        }
        Optional<String> hit = switch (draw.kind()) {
            case HEAD -> hitHead();
            case DIRECTOR -> hitDirector();
            case NODE -> hitNode(scene);
            case LINK -> cutLink();
            case NOTICE -> giveNotice(scene);
            case SLURMCTLD -> slurm == null ? Optional.empty() : slurm.hitController();
            case SLURMD -> slurm == null ? Optional.empty() : slurm.hitDaemon(draw);
            case REGION -> slurm == null ? Optional.empty() : slurm.cutRegion(draw, busySites(scene));
        };
        hit.ifPresent(what -> struck = new Struck(scene.at(), what));
        return struck();
    }

    private static List<String> busySites(Scene scene) {
        return scene.nodes().stream()
                .filter(node -> !node.jobs().isEmpty())
                .map(NodeView::site)
                .toList();
    }

    private Optional<String> hitHead() throws IOException, InterruptedException {
        head.kill();
        head.begin();
        return Optional.of("the head was killed and started again");
    }

    /** A machine with the cloud that it is in. */
    private record Target(LocalCloudAccess cloud, LocalCloudAccess.Machine machine) {}

    private List<Target> machines(String role) throws IOException {
        List<Target> found = new java.util.ArrayList<>();
        for (LocalCloudAccess cloud : clouds) {
            cloud.machines().stream()
                    .filter(machine -> machine.runs() && machine.role().equals(role))
                    .map(machine -> new Target(cloud, machine))
                    .forEach(found::add);
        }
        return found;
    }

    private Optional<String> hitDirector() throws IOException {
        List<Target> running = machines("DIRECTOR").stream()
                .filter(target -> director(target).isPresent())
                .toList();
        Optional<Target> target = draw.pick(running);
        target.flatMap(Chaos::director).ifPresent(ProcessHandle::destroyForcibly);
        return target.map(hit -> "the director of " + hit.cloud().site() + " was killed");
    }

    /** The JVM; what is installed on an instance writes its number down. */
    private static Optional<ProcessHandle> director(Target target) {
        Path file = target.cloud().disk(target.machine().id()).resolve("home/spillway-director/director.pid");
        try {
            long pid = Long.parseLong(Files.readString(file).strip());
            String words = Files.readString(Path.of("/proc/" + pid + "/cmdline"), StandardCharsets.ISO_8859_1);
            return words.contains("DirectorMain") ? ProcessHandle.of(pid) : Optional.empty();
        } catch (IOException | NumberFormatException notThere) {
            return Optional.empty();
        }
    }

    private Optional<String> hitNode(Scene scene) throws IOException {
        List<NodeView> busy = scene.nodes().stream()
                .filter(node -> node.state() == NodeState.READY)
                .filter(node -> !node.jobs().isEmpty() || isLate(scene))
                .toList();
        List<NodeView> far = busy.stream()
                .filter(node ->
                        foreign.stream().anyMatch(access -> access.site().equals(node.site())))
                .toList();
        if (!foreign.isEmpty()) {
            return endThroughDriver(far, doing(scene));
        }
        // A vendor's word for an instance may be longer than that of the cloud behind it; the address is the same.
        List<String> addresses = busy.stream().map(NodeView::address).toList();
        List<Target> targets = machines("NODE").stream()
                .filter(target -> addresses.contains(target.machine().address()))
                .toList();
        Optional<Target> target = draw.pick(targets);
        if (target.isPresent()) {
            target.get().cloud().cutPower(target.get().machine().id());
        }
        return target.map(hit -> "a node of " + hit.cloud().site() + " lost its power " + doing(scene));
    }

    /** Jobs of a moment may begin and end between two looks: an idle node is hit then, and its jobs are what comes next. */
    private boolean isLate(Scene scene) {
        return running != null
                && scene.at().minus(running).compareTo(draw.after().plus(FOR_BUSY)) > 0;
    }

    private String doing(Scene scene) {
        return isLate(scene) ? "while jobs ran" : "while it ran jobs";
    }

    private Optional<String> endThroughDriver(List<NodeView> nodes, String doing) throws IOException {
        Optional<NodeView> target = draw.pick(nodes);
        if (target.isPresent()) {
            for (DriverAccess access : foreign) {
                if (access.site().equals(target.get().site())) {
                    access.terminate(List.of(target.get().instance()));
                }
            }
        }
        return target.map(hit -> "a node of " + hit.site() + " was ended behind the head's back " + doing);
    }

    private Optional<String> giveNotice(Scene scene) throws IOException {
        List<String> addresses = scene.nodes().stream()
                .filter(node ->
                        node.state() == NodeState.READY && node.offering().endsWith("/SPOT"))
                .filter(node -> !node.jobs().isEmpty() || isLate(scene))
                .map(NodeView::address)
                .toList();
        Optional<Target> target = draw.pick(machines("NODE").stream()
                .filter(machine -> addresses.contains(machine.machine().address()))
                .toList());
        if (target.isPresent()) {
            target.get().cloud().giveNotice(target.get().machine().id(), NOTICE_SECONDS);
        }
        return target.map(hit -> "a node of " + hit.cloud().site() + " was told that it is taken back in "
                + NOTICE_SECONDS + " s " + doing(scene));
    }

    private Optional<String> cutLink() throws IOException {
        Optional<Target> target = draw.pick(machines("DIRECTOR"));
        if (target.isPresent()) {
            target.get().cloud().cutLink(target.get().machine().id(), draw.cutSeconds());
        }
        return target.map(hit -> String.format(
                Locale.ROOT, "the link to %s was cut for %.1f s", hit.cloud().site(), draw.cutSeconds()));
    }
}
