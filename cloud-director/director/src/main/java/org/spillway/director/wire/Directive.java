package org.spillway.director.wire;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that the head wants of a director now.
 *
 * @param schema {@link #SCHEMA}
 * @param site the site's name; a director refuses another's directive
 * @param sequence grows with every directive of a head, over restarts too; an older one is ignored
 * @param leaseSeconds how long a granted lease lasts. A director renews a node's lease to no later than this long after
 *     the last directive that named the node
 * @param launches join tokens that are valid now
 * @param joins answers to join requests, repeated until the node has joined
 * @param nodes nodes whose lease may be renewed; any other node is told to stop its job and power off
 * @param jobs job attempts that should be running or are to be stopped; a job that is not named may be forgotten
 * @param programs of the workload managers that {@code nodes} are granted
 * @param image what new nodes take; an empty digest until one is replicated
 * @param directory where the head's directory can be read now
 * @param isolation what nodes do that cannot keep jobs apart; null, from an earlier release, as {@link Isolation#PREFERRED}
 * @param mounts storage of the site's nodes; null, from an earlier release, for none
 * @param reach what jobs may read at home without having named it; null for nothing, and of a head before that
 * @param forwards services of home that jobs may reach; null for none, and of a head before that
 */
public record Directive(
        int schema,
        String site,
        long sequence,
        int leaseSeconds,
        List<LaunchGrant> launches,
        List<JoinAnswer> joins,
        List<NodeGrant> nodes,
        List<JobOrder> jobs,
        List<ManagerGrant.Program> programs,
        ImageGrant image,
        DirectoryGrant directory,
        @Nullable Isolation isolation,
        @Nullable Mounts mounts,
        @Nullable Reach reach,
        @Nullable Forwards forwards) {
    /** 2: grants of any workload manager, where 1 had those of one of them. */
    public static final int SCHEMA = 2;

    public Directive {
        launches = List.copyOf(launches);
        joins = List.copyOf(joins);
        nodes = List.copyOf(nodes);
        jobs = List.copyOf(jobs);
        programs = List.copyOf(programs);
    }

    /**
     * Whose joining is expected. The director sees the token's SHA-256 (hex) only.
     *
     * @param deadlineEpochSeconds by the head's clock, which may be hours off the director's: only directors of earlier
     *     releases go by it
     * @param secondsLeft until then, from when the directive was sent; below 0 when it has passed
     */
    public record LaunchGrant(String intent, String tokenSha256, long deadlineEpochSeconds, long secondsLeft) {
        /** As it is sent. @param head its time */
        public LaunchGrant at(Instant head) {
            return new LaunchGrant(
                    intent, tokenSha256, deadlineEpochSeconds, deadlineEpochSeconds - head.getEpochSecond());
        }
    }

    /** The head's word on one join request: a certificate (PEM, with the site CA behind it), or a refusal. */
    public record JoinAnswer(String request, String node, boolean accepted, String certificate, String reason) {}

    /**
     * A node that may live.
     *
     * @param manager what it needs to serve a workload manager with a daemon on it; null when it does not
     * @param profile what it is to be; null for one with the directive's image and nothing else
     * @param left what runs there and is not ordered goes on until it ends: the head does not know all that it has ordered
     * @param ahead inputs that it fetches before any job there has them; null for none, and of a head before that
     */
    public record NodeGrant(
            String node,
            @Nullable ManagerGrant manager,
            @Nullable NodeProfile profile,
            boolean left,
            @Nullable Ahead ahead) {
        public NodeGrant(String node, @Nullable ManagerGrant manager, @Nullable NodeProfile profile) {
            this(node, manager, profile, false, null);
        }

        /** The same, of which the head may not know all jobs. */
        public NodeGrant leftAsItIs() {
            return new NodeGrant(node, manager, profile, true, ahead);
        }

        /** The same, with inputs of jobs that it is likely to get; none is none. */
        public NodeGrant with(List<Coming> inputs) {
            return new NodeGrant(node, manager, profile, left, inputs.isEmpty() ? null : new Ahead(inputs));
        }

        public NodeGrant(String node, @Nullable ManagerGrant manager) {
            this(node, manager, null);
        }

        public NodeGrant(String node) {
            this(node, null);
        }
    }

    /** Inputs that are on their way to the region: a node fetches what has come of them, and waits for the rest. */
    public record Ahead(List<Coming> inputs) {
        public Ahead {
            inputs = List.copyOf(inputs);
        }
    }

    /** The input of a job that has no node yet. @param user login name */
    public record Coming(String job, int uid, int gid, String user) {}

    /**
     * A node's profile: what it is to be. One that passed its gate in an earlier turn leaves service and passes it
     * again; within a turn it keeps what it has.
     *
     * @param turn grows with each change of the node; 0 for what it was launched as
     * @param image an empty digest until it is replicated, and all overlays are
     * @param overlays trees that lie beside the image, in the order in which they are looked through
     * @param category by which it has its mounts; null, also from an earlier release, for none
     */
    public record NodeProfile(
            int turn,
            ImageGrant image,
            List<ImageGrant> overlays,
            @Nullable Category category) {
        /** The check of the gate that says which turn was passed, in its detail. */
        public static final String CHECK = "turn";

        public NodeProfile {
            overlays = List.copyOf(overlays);
        }
    }

    /**
     * A kind of nodes.
     *
     * @param name not empty
     * @param drift how its nodes look at the version that they have; null for not at all, and of a head before that
     */
    public record Category(String name, @Nullable Drift drift) {}

    /**
     * Looks at whether the root of a node's jobs is still its version.
     *
     * @param policy {@code report}, {@code drain} or {@code repair}
     * @param periodSeconds between two looks, at least 1
     */
    public record Drift(String policy, int periodSeconds) {
        /** The check of a report that says what was found, in its detail. */
        public static final String CHECK = "drift";
    }

    /**
     * The image that nodes fetch; {@code signature} as in {@code org.spillway.image.ImageVersion}.
     *
     * @param root what makes the file a root file system in which jobs live; null for an archive that is unpacked
     */
    public record ImageGrant(
            String name,
            String sha256,
            long bytes,
            String signature,
            @Nullable Root root) {
        public static final ImageGrant NONE = archive("", "", 0, "");

        /** A grant of a tree that is unpacked. */
        public static ImageGrant archive(String name, String sha256, long bytes, String signature) {
            return new ImageGrant(name, sha256, bytes, signature, null);
        }

        /** Digest of the version that jobs have as their root; empty for an archive. */
        public String version() {
            return root == null ? "" : root.version();
        }
    }

    /**
     * A file that is mounted, and a job's root.
     *
     * @param version the digest of what is in it, file by file
     * @param verity root hash of its dm-verity tree, 64 hex digits; {@code -} for none
     * @param data bytes in front of that tree
     */
    public record Root(String version, String verity, long data) {
        /** The check of the gate whose detail is {@code VERSION KERNEL}, of the root that is mounted and the kernel that runs. */
        public static final String CHECK = "root";
    }

    /**
     * The head's LDAP provider as it is seen from the director: a port that the SSH link forwards, on the director's
     * loopback. The password is this site's own; a director keeps it in memory only.
     *
     * @param port 0 when there is none now
     */
    public record DirectoryGrant(int port, String baseDn, String bindDn, String password) {
        public static final DirectoryGrant NONE = new DirectoryGrant(0, "", "", "");

        /** Without the password: this text may reach a log. */
        @Override
        public String toString() {
            return "DirectoryGrant[port=" + port + ", baseDn=" + baseDn + "]";
        }
    }
}
