package org.spillway.head.command;

import org.spillway.head.config.HeadConfig;

/** Runs a head until it is stopped. */
public interface HeadStarter {
    /**
     * @param newEpoch goes on with an empty journal beside old secrets, in quarantine
     * @return the exit code of the command
     */
    int run(HeadConfig config, boolean newEpoch);
}
