package org.spillway.head.command;

import org.spillway.head.config.HeadConfig;

/** Runs a head until it is stopped. */
public interface HeadStarter {
    /** @return the exit code of the command */
    int run(HeadConfig config);
}
