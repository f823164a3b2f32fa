package org.spillway.api;

import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import org.spillway.api.form.Describes;
import org.spillway.policy.Money;

/** A decision, for people. */
public record DecisionView(
        String id,

        Instant at,

        @Describes("that answered") String policy,

        @Describes("of the policy; empty for one that comes with the release")
        String version,

        String release,

        @Describes("what it depended on, one fact each") List<String> saw,

        @Describes("what it did, one sentence each") List<String> steps,

        @Describes("what kept it from doing more, one sentence each")
        List<String> limits,

        @Describes("with what else each could have been") List<LaunchChoice> launches,

        @Describes("nothing of it was done: it was a dry run")
        boolean dry) {
    public DecisionView {
        saw = List.copyOf(saw);
        steps = List.copyOf(steps);
        limits = List.copyOf(limits);
        launches = List.copyOf(launches);
    }

    /** A decision by the names of its parts; those that {@code made} leaves alone are as {@link Draft} has them. */
    public static DecisionView of(Consumer<Draft> made) {
        Draft draft = new Draft();
        made.accept(draft);
        return draft.made();
    }

    public record LaunchChoice(
            @Describes("what was launched") String offering,

            @Describes("nodes") int count,

            @Describes("the most that they are expected to cost")
            Money cost,

            @Describes("the cheapest first, at most five") List<OtherChoice> others,

            @Describes("how many further ones could hold the jobs")
            int more) {
        public LaunchChoice {
            others = List.copyOf(others);
        }
    }

    public record OtherChoice(
            String offering,

            int count,

            Money cost,

            @Describes("why it was not taken") String why) {}

    /** Parts of one that is being made. */
    public static final class Draft {
        public String id = "";
        public Instant at = Instant.EPOCH;
        public String policy = "";
        public String version = "";
        public String release = "";
        public List<String> saw = List.of();
        public List<String> steps = List.of();
        public List<String> limits = List.of();
        public List<LaunchChoice> launches = List.of();
        public boolean dry;

        private Draft() {}

        private DecisionView made() {
            return new DecisionView(id, at, policy, version, release, saw, steps, limits, launches, dry);
        }
    }
}
