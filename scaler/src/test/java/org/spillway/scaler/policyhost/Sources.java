package org.spillway.scaler.policyhost;

/** Policies as an administrator would write them, good and bad. */
final class Sources {
    private Sources() {}

    /** Holds every shape, with this reason. */
    static String holding(String name, String reason) {
        return policy(
                name,
                "",
                "now.demands().forEach(demand -> wishes.add(new Wish.Hold(demand.shape(), \"" + reason + "\")));");
    }

    /** Good in the check, and bad about clusters with a demand of this queue. */
    static String badAbout(String name, String queue, String statement) {
        return policy(
                name,
                "static final java.util.List<byte[]> KEPT = new java.util.ArrayList<>();",
                "if (now.demands().stream().anyMatch(demand -> demand.queue().equals(\"" + queue + "\"))) {\n"
                        + statement + "\n}\n"
                        + "now.demands().forEach(demand -> wishes.add(new Wish.Hold(demand.shape(), \"waits\")));");
    }

    static String policy(String name, String members, String statements) {
        return """
                import java.util.ArrayList;
                import java.util.List;
                import org.spillway.policy.*;

                public final class Dropped implements ScalingPolicy<Dropped.Settings> {
                    public record Settings(@Setting("how many at most") int most) {
                        public Settings {
                            if (most < 1) {
                                throw new IllegalArgumentException("most is less than 1: " + most);
                            }
                        }
                    }

                    %s

                    @Override
                    public String name() {
                        return "%s";
                    }

                    @Override
                    public Settings defaults() {
                        return new Settings(5);
                    }

                    @Override
                    public List<Wish> decide(ClusterSnapshot now, Settings settings, Planner planner) {
                        List<Wish> wishes = new ArrayList<>();
                        %s
                        return wishes;
                    }
                }
                """.formatted(members, name, statements);
    }
}
