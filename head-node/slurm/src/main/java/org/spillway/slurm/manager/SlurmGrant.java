package org.spillway.slurm.manager;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.director.node.ShellText;
import org.spillway.director.wire.ManagerGrant;
import org.spillway.slurm.settings.SlurmSettings;

/**
 * The needs of a node's slurmd.
 *
 * @param slot the name that Slurm declares for it
 * @param controller {@code host:port} of slurmctld as the node reaches it
 * @param user its login name, which answers are sealed for
 * @param mungeSocket where Slurm's configuration says that munged listens
 * @param shared folders that the node has to have mounted
 * @param mungeKey base64
 * @param turn null while that is not known
 */
public record SlurmGrant(
        String slot,
        String controller,
        String user,
        String mungeSocket,
        List<String> shared,
        String mungeKey,
        @Nullable SlurmTurn turn) {
    public SlurmGrant {
        shared = List.copyOf(shared);
    }

    /** The node's part: slurmd and munged, Prolog and Epilog, what a job needs. */
    public static final String PROGRAM = ShellText.of(
            SlurmSettings.class,
            List.of(
                    "/org/spillway/slurm/node/slurm.sh",
                    "/org/spillway/slurm/node/gate.sh",
                    "/org/spillway/slurm/node/hooks.sh",
                    "/org/spillway/slurm/node/reach.sh",
                    "/org/spillway/slurm/node/job.sh"));

    /** As it goes over the wire; the names are those that the node's part reads. */
    public ManagerGrant onTheWire() {
        return new ManagerGrant(
                SlurmSettings.NAME,
                slot,
                Optional.ofNullable(turn).map(SlurmTurn::word).orElse(""),
                parameters(),
                List.of(new ManagerGrant.GrantedFile("munge.key", "400", mungeKey)));
    }

    private Map<String, String> parameters() {
        Map<String, String> all = new HashMap<>(Map.of("controller", controller, "user", user, "socket", mungeSocket));
        if (!shared.isEmpty()) {
            // The colon in front tells a list from a path.
            all.put("shared", ":" + String.join(":", shared));
        }
        return all;
    }

    /** Without the key: this text may reach a log. */
    @Override
    public String toString() {
        return "SlurmGrant[slot=" + slot + ", controller=" + controller + "]";
    }
}
