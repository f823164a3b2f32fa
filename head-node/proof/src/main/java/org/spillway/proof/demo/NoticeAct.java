package org.spillway.proof.demo;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.LogView;
import org.spillway.api.NodeView;
import org.spillway.policy.Money;

/**
 * The second act: a machine is taken from a job in the middle of it, and its region is sold out; it goes on in the other
 * region. Where a provider publishes notices it gets one first, in that provider's form; elsewhere the machine just goes, and
 * what had come home of the job is what it goes on from.
 */
final class NoticeAct {
    /** As the shortest that is published. */
    private static final int NOTICE_SECONDS = 30;

    private static final int LEAST_STEPS = 5;
    private static final int STEPS = 60;
    /** Of a job that has to run until something of it is at home. */
    private static final int MORE_STEPS = 120;

    private static final int SYNC_SECONDS = 5;

    private static final long LOOK_MILLIS = 300;

    private final DemoFiles files;
    private final Regions regions;
    private final DemoHead head;
    private final Duration patience;
    private final Looks looks;

    /** The demo's own doing at each look. */
    interface Looks {
        Scene look() throws InterruptedException;

        void say(String text);
    }

    NoticeAct(DemoFiles files, Regions regions, DemoHead head, Duration patience, Looks looks) {
        this.files = files;
        this.regions = regions;
        this.head = head;
        this.patience = patience;
        this.looks = looks;
    }

    /**
     * An account of the act.
     *
     * @param noticed whether the machine had notice; else its power failed
     * @param heardSeconds from the notice to the job's signal; null without one
     * @param made steps of the first run
     * @param first step of the second run
     * @param whole whether each step is there once, at home
     * @param saved price of the work that need not be done again
     */
    record Part(
            boolean noticed,
            String from,
            String to,
            @Nullable BigDecimal heardSeconds,
            int made,
            int first,
            boolean whole,
            Money saved) {
        /** Whether the second run went on from where the first one was. */
        boolean wentOn() {
            return made > 0 && first == made + 1;
        }
    }

    /** Whether it is played: regions that the demo has made, with a vendor's API. */
    static boolean isOf(Regions regions) {
        return regions.api().filter(api -> !api.isLocal()).isPresent();
    }

    static boolean sellsSpot(Regions regions) {
        return isOf(regions) && regions.api().orElseThrow() != EmulatedApi.OPENSTACK;
    }

    Part play(DemoWork work) throws IOException, InterruptedException {
        empty();
        boolean noticed = sellsSpot(regions);
        int count = noticed ? STEPS : MORE_STEPS;
        String job = work.submitSteps(count, noticed ? 0 : SYNC_SECONDS);
        looks.say("submitted job " + job + ", whose machine will be taken from it");
        await("job " + job + " runs", scene -> steps(job) >= LEAST_STEPS);
        if (!noticed) {
            await("steps of job " + job + " are at home", scene -> isSynced(job));
        }
        JobDetail running = detail(job);
        String from = running.job().site();
        LocalCloudAccess cloud = files.clouds().stream()
                .filter(each -> each.site().equals(from))
                .findFirst()
                .orElseThrow(() -> new IOException("job " + job + " runs in " + from));
        String address = running.ranks().getFirst().address();
        String machine = cloud.machines().stream()
                .filter(each -> each.runs() && each.address().equals(address))
                .map(LocalCloudAccess.Machine::id)
                .findFirst()
                .orElseThrow(() -> new IOException("no machine of " + from + " has the address " + address));
        cloud.sellOut();
        Instant at = Instant.now();
        if (noticed) {
            cloud.giveNotice(machine, NOTICE_SECONDS);
            looks.say(from + " says that it takes the machine of job " + job + " back in " + NOTICE_SECONDS
                    + " s, and is sold out");
        } else {
            cloud.cutPower(machine);
            looks.say("the machine of job " + job + " in " + from
                    + " lost its power, and the region is sold out: no notice is published there");
        }
        await("job " + job + " ends", scene -> detail(job).job().state().isTerminal());
        cloud.sellAgain();
        return part(noticed, count, from, at, detail(job));
    }

    private Part part(boolean noticed, int count, String from, Instant at, JobDetail done) throws IOException {
        Path file = files.results().resolve("steps.txt");
        List<String> lines = Files.exists(file) ? Files.readAllLines(file) : List.of();
        String last = done.job().nodes().isEmpty() ? "" : done.job().nodes().getFirst();
        List<Integer> steps = new ArrayList<>();
        int made = 0;
        int first = 0;
        BigDecimal heard = null;
        for (String line : lines) {
            String[] words = line.split(" ", -1);
            if (words[0].equals("signal")) {
                long millis = Long.parseLong(words[1]) - at.toEpochMilli();
                heard = DemoReport.seconds(Duration.ofMillis(millis), 1);
            } else {
                steps.add(Integer.parseInt(words[1]));
                boolean second = words[3].equals(last);
                made = second ? made : steps.getLast();
                first = second && first == 0 ? steps.getLast() : first;
            }
        }
        boolean whole = done.job().state() == JobState.DONE && steps.size() == count;
        for (int i = 0; i < steps.size(); i++) {
            whole &= steps.get(i) == i + 1;
        }
        JobDetail.DataView data = done.data();
        JobDetail.NoticeView kept = data == null ? null : data.notices();
        Money saved = kept == null ? Money.ZERO : kept.saved();
        return new Part(noticed, from, done.job().site(), heard, made, first, whole, saved);
    }

    /** Machines that are idle and of another market would take the room of the one that is bought for the job. */
    private void empty() throws IOException, InterruptedException {
        for (NodeView node : nodes()) {
            head.ask(client -> client.post("/nodes/" + node.id() + "/remove"));
        }
        await("the regions have no nodes", scene -> nodes().isEmpty());
    }

    private List<NodeView> nodes() throws InterruptedException {
        return head.ask(client -> client.list("/nodes", "nodes", NodeView.class)).stream()
                .filter(node -> node.role().equals("node")
                        && !node.state().isTerminal()
                        && regions.names().contains(node.site()))
                .toList();
    }

    private JobDetail detail(String job) throws InterruptedException {
        return head.ask(client -> client.get("/jobs/" + job, JobDetail.class));
    }

    private boolean isSynced(String job) throws InterruptedException {
        JobDetail.SyncView sync = detail(job).sync();
        return sync != null && sync.lastAt() != null;
    }

    private long steps(String job) throws InterruptedException {
        if (detail(job).job().state() != JobState.RUNNING) {
            return 0;
        }
        return head.ask(client -> client.get("/jobs/" + job + "/log?stream=stdout&rank=0&after=0", LogView.class))
                .text()
                .lines()
                .filter(line -> line.startsWith("step"))
                .count();
    }

    private interface Condition {
        boolean holds(Scene scene) throws InterruptedException;
    }

    private void await(String what, Condition condition) throws IOException, InterruptedException {
        long begin = System.nanoTime();
        while (!condition.holds(looks.look())) {
            if (System.nanoTime() - begin > patience.toNanos()) {
                throw new IOException("it is not so after " + patience.toSeconds() + " s that " + what);
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    /** A line for people. */
    static String text(Part part) {
        if (!part.noticed) {
            return String.format(
                    Locale.ROOT,
                    "%s publishes no notice: a machine lost its power when %d steps had come home, the second run in %s began"
                            + " with step %d%s; spend saved by that: %s",
                    part.from,
                    part.made,
                    part.to,
                    part.first,
                    part.wentOn() ? " from its checkpoint" : "",
                    part.saved);
        }
        return String.format(
                Locale.ROOT,
                "%s took a spot machine back, and the job had its signal after %s s; %d steps had been made, the second run"
                        + " in %s began with step %d%s; spend saved by notices: %s",
                part.from,
                part.heardSeconds,
                part.made,
                part.to,
                part.first,
                part.wentOn() ? " from its checkpoint" : "",
                part.saved);
    }

    /** Broken promises; none when all is as it should be. @param most seconds from a notice to the signal */
    static List<String> broken(Part part, BigDecimal most) {
        List<String> broken = new ArrayList<>();
        if (!part.whole || part.to.equals(part.from)) {
            broken.add("the job whose machine was taken did not end well in another region than " + part.from);
        }
        if (part.noticed && (part.heardSeconds == null || part.heardSeconds.compareTo(most) > 0)) {
            broken.add("a notice came to the job after " + part.heardSeconds + " s, more than " + most);
        }
        if (!(part.wentOn() && part.saved.isMoreThan(Money.ZERO))) {
            broken.add("the second run began with step " + part.first + " after " + part.made + ", with " + part.saved
                    + " saved");
        }
        return broken;
    }
}
