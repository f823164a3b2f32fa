package org.spillway.slurm.manager;

/**
 * When it is another one, a node looks whether its slurmd and slurmctld know the same.
 *
 * @param startedEpochSeconds when slurmctld was started
 * @param missed how often the head has missed the node in Slurm, and told it so
 */
public record SlurmTurn(long startedEpochSeconds, int missed) {
    /** As a word for the node. */
    public String word() {
        return startedEpochSeconds + "-" + missed;
    }
}
