package org.spillway.head.rest;

import java.util.Map;

/**
 * Runs the client's own commands in the head, for callers that send a command line in place of single requests. Found by
 * {@code ServiceLoader}.
 */
public interface CommandRunner {
    /**
     * Runs one.
     *
     * @param told the command line and what goes with it, as the launcher sends it
     * @param key under which a submission is known
     * @param ask the head as the caller sees it: this is all that the command may touch
     * @return what the launcher reads
     */
    byte[] run(byte[] told, String key, Ask ask);

    /** A question to this head as one caller. */
    interface Ask {
        /** @param path with its query, from {@code /api/v1} on */
        Reply ask(String method, String path, Map<String, String> headers, byte[] body);
    }

    /** @param body JSON, of an error too */
    record Reply(int status, byte[] body) {}
}
