package org.spillway.scaler.policyhost;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Wish;
import org.spillway.policy.builtin.HouseRules;
import org.spillway.policy.builtin.HouseRuling;
import org.spillway.policy.check.SnapshotGenerator;
import org.spillway.policy.check.WishCheck;
import org.spillway.scaler.policyhost.Wire.Answer;
import org.spillway.scaler.policyhost.Wire.Request;

/** Makes children: starts one with a policy, has it checked, and warms it up. Takes seconds; never on the loop. */
final class Nursery implements AutoCloseable {
    /** By the clock, for Java, the compiler and the check together; the child's own patience is shorter and says more. */
    private static final Duration LOADING = Duration.ofMinutes(10);
    /** Of its own time, for one question of the check, where the deadline is for the warm. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    /** By the clock, for a child that cannot even say that its policy is late, on a machine that is busy. */
    private static final Duration SILENT = Duration.ofSeconds(10);

    private static final int BUSY = 20;

    private static final Duration WARMING = Duration.ofSeconds(5);
    private static final int WARM_UP_SEEDS = 30;
    private static final int WARM_UP_PRESENT = 5;

    private final Containment containment;
    private final int memoryMib;
    private final Duration deadline;
    private final Duration patience;
    private final Consumer<String> said;
    private @Nullable ChildPlace place;

    /** @param said hears what policies print */
    Nursery(Containment containment, int memoryMib, Duration deadline, Consumer<String> said) {
        this(containment, memoryMib, deadline, PATIENCE, said);
    }

    /** @param patience with a question of the check, of the policy's own time */
    Nursery(Containment containment, int memoryMib, Duration deadline, Duration patience, Consumer<String> said) {
        this.patience = patience;
        this.containment = containment;
        this.memoryMib = memoryMib;
        this.deadline = deadline;
        this.said = said;
    }

    /** A child that has passed, and what its policy says of itself. */
    record Grown(ChildProcess child, String name, List<SettingDescription> settings) {}

    /**
     * @param settings that the administrator wrote, by the name of the policy, empty for any
     * @param seeds of the check
     * @param present the cluster as it is, to warm up with; null when none was seen yet
     * @throws NotTaken if the policy does not pass
     */
    Grown grow(
            String fileName,
            byte[] content,
            Map<String, Map<String, String>> settings,
            int seeds,
            @Nullable ClusterSnapshot present)
            throws NotTaken {
        if (!containment.mayRun()) {
            throw new NotTaken(fileName, containment.description());
        }
        ChildProcess child = null;
        try {
            child = ChildProcess.start(
                    place(), containment, memoryMib, line -> said.accept(fileName + " prints: " + line));
            Answer answer = child.ask(
                    new Request.Load(
                            fileName,
                            Base64.getEncoder().encodeToString(content),
                            settings,
                            seeds,
                            deadline.toMillis(),
                            patience.toMillis()),
                    LOADING);
            Grown grown = switch (answer) {
                case Answer.Loaded loaded -> new Grown(child, Plain.text(loaded.name()), loaded.settings());
                case Answer.Refused refused -> throw new NotTaken(refused.findings());
                case Answer.Threw threw -> throw new NotTaken(fileName, "it threw " + threw.message());
                case Answer.Wishes wishes -> throw new NotTaken(fileName, "it answered what was not asked");
                case Answer.Stuck stuck -> throw new NotTaken(fileName, "it answered what was not asked");
            };
            warmUp(fileName, child, present);
            ChildProcess passed = child;
            child = null;
            return new Grown(passed, grown.name(), grown.settings());
        } catch (ChildFailure failure) {
            throw new NotTaken(fileName, "while it was checked it " + failure.sentence());
        } catch (IOException unstartable) {
            throw new NotTaken(fileName, "no process could be started for it: " + unstartable.getMessage());
        } finally {
            if (child != null) {
                child.close();
            }
        }
    }

    private synchronized ChildPlace place() throws IOException {
        ChildPlace made = place;
        if (made == null) {
            made = ChildPlace.make(containment);
            place = made;
        }
        return made;
    }

    /** Through the wire, as that is cold too; the present cluster last, and its last answer has to be in time. */
    private void warmUp(String fileName, ChildProcess child, @Nullable ClusterSnapshot present)
            throws ChildFailure, NotTaken {
        for (int seed = 0; seed < WARM_UP_SEEDS; seed++) {
            decide(child, new SnapshotGenerator(seed).snapshot(), WARMING);
        }
        long took = 0;
        for (int i = 0; present != null && i < WARM_UP_PRESENT; i++) {
            took = answer(child, present, WARMING).millis();
        }
        if (took > deadline.toMillis()) {
            throw new NotTaken(
                    fileName,
                    "about the cluster as it is it took " + took + " ms of its own time to decide; allowed: "
                            + deadline.toMillis() + " ms (scaler.policyDeadline)");
        }
    }

    /** Asks under the rules of the house: what they keep is shown as kept, and stays whatever the answer says. */
    static List<Wish> decide(ChildProcess child, HouseRules rules, ClusterSnapshot now, Duration deadline)
            throws ChildFailure {
        HouseRuling ruling = new HouseRuling(rules);
        return ruling.ruled(now, decide(child, ruling.seen(now), deadline));
    }

    /**
     * Asks, and believes nothing of the answer that does not stand in the question.
     *
     * @param deadline of the policy's own time: a machine's load is not its fault
     */
    static List<Wish> decide(ChildProcess child, ClusterSnapshot now, Duration deadline) throws ChildFailure {
        return answer(child, now, deadline).wishes();
    }

    /** How long a child is waited for that has so much time of its own. */
    static Duration byTheClock(Duration deadline) {
        return SILENT.plus(deadline.multipliedBy(BUSY));
    }

    private static Answer.Wishes answer(ChildProcess child, ClusterSnapshot now, Duration deadline)
            throws ChildFailure {
        return switch (child.ask(new Request.Decide(now, deadline.toMillis()), byTheClock(deadline))) {
            case Answer.Wishes wishes -> {
                if (wishes.millis() > deadline.toMillis()) {
                    throw new ChildFailure("took " + wishes.millis() + " ms of its own time; allowed: "
                            + deadline.toMillis() + " ms (scaler.policyDeadline)");
                }
                yield new Answer.Wishes(checked(now, wishes.wishes()), wishes.millis());
            }
            case Answer.Stuck stuck -> {
                child.kill();
                throw new ChildFailure("did not answer within " + deadline.toMillis()
                        + " ms of its own time, and was ended: " + Plain.text(stuck.where()));
            }
            case Answer.Threw threw -> throw new ChildFailure("threw " + Plain.text(threw.message()));
            case Answer.Loaded loaded -> throw new ChildFailure("answered what was not asked");
            case Answer.Refused refused -> throw new ChildFailure("answered what was not asked");
        };
    }

    private static List<Wish> checked(ClusterSnapshot now, List<Wish> wishes) throws ChildFailure {
        Optional<String> wrong = WishCheck.problem(now, wishes);
        if (wrong.isPresent()) {
            throw new ChildFailure("gave an answer that is not taken: " + Plain.text(wrong.get()));
        }
        return wishes;
    }

    /** Below which all its children's files are; shows in their command lines. */
    synchronized String folder() {
        try {
            return Objects.requireNonNull(place().api().getParent()).toString();
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        if (place != null) {
            place.close();
        }
    }
}
