package org.spillway.head.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** Found by what they bring: on lines of any make, with a clock of the test's own. */
class StreamCountTest {
    private static final int MOST = 8;
    private static final long LOOK = 50_000_000;
    private static final long SECOND = 1_000_000_000;

    /** A line on which all connections are always in use. */
    private static final class Line {
        final IntToDoubleFunction rate;
        final List<Integer> counts = new ArrayList<>();
        StreamCount count = StreamCount.begun(MOST, 1, 0);
        long now;
        double bytes;

        /** @param rate bytes a second with so many connections */
        Line(IntToDoubleFunction rate) {
            this.rate = rate;
        }

        Line run(long seconds) {
            for (long end = now + seconds * SECOND; now < end; now += LOOK) {
                bytes += rate.applyAsDouble(count.count()) * LOOK / SECOND;
                count = count.at(now, (long) bytes, true);
                counts.add(count.count());
            }
            return this;
        }
    }

    private static IntToDoubleFunction line(double each, double all) {
        return count -> Math.min(all, each * count);
    }

    /** 2 MiB of a stock sshd's window over 40 ms are 52 MB/s: two copies on each connection, and 1 Gbit/s. */
    @Test
    void aLineThatOneConnectionDoesNotFillGetsAnother() {
        Line line = new Line(line(104e6, 125e6)).run(4);
        assertThat(line.count.count()).isEqualTo(2);
        assertThat(line.counts).startsWith(1);
    }

    @Test
    void aLineThatOneConnectionFillsKeepsOne() {
        Line line = new Line(line(500e6, 125e6)).run(120);
        assertThat(line.counts.stream().filter(count -> count == 1).count())
                .as("looks with one connection")
                .isGreaterThan(line.counts.size() * 9L / 10);
    }

    @Test
    void asLongAsEachBringsMoreThereAreMoreUpToTheMost() {
        Line line = new Line(line(10e6, 1e12)).run(6);
        assertThat(line.counts).endsWith(MOST);
        assertThat(line.counts.stream().distinct()).startsWith(1, 2, 3, 4, 6, MOST);
    }

    @Test
    void moreThanAreOfUseAreGivenBackWhenTheLineHasBecomeAnother() {
        Line slow = new Line(line(10e6, 80e6)).run(6);
        assertThat(slow.count.count()).isEqualTo(MOST);
        Line fast = new Line(line(100e6, 100e6));
        fast.count = slow.count;
        fast.now = slow.now;
        fast.run(120);
        assertThat(fast.counts).endsWith(1);
    }

    @Test
    void nothingIsLearnedWhileNotAllAreInUse() {
        StreamCount count = StreamCount.begun(MOST, 1, 0);
        for (int i = 0; i < 1000; i++) {
            count = count.at(i * LOOK, i * 1_000_000L, i % 5 != 0);
            assertThat(count.count()).isEqualTo(1);
            assertThat(count.trial()).isNull();
        }
    }

    @Test
    void oneThatIsRefusedIsDoneWithoutForAWhile() {
        Line line = new Line(line(10e6, 1e12)).run(2);
        assertThat(line.count.count()).isGreaterThan(1);
        line.count = line.count.refused(1, line.now);
        assertThat(line.count.count()).isEqualTo(1);
        line.counts.clear();
        line.run(4);
        assertThat(line.counts).containsOnly(1);
    }

    /** Whatever the line: within its bounds, and after the search nearly as fast as with the best number. */
    @Test
    void onAnyLineItIsNearlyAsFastAsItCanBe() {
        long seed = ThreadLocalRandom.current().nextLong();
        var random = new SplittableRandom(seed);
        for (int round = 0; round < 300; round++) {
            double each = random.nextDouble(1e6, 300e6);
            double all = random.nextDouble(1e6, 1.25e9);
            double noise = random.nextDouble(0.02);
            IntToDoubleFunction steady = line(each, all);
            Line line = new Line(count -> steady.applyAsDouble(count) * (1 + noise * random.nextDouble(-1, 1)));
            line.run(20);
            double before = line.bytes;
            line.run(60);
            double rate = (line.bytes - before) / 60;
            String what = "seed " + seed + ", round " + round + ": " + each + " each, " + all + " all, noise " + noise;
            assertThat(line.counts).as(what).allMatch(count -> count >= 1 && count <= MOST);
            assertThat(rate).as(what).isGreaterThan(0.8 * Math.min(all, MOST * each));
        }
    }

    /** A number is tried for a moment, and one that brought nothing ever more rarely. */
    @Test
    void itDoesNotChangeAllTheTime() {
        long seed = ThreadLocalRandom.current().nextLong();
        var random = new SplittableRandom(seed);
        for (int round = 0; round < 100; round++) {
            Line line = new Line(line(random.nextDouble(1e6, 300e6), random.nextDouble(1e6, 1.25e9)));
            line.run(600);
            int changes = 0;
            for (int i = 1; i < line.counts.size(); i++) {
                changes += line.counts.get(i).equals(line.counts.get(i - 1)) ? 0 : 1;
            }
            assertThat(changes).as("seed " + seed + ", round " + round).isLessThan(60);
        }
    }
}
