package org.spillway.head.staging;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.PullOrder;
import org.spillway.director.wire.PullState;
import org.spillway.head.cause.JobCause;
import org.spillway.head.link.RegionPulls;
import org.spillway.head.loop.port.InputsRefused;
import org.spillway.stage.Sha256;
import org.spillway.stage.pull.PullFault;
import org.spillway.stage.store.Digest;
import org.spillway.stage.store.Recipe;
import org.spillway.stage.worker.UserFiles;

/** Orders to a region that forgets, refuses, and answers in parts. */
final class DistantInputsTest {
    private static final byte[] BYTES = {1, 2, 3};
    private static final Digest PIECE = Digest.of(Sha256.digest().digest(BYTES));

    private final Region region = new Region();
    private final List<Long> moved = new ArrayList<>();
    private Instant now = Instant.parse("2026-03-01T12:00:00Z");

    private DistantInputs inputs(int count, long mostBytes) {
        List<DistantFile> files = IntStream.range(0, count)
                .mapToObj(i -> new DistantFile(
                        "in/" + i, new UserFiles.Distant("https://h/" + i + "?sig=hidden", "" + i, -1, "")))
                .toList();
        var place =
                new DistantInputs.Place(region, 7, "42", mostBytes, new UserFiles.Reach(List.of(), "", false, count));
        return new DistantInputs(place, DistantInputsTest::anything, files, () -> now, moved::add);
    }

    private static PullState.Result came() {
        ByteBuffer piece = ByteBuffer.allocate(Digest.BYTES);
        PIECE.to(piece);
        return new PullState.Result(
                "", "", BYTES.length, 1000, Base64.getEncoder().encodeToString(piece.array()), false, false);
    }

    private static PullState.Result fault(PullFault fault, String detail) {
        return new PullState.Result(fault.name(), detail, 0, 0, "", false, false);
    }

    /** Carries orders out at once, as a script says. */
    private static final class Region implements RegionPulls {
        final Map<String, PullOrder> orders = new HashMap<>();
        final Map<String, List<PullState.Result>> answers = new HashMap<>();
        final List<PullOrder> given = new ArrayList<>();
        int forgets;
        int told = 1000;
        Script script = (url, asked) -> came();
        final Map<String, Integer> asked = new HashMap<>();

        interface Script {
            PullState.Result answer(String url, int asked);
        }

        @Override
        public synchronized void begin(Name name, PullOrder order) {
            orders.put(name.name(), order);
            given.add(order);
        }

        @Override
        public synchronized Optional<PullState> state(Name name, int from) {
            PullOrder order = orders.get(name.name());
            if (order == null || forgets-- > 0) {
                orders.remove(name.name());
                return Optional.empty();
            }
            List<PullState.Result> all = answers.computeIfAbsent(
                    name.name() + given.size(),
                    one -> order.items().stream()
                            .map(item -> script.answer(item.url(), asked.merge(item.url(), 1, Integer::sum)))
                            .toList());
            List<PullState.Result> some = all.subList(from, Math.min(all.size(), from + told));
            return Optional.of(new PullState(true, all.size(), 3L * all.size(), from, some));
        }

        @Override
        public synchronized void end(Name name) {
            orders.remove(name.name());
        }
    }

    private static List<UserFiles.Ticket> anything(List<UserFiles.Distant> files) {
        return files.stream()
                .map(file -> new UserFiles.Ticket(file.origin(), "", "0".repeat(64)))
                .toList();
    }

    @Test
    void ordersAreBoundedAndResultsComeInParts() throws Exception {
        region.told = 300;
        DistantInputs inputs = inputs(1201, 10_000);
        inputs.bring();
        assertThat(region.given).extracting(order -> order.items().size()).containsExactlyInAnyOrder(500, 500, 201);
        List<Recipe.Part> parts = inputs.parts();
        assertThat(parts).hasSize(1201);
        assertThat(parts.get(700).member().name()).isEqualTo("in/700");
        assertThat(parts.get(700).pieces()).containsExactly(PIECE);
        assertThat(inputs.bytes()).isEqualTo(3603);
        assertThat(moved.getLast()).isEqualTo(3603);
        assertThat(region.orders).isEmpty();
    }

    @Test
    void anOrderThatIsForgottenIsGivenAgain() throws Exception {
        region.forgets = 3;
        DistantInputs inputs = inputs(2, 10_000);
        inputs.bring();
        assertThat(region.given).hasSize(4);
        assertThat(inputs.parts()).hasSize(2);
    }

    @Test
    void whatMayPassIsAskedForAgainAndTheRestIsNot() throws Exception {
        region.script = (url, asked) -> url.contains("/1?") && asked < 3 ? fault(PullFault.BROKEN, "EOF") : came();
        DistantInputs inputs = inputs(3, 10_000);
        inputs.bring();
        assertThat(region.asked.values()).containsExactlyInAnyOrder(1, 3, 1);
    }

    @Test
    void aRefusalIsSaidWithoutItsSecretsAndTheOthersAreThere() {
        region.script = (url, asked) -> url.contains("/1?") ? fault(PullFault.REFUSED, "403") : came();
        DistantInputs inputs = inputs(3, 10_000);
        InputsRefused refused = catchThrowableOfType(InputsRefused.class, inputs::bring);
        assertThat(refused.isLasting()).isTrue();
        assertThat(refused.why())
                .isEqualTo(new JobCause.InputsMissing(
                        List.of(new JobCause.NotPulled("https://h/1?...", PullFault.REFUSED, "403")), 1, 3));
        assertThat(region.asked.values()).allMatch(asked -> asked == 1);
        assertThat(PullTable.text(inputs))
                .contains("in/0\thttps://h/0?...\tcame\t3\t\n", "in/1\thttps://h/1?...\trefused\t0\t403\n")
                .doesNotContain("hidden");
        assertThatThrownBy(inputs::parts).isInstanceOf(IOException.class);
    }

    @Test
    void leaveThatHasGrownOldIsAskedForAnew() throws Exception {
        region.script = (url, asked) -> {
            if (asked == 1) {
                now = now.plus(Duration.ofHours(2));
                return fault(PullFault.REFUSED, "403");
            }
            return came();
        };
        DistantInputs inputs = inputs(1, 10_000);
        inputs.bring();
        assertThat(inputs.parts()).hasSize(1);
    }

    @Test
    void whatWasWrongInTheRegionComesAgain() throws Exception {
        DistantInputs inputs = inputs(2, 10_000);
        inputs.bring();
        assertThat(inputs.again(Set.of(new Digest(1, 2, 3, 4)))).isFalse();
        assertThat(inputs.again(Set.of(PIECE))).isTrue();
        assertThatThrownBy(inputs::parts).isInstanceOf(IOException.class);
        inputs.bring();
        assertThat(inputs.parts()).hasSize(2);
        assertThat(inputs.bytes()).isEqualTo(6);
    }

    @Test
    void eachOrderMayHaveWhatTheOthersHaveLeft() throws Exception {
        DistantInputs inputs = inputs(501, 2000);
        inputs.bring();
        assertThat(region.given)
                .allSatisfy(order -> assertThat(order.mostBytes()).isLessThanOrEqualTo(2000));
    }
}
