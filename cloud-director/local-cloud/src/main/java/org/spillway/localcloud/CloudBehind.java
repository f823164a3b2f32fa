package org.spillway.localcloud;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The cloud, as a front with another provider's API may use it. What it returns is on disk. */
public interface CloudBehind {
    Instant now();

    Manner manner();

    List<String> zones();

    List<MachineType> types();

    /** A private folder in which a front keeps what only its API knows: networks, keys, groups. */
    Path stateFor(String api) throws IOException;

    /**
     * Called again with the same token it gives the same.
     *
     * @param ids for the instances, in order, never used before; the cloud makes those that are missing
     * @throws ApiError with a reason's name, or {@link ApiError#MISMATCH} for a token used with other parameters; but
     *     when none of several choices gives anything, a launch without instances says so by its parts
     */
    Launch launch(LaunchCommand command, List<String> ids) throws ApiError, IOException;

    /**
     * Instances that bear all of {@code tags}, behind {@code after} in the order of their ids, at most {@code limit}.
     */
    List<InstanceRecord> list(Map<String, String> tags, String after, int limit);

    /** Also for a while after its end. */
    Optional<InstanceRecord> find(String id);

    /** Unknown ids are passed over, here and below. */
    void terminate(Collection<String> ids) throws IOException;

    void stop(Collection<String> ids) throws IOException;

    /** @throws ApiError if there is no capacity */
    void start(Collection<String> ids) throws IOException, ApiError;

    /** Replaces all tags. */
    void tag(String id, Map<String, String> tags) throws IOException;

    /** The last {@code limitBytes} of the console; empty for an unknown id. */
    String console(String id, int limitBytes) throws IOException;

    /**
     * A fault that strikes here and now; its count goes down by one. {@link #launch} has taken those of a launch by
     * itself, but {@code LOST} and {@code SLOW}, which are about its answer.
     */
    Optional<Fault> strikes(Fault.Kind kind, String type, String zone);

    /**
     * @param reason why there are fewer than asked, a reason's name; empty if there are not
     * @param parts what each choice gave, for those that were asked; empty when there was only one choice
     */
    record Launch(List<InstanceRecord> instances, String reason, String message, List<Part> parts) {
        public Launch {
            instances = List.copyOf(instances);
            // Absent in what earlier releases have written down.
            parts = parts == null ? List.of() : List.copyOf(parts);
        }
    }

    /** @param reason why it gave fewer than were still missing, a reason's name; empty if it did not */
    record Part(String zone, String type, int count, String reason, String message) {}
}
