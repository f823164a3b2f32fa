package org.spillway.cloud.delegated;

import java.util.List;
import java.util.Map;

/**
 * Messages of child and parent, as JSON over HTTPS. A site's name is in none of it: each end has its own. Every body
 * bears {@link #SCHEMA}; unknown fields are ignored, a missing one or another schema is refused.
 */
public final class Wire {
    public static final int SCHEMA = 1;
    /** User data and tags; larger requests are not read. */
    public static final int MAX_REQUEST_BYTES = 512 * 1024;
    /** A listing of some ten thousand instances; larger answers are not read. */
    public static final int MAX_ANSWER_BYTES = 64 * 1024 * 1024;

    public static final String OFFERINGS = "/v1/offerings";
    public static final String LAUNCH = "/v1/launch";
    public static final String LIST = "/v1/list";
    /** Asking by id; a parent of an earlier release answers that there is no such call. */
    public static final String LOOK = "/v1/look";

    public static final String TERMINATE = "/v1/terminate";
    public static final String STOP = "/v1/stop";
    public static final String START = "/v1/start";
    public static final String INVENTORY = "/v1/inventory";
    public static final String DELETE = "/v1/delete";
    public static final String CHECK = "/v1/check";

    private Wire() {}

    /** The form of every body. */
    public sealed interface Body {
        int schema();
    }

    /** Nothing more to say: a question without a parameter, or an answer that it is done. */
    public record Plain(int schema) implements Body {}

    /** Why it was not done. @param reason a {@code LaunchOutcome.Reason}; nothing was done */
    public record Refusal(int schema, String reason, String message) implements Body {}

    /** An offering without its site. */
    public record Place(String zone, String type, String market) {}

    /** @param pricePerHour a decimal number in the currency of the parent's budget */
    public record Sold(
            Place place,
            int cpus,
            long memoryBytes,
            int gpus,
            String gpuModel,
            long localDiskBytes,
            String pricePerHour,
            List<String> features,
            long gpuMemoryBytes,
            String quotaFamily) {
        public Sold {
            features = List.copyOf(features);
        }
    }

    public record Offerings(int schema, List<Sold> offerings, long windowMillis) implements Body {
        public Offerings {
            offerings = List.copyOf(offerings);
        }
    }

    /**
     * @param places best first, at least one
     * @param patienceMillis for so long the child waits for the answer: a parent that has not begun by then does not
     *     begin any more, so that what the child takes for absent does not come later
     */
    public record Launch(
            int schema,
            String intent,
            int attempt,
            List<Place> places,
            int count,
            String image,
            String userData,
            Map<String, String> tags,
            String fabricGroup,
            String reservation,
            long patienceMillis)
            implements Body {
        public Launch {
            places = List.copyOf(places);
            tags = Map.copyOf(tags);
        }

        /** Without user data, which holds a secret. */
        @Override
        public String toString() {
            return "Launch[" + intent + " " + attempt + ", " + count + " of " + places + "]";
        }
    }

    /** @param kind {@code launched}, {@code partial}, {@code refused} or {@code unknown} */
    public record Outcome(String kind, int count, String reason, String message) {}

    public record Part(Place place, Outcome outcome) {}

    public record Launched(int schema, Outcome outcome, List<Machine> machines, List<Part> parts, long windowMillis)
            implements Body {
        public Launched {
            machines = List.copyOf(machines);
            parts = List.copyOf(parts);
        }
    }

    /** @param failure a reason, or empty when it did not fail; {@code failureMessage} goes with it */
    public record Machine(
            String id,
            Place place,
            String state,
            String address,
            int sshPort,
            String launchedAt,
            Map<String, String> tags,
            String failure,
            String failureMessage,
            String inside) {
        public Machine {
            tags = Map.copyOf(tags);
        }
    }

    public record Machines(int schema, List<Machine> machines, long windowMillis) implements Body {
        public Machines {
            machines = List.copyOf(machines);
        }
    }

    public record Ids(int schema, List<String> ids) implements Body {
        public Ids {
            ids = List.copyOf(ids);
        }
    }

    /**
     * Knowledge about an id.
     *
     * @param verdict {@code found}, {@code denied} or {@code unsure}
     * @param detail the provider's code for {@code denied}, the reason for {@code unsure}, otherwise empty
     * @param machine one for {@code found}, otherwise none
     */
    public record Looked(String id, String verdict, String detail, List<Machine> machine) {
        public Looked {
            machine = List.copyOf(machine);
        }
    }

    public record Looks(int schema, List<Looked> looks) implements Body {
        public Looks {
            looks = List.copyOf(looks);
        }
    }

    public record Thing(
            String kind, String id, String pricePerHour, Map<String, String> tags, String instance, String evidence) {
        public Thing {
            tags = Map.copyOf(tags);
        }
    }

    public record Things(int schema, List<Thing> things) implements Body {
        public Things {
            things = List.copyOf(things);
        }
    }

    public record Doomed(int schema, String kind, String id) implements Body {}

    public record Needs(int schema, List<String> types, String image) implements Body {
        public Needs {
            types = List.copyOf(types);
        }
    }

    public record Finding(String check, String verdict, String detail, String repair) {}

    /** @param nowMillis the parent's clock */
    public record Findings(int schema, List<Finding> findings, long nowMillis) implements Body {
        public Findings {
            findings = List.copyOf(findings);
        }
    }
}
