package org.spillway.scaler.policyhost;

/**
 * Something that is wrong with a policy's file.
 *
 * @param line and column, from 1; 0 where it is about the whole file
 */
public record Finding(String file, long line, long column, String message) {
    public Finding {
        message = Plain.text(message);
    }

    static Finding ofFile(String file, String message) {
        return new Finding(file, 0, 0, message);
    }

    /** {@code file:line:column: message}, with what is not known left out. */
    @Override
    public String toString() {
        String place = line < 1 ? file : column < 1 ? file + ":" + line : file + ":" + line + ":" + column;
        return place + ": " + message;
    }
}
