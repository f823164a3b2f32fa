package org.spillway.director.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a director knows now. Everything in it is a claim by a machine that may have been broken into: the head
 * checks what it acts on.
 *
 * @param schema {@link Directive#SCHEMA}
 * @param version the director's software version
 * @param boot random, new for each start of the process
 * @param store random, made with the staging space: another one means that what was staged is gone
 * @param sequence of the directive that this answers
 * @param images digests (hex SHA-256) of complete images here
 * @param directory state of the LDAP replica
 * @param stagingFreeBytes room in the staging space
 */
public record Report(
        int schema,
        String version,
        String boot,
        String store,
        long sequence,
        List<JoinRequest> joins,
        List<NodeReport> nodes,
        List<JobReport> jobs,
        List<String> images,
        DirectoryReport directory,
        long stagingFreeBytes) {
    public Report {
        joins = List.copyOf(joins);
        nodes = List.copyOf(nodes);
        jobs = List.copyOf(jobs);
        images = List.copyOf(images);
    }

    /**
     * A node asks to join. {@code address} is the one that the connection came from, not what the node says.
     *
     * @param request hex SHA-256 of the CSR: the same node asking again makes no second request
     */
    public record JoinRequest(String request, String intent, String instance, String address, String csr) {}

    /**
     * @param silentSeconds since the node was last heard
     * @param ready the admission gate has passed
     * @param imageSha256 digest that the node verified; empty before
     * @param gate what the gate found, in order; the first that failed is the reason
     * @param renewal the certificate that it asks for in place of its own; null for none, and from an earlier release
     * @param notice its provider's word that it takes the machine back; null for none, and from an earlier release
     */
    public record NodeReport(
            String node,
            double silentSeconds,
            boolean ready,
            String imageSha256,
            List<GateCheck> gate,
            @Nullable Renewal renewal,
            @Nullable Notice notice) {
        public NodeReport {
            gate = List.copyOf(gate);
        }
    }

    /**
     * A provider's notice, as its machine heard it.
     *
     * @param certain the machine is taken; else it may be soon
     * @param epochSeconds when, by the provider's clock; when the hint was given, for one that is not certain
     */
    public record Notice(boolean certain, long epochSeconds) {}

    /** A node wants another certificate. @param request hex SHA-256 of the CSR, as of a {@link JoinRequest} */
    public record Renewal(String request, String csr) {}

    /** A check of the admission gate. */
    public record GateCheck(String name, boolean passed, String detail) {
        /** The check that a node makes again while it serves. */
        public static final String HEALTH = "health";
    }

    /**
     * @param phase how far it is
     * @param exitCode of the script, 128 + signal when it was killed; null before the end
     * @param startedEpochMillis by the node's clock; 0 before
     * @param endedEpochMillis by the node's clock; 0 before
     * @param results the bundle that is sealed in the staging space; null before the end, and when none came there
     * @param message why it was refused or stopped; empty otherwise
     * @param ranAsUser whether it ran with the submitting user's uid
     * @param takenBack whether it was told to end because its machine is taken back; null for no, and from an earlier release
     * @param fetchedBytes of its input that its node has fetched for it, and did not have from another job; null before,
     *     without an input, and from an earlier release
     * @param synced a round of outputs that is sealed in the staging space; null for none, and from an earlier release
     * @param written how much the running job has written, as far as it came here; null for nothing, and from an earlier release
     */
    public record JobReport(
            String job,
            int attempt,
            String node,
            Phase phase,
            @Nullable Integer exitCode,
            long startedEpochMillis,
            long endedEpochMillis,
            @Nullable Results results,
            String message,
            boolean ranAsUser,
            @Nullable Boolean takenBack,
            @Nullable Long fetchedBytes,
            @Nullable Synced synced,
            @Nullable Written written) {

        /** Of whose input, and of whose machine, nobody has said anything. */
        public static JobReport of(
                String job,
                int attempt,
                String node,
                Phase phase,
                @Nullable Integer exitCode,
                long startedEpochMillis,
                long endedEpochMillis,
                @Nullable Results results,
                String message,
                boolean ranAsUser) {
            return new JobReport(
                    job,
                    attempt,
                    node,
                    phase,
                    exitCode,
                    startedEpochMillis,
                    endedEpochMillis,
                    results,
                    message,
                    ranAsUser,
                    null,
                    null,
                    null,
                    null);
        }

        /** Whether it was told to end because its machine is taken back. */
        public boolean wasTakenBack() {
            return takenBack != null && takenBack;
        }

        /** A job attempt as its node tells it. */
        public enum Phase {
            ACCEPTED,
            RUNNING,
            ENDED,
            REFUSED
        }
    }

    /**
     * A tar of outputs of a job that runs.
     *
     * @param round from 1, of the node's own counting
     */
    public record Synced(int round, long bytes, String sha256) {}

    /** Bytes of standard output and standard error. */
    public record Written(long stdout, long stderr) {}

    /** A tar of what one node's part of an attempt has left, under the key that its order names. */
    public record Results(long bytes, String sha256) {}

    /** @param entries in the replica; {@code connected} whether the sync with the head is up */
    public record DirectoryReport(int entries, boolean connected, String cookie) {
        public static final DirectoryReport NONE = new DirectoryReport(0, false, "");
    }
}
