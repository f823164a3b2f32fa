package org.spillway.director;

import java.util.Base64;
import java.util.Optional;
import org.spillway.director.wire.Directive.SlurmGrant;
import org.spillway.director.wire.JobOrder.Foreign;

/** Whether what the head says about Slurm can be carried out as it is, and means what it says in a line of text. */
final class SlurmCheck {
    /** Of a UNIX socket's address, with the NUL. */
    private static final int LONGEST_SOCKET = 107;

    private static final int LEAST_KEY_BYTES = 32;
    private static final int MOST_KEY_BYTES = 1024;
    private static final int LONGEST_FOLDER_BYTES = 4096;

    private SlurmCheck() {}

    /** The fault in a grant; empty when there is none. Never holds the key. */
    static Optional<String> problem(SlurmGrant grant) {
        if (!grant.slot().matches("[a-z0-9][a-z0-9-]{0,63}")) {
            return Optional.of("the slot is malformed");
        }
        if (grant.turn() != null
                && (grant.turn().startedEpochSeconds() < 0 || grant.turn().missed() < 0)) {
            return Optional.of("the turn is malformed");
        }
        if (!grant.controller().matches("[A-Za-z0-9.-]{1,253}:[0-9]{1,5}|\\[[0-9a-fA-F:.]{2,45}]:[0-9]{1,5}")) {
            return Optional.of("the controller is not HOST:PORT");
        }
        if (!grant.mungeSocket().matches("(/[A-Za-z0-9_-][A-Za-z0-9._-]*)+")
                || grant.mungeSocket().length() > LONGEST_SOCKET) {
            return Optional.of("the munge socket is not a plain absolute path of " + LONGEST_SOCKET + " bytes");
        }
        int bytes = key(grant).length;
        return bytes < LEAST_KEY_BYTES || bytes > MOST_KEY_BYTES
                ? Optional.of("the munge key is not base64 of " + LEAST_KEY_BYTES + " to " + MOST_KEY_BYTES + " bytes")
                : Optional.empty();
    }

    /** The fault in a foreign job's place; empty when there is none. */
    static Optional<String> problem(Foreign foreign) {
        if (!foreign.job().matches("[0-9]{1,10}")) {
            return Optional.of("the foreign job's id is not a number");
        }
        boolean plain = foreign.folder().startsWith("/")
                && foreign.folder().chars().noneMatch(Character::isISOControl)
                && Digests.utf8(foreign.folder()).length <= LONGEST_FOLDER_BYTES;
        return plain ? Optional.empty() : Optional.of("the foreign job's folder is not an absolute path");
    }

    /** The bytes of the key; none when it is malformed. */
    static byte[] key(SlurmGrant grant) {
        try {
            return Base64.getDecoder().decode(grant.mungeKey());
        } catch (IllegalArgumentException notBase64) {
            return new byte[0];
        }
    }
}
