package org.spillway.head.staging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.spillway.director.FuzzSeeds;
import org.spillway.head.cause.Cause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.stage.Checksum;
import org.spillway.stage.transfer.LocalTransfer;
import org.spillway.stage.transfer.Transfer;

/**
 * Odd trees on their way to a region and home again, with cuts, kills, flipped bits, lost tails and files that change at
 * each place: what arrives is equal byte for byte, name for name, and in what travels of mode and time, or it is refused in
 * words; and when the bad luck is over it arrives.
 */
@Timeout(1800)
final class StagingPropertyTest extends SiteStagerScene {
    private static final int TRIES = 5;

    private Random random = new Random(0);
    private Path place;
    private final StringBuilder happened = new StringBuilder();

    @Test
    void whatArrivesIsEqualOrRefused() throws Exception {
        for (long seed : FuzzSeeds.of("staging of odd trees", 12, 200)) {
            workers.close();
            random = new Random(seed);
            happened.setLength(0);
            place = Files.createDirectory(temporary.toRealPath().resolve("seed-" + seed));
            regionAhead.set(0);
            open(place);
            try {
                thereAndBack();
            } catch (Exception | AssertionError e) {
                throw new AssertionError("seed " + seed + ": " + happened + ": " + e, e);
            } finally {
                calm();
                workers.close();
                run("rm", "-rf", place.toString());
            }
        }
    }

    private static void run(String... command) throws Exception {
        assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
    }

    private void thereAndBack() throws Exception {
        Path data = home.resolve("data");
        OddTree.grow(data, random);
        JobRecord job = job(List.of(new JobSpec.Input(data.toString(), "")), List.of(), 1);
        if (random.nextInt(6) == 0) {
            namesThatAreNoText(job, data);
        }
        for (int i = random.nextInt(TRIES); i > 0; i--) {
            tryToStage(job, data);
        }
        calm();
        // Whoever trusts what was read a moment ago reads it again by then; or it is another process.
        regionAhead.addAndGet(3600);
        happened.append(", calm");
        if (random.nextBoolean()) {
            newDirector();
        }
        TreeMap<String, OddTree.Facts> wanted = OddTree.of(data, true);
        assertThat(stageIn(job)).as("the bad luck is over").isNotNull();
        assertThat(atTheNode()).isEqualTo(wanted);
        back();
    }

    private void calm() {
        breaksAfter = Long.MAX_VALUE;
        homeBreaksAfter = Long.MAX_VALUE;
        streamsThatBreak = 0;
        passing = (bytes, from, length) -> {};
    }

    private void namesThatAreNoText(JobRecord job, Path data) throws Exception {
        happened.append(", a name that is no text");
        run("sh", "-c", "printf x >\"$0/$(printf 'b\\377d')\"", data.toString());
        assertThat(stageIn(job)).isNull();
        assertThat(happened.toString()).contains("is not UTF-8");
        run("sh", "-c", "rm \"$0/$(printf 'b\\377d')\"", data.toString());
    }

    /** @return null when it was refused: in words */
    private Checksum stageIn(JobRecord job) throws Exception {
        try {
            Checksum staged = stager.stageIn(EAST, job, "s", null, bytes -> {}).bundle();
            assertThat(staged).isNotNull();
            return staged;
        } catch (IOException | java.io.UncheckedIOException e) {
            refused(e);
            return null;
        }
    }

    private void refused(Exception e) {
        assertThat(e.getMessage()).isNotBlank().doesNotContain("null");
        happened.append(" (").append(e.getMessage()).append(')');
    }

    private void tryToStage(JobRecord job, Path data) throws Exception {
        TreeMap<String, OddTree.Facts> wanted = OddTree.of(data, true);
        mishap(data);
        Checksum staged = stageIn(job);
        calm();
        if (staged == null) {
            return;
        }
        boolean rots = random.nextInt(4) == 0;
        if (rots) {
            rot(staging);
        }
        TreeMap<String, OddTree.Facts> got = atTheNode(staged);
        assertThat(got != null || rots || happened.indexOf("of the region") >= 0)
                .as("refused by the node for no reason")
                .isTrue();
        if (got != null) {
            assertThat(got).isEqualTo(wanted);
        }
    }

    private void mishap(Path data) throws Exception {
        long at = random.nextInt(200_000);
        switch (random.nextInt(10)) {
            case 0 -> {
                happened.append(", a cut at ").append(at);
                breaksAfter = at;
            }
            case 1 -> {
                happened.append(", connections that die at ").append(at);
                breaksAfter = at;
                streamsThatBreak = 1 + random.nextInt(6);
            }
            case 2 -> {
                happened.append(", a flip on the way at ").append(at);
                once(at, (bytes, from, length) -> bytes[from + length - 1] ^= 4);
            }
            case 3 -> {
                happened.append(", the worker killed at ").append(at);
                once(at, (bytes, from, length) -> killWorkers());
            }
            case 4 -> {
                happened.append(", the head killed at ").append(at);
                breaksAfter = at;
                stageIn(job(List.of(new JobSpec.Input(data.toString(), "")), List.of(), 1));
                calm();
                anotherHead();
            }
            case 5 -> {
                happened.append(", the director killed");
                newDirector();
            }
            case 6, 7 -> rot(staging);
            case 8 -> {
                rot(place.resolve("digests"));
                regionAhead.addAndGet(random.nextInt(2) * 3600L);
            }
            default -> {
                happened.append(", a file that changes at ").append(at);
                once(at, (bytes, from, length) -> {
                    try {
                        OddTree.change(data, random);
                    } catch (IOException e) {
                        throw new java.io.UncheckedIOException(e);
                    }
                });
            }
        }
    }

    private void anotherHead() throws IOException {
        workers.close();
        newHead(place.resolve("digests"));
    }

    /** When so many bytes have passed, and not again. */
    private void once(long at, Passing what) {
        AtomicLong left = new AtomicLong(at);
        passing = (bytes, from, length) -> {
            if (length > 0 && left.getAndAdd(-length) > 0 && left.get() <= 0) {
                what.passes(bytes, from, length);
            }
        };
    }

    private static void killWorkers() {
        for (ProcessHandle worker : workerProcesses()) {
            worker.destroyForcibly();
            worker.onExit().join(); // or the next one that is asked dies in its turn
        }
    }

    /** Children of this process: tests of this module run one after the other. */
    private static List<ProcessHandle> workerProcesses() {
        return ProcessHandle.current()
                .children()
                .filter(child -> Arrays.asList(child.info().arguments().orElse(new String[0]))
                        .contains("org.spillway.stage.worker.WorkerMain"))
                .toList();
    }

    /** A file below a folder has another bit, loses its tail, or is lost. */
    private void rot(Path folder) throws IOException {
        List<Path> files;
        try (Stream<Path> walk = Files.walk(folder)) {
            files = walk.filter(Files::isRegularFile).sorted().toList();
        } catch (NoSuchFileException none) {
            return;
        }
        rot(files, folder);
    }

    private void rot(List<Path> files, Path folder) throws IOException {
        if (files.isEmpty()) {
            return;
        }
        Path file = files.get(random.nextInt(files.size()));
        byte[] bytes = Files.readAllBytes(file);
        int deed = random.nextInt(3);
        happened.append(folder.equals(staging) ? ", of the region " : ", at home ")
                .append(deed == 0 ? "a flip in " : deed == 1 ? "a lost tail of " : "a loss of ")
                .append(folder.relativize(file));
        if (deed == 0 && bytes.length > 0) {
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            Files.write(file, bytes);
        } else if (deed == 1) {
            Files.write(file, Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
        } else if (deed == 2) {
            Files.delete(file);
        }
    }

    /** As the node does it: what is not what was staged is refused. */
    private TreeMap<String, OddTree.Facts> atTheNode(Checksum staged) throws Exception {
        byte[] input;
        try {
            input = input("7");
        } catch (IOException e) {
            refused(e);
            return null;
        }
        if (!checksum(input).equals(staged)) {
            happened.append(" (the input is not what was staged)");
            return null;
        }
        return atTheNode();
    }

    private TreeMap<String, OddTree.Facts> atTheNode() throws Exception {
        Path out = Files.createTempDirectory(place, "node");
        Path bundle = Files.write(place.resolve("input.tar"), input("7"));
        run(
                "tar",
                "-xf",
                bundle.toString(),
                "-C",
                out.toString(),
                "--no-same-owner",
                "--anchored",
                "--exclude=.spillway",
                "--exclude=./.spillway");
        return OddTree.of(out.resolve("data"), true);
    }

    /** The same for results, as a node packs them. */
    private void back() throws Exception {
        Path work = Files.createDirectory(place.resolve("work"));
        OddTree.grow(work.resolve("out"), random);
        JobRecord job = job(List.of(), List.of(new JobSpec.Output("out", home + "/results", true, false)), 1);
        job = ended(job.with(job.run().startedOn(List.of("node-0"), 0)), packed(work));
        happened.append("; results");
        for (int i = random.nextInt(TRIES); i > 0; i--) {
            tryToPublish(job);
        }
        calm();
        happened.append(", calm");
        // A part at home that has rotted is found by the first of two tries, and is brought anew by the second.
        boolean atOnce = broughtHome(job);
        assertThat(atOnce || broughtHome(job)).as("the bad luck is over").isTrue();
        JobRun.Published published = stager.publish(job);
        assertThat(published.unplaced()).isEmpty();
        TreeMap<String, OddTree.Facts> wanted = OddTree.of(work.resolve("out"), false);
        // Names with control characters are left out, which is told.
        wanted.keySet().removeIf(name -> name.chars().anyMatch(Character::isISOControl));
        TreeMap<String, OddTree.Facts> got =
                wanted.isEmpty() ? new TreeMap<>() : OddTree.of(home.resolve("results"), false);
        assertThat(got).isEqualTo(wanted);
        stager.forget(job);
        try (Stream<Path> left = Files.list(home)) {
            assertThat(left.map(Path::getFileName).map(Path::toString)).allMatch(name -> !name.contains("spillway"));
        }
    }

    private byte[] packed(Path work) throws Exception {
        String sparse = random.nextBoolean() ? "-S --format=posix" : "";
        Process tar = new ProcessBuilder(
                        "sh",
                        "-c",
                        "find . -xtype f -regex '\\./out/.*' -printf '%P\\0' | tar -chf - " + sparse
                                + " --hard-dereference --no-recursion --null -T -")
                .directory(work.toFile())
                .start();
        ByteArrayOutputStream bundle = new ByteArrayOutputStream();
        tar.getInputStream().transferTo(bundle);
        assertThat(tar.waitFor()).isZero();
        return bundle.toByteArray();
    }

    /** An upload that was cut off goes on where it broke. */
    private JobRecord ended(JobRecord job, byte[] bundle) throws Exception {
        Checksum checksum = checksum(bundle);
        String key = Orders.outputKey("7", job.run().attempt(), 0);
        try (Transfer transfer = new LocalTransfer(staging)) {
            for (long from = 0; from < bundle.length; from = transfer.received(key)) {
                int to = Math.min(bundle.length, (int) from + 1 + random.nextInt(bundle.length));
                transfer.send(key, from, new ByteArrayInputStream(bundle, (int) from, to - (int) from));
            }
            transfer.seal(key, checksum);
        }
        return job.with(job.run()
                .ended("node-0", JobRun.End.of(Instant.EPOCH, Instant.EPOCH, 0, Cause.NONE, true, "store", checksum)));
    }

    private boolean broughtHome(JobRecord job) throws Exception {
        try {
            stager.bringHome(EAST, job, bytes -> {});
            return true;
        } catch (IOException e) {
            refused(e);
            return false;
        }
    }

    private void tryToPublish(JobRecord job) throws Exception {
        long at = random.nextInt(100_000);
        switch (random.nextInt(5)) {
            case 0 -> {
                happened.append(", a cut at ").append(at);
                homeBreaksAfter = at;
            }
            case 1 -> {
                happened.append(", a flip on the way at ").append(at);
                once(at, (bytes, from, length) -> bytes[from] ^= 1);
            }
            case 2 -> {
                happened.append(", the worker killed at ").append(at);
                once(at, (bytes, from, length) -> killWorkers());
            }
            case 3 -> {
                happened.append(", the head killed at ").append(at);
                homeBreaksAfter = at;
                broughtHome(job);
                calm();
                anotherHead();
            }
            default -> rotOfRegion(job);
        }
        boolean here = broughtHome(job);
        calm();
        if (!here || random.nextBoolean()) {
            return;
        }
        if (random.nextBoolean()) {
            try (Stream<Path> parts = Files.list(home)) {
                rot(
                        parts.filter(part -> part.toString().endsWith(".part"))
                                .sorted()
                                .toList(),
                        home);
            }
        }
        int seen = 1 + random.nextInt(5);
        Thread killer = Thread.ofVirtual().start(() -> killWhenThereAre(seen));
        try {
            stager.publish(job);
        } catch (IOException e) {
            refused(e);
        } finally {
            killer.interrupt();
            killer.join();
        }
    }

    /** The region's copy is wrong for a while: nothing of it is ever taken for the results. */
    private void rotOfRegion(JobRecord job) throws Exception {
        Path bundle = staging.resolve(Orders.outputKey("7", job.run().attempt(), 0));
        byte[] right = Files.readAllBytes(bundle);
        byte[] wrong = right.clone();
        int at = random.nextInt(wrong.length);
        wrong[at] ^= 2;
        happened.append(", a flip in the region's copy");
        Files.write(bundle, wrong);
        boolean hadIt;
        try (Stream<Path> parts = Files.list(home)) {
            // Bytes that came before a cut do not come again.
            hadIt = parts.anyMatch(
                    part -> part.toString().endsWith(".part") && part.toFile().length() > at);
        }
        assertThat(broughtHome(job)).isEqualTo(hadIt);
        Files.write(bundle, right);
    }

    private void killWhenThereAre(int files) {
        Path results = home.resolve("results");
        while (!Thread.currentThread().isInterrupted()) {
            String[] names = results.toFile().list();
            if (names != null && names.length >= files) {
                killWorkers();
                return;
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}
