package org.spillway.stage.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.spillway.stage.Checksum;

/**
 * A way to one staging space. Keys are relative paths of {@code [A-Za-z0-9._-]} segments divided by {@code /}, without
 * {@code .} and {@code ..} and without the ending {@code .part} ({@link Keys}); anything else is an {@link IllegalArgumentException}. An object is absent, growing or
 * sealed; sealed ones never change. Calls block; one instance may be used by several threads for different keys.
 */
public interface Transfer extends AutoCloseable {
    /** Bytes of a growing object that will not be asked for again; 0 when there is none; its length when sealed. */
    long received(String key) throws IOException;

    /**
     * Adds bytes to a growing object from {@code offset} on, which is at most {@link #received}; what lay behind it is
     * overwritten. A failure leaves a prefix that {@code received} tells.
     */
    void send(String key, long offset, InputStream bytes) throws IOException;

    /**
     * Verifies a growing object where it lies and makes it sealed, durably. Sealed already with this checksum is success.
     *
     * @throws ChecksumMismatch if it is something else; a growing object is removed then, so that the next send starts
     *     at 0, and one that was sealed before stays
     */
    void seal(String key, Checksum checksum) throws IOException;

    /** Whether it is sealed. */
    boolean isSealed(String key) throws IOException;

    /** Writes a sealed object's bytes from {@code offset} on to {@code sink}. */
    void receive(String key, long offset, OutputStream sink) throws IOException;

    /**
     * Makes a sealed object known under another key as well, without moving its bytes: they stay until both are removed.
     * What is growing under the other key is removed; one that is sealed there is replaced. May be repeated.
     *
     * @return false when {@code key} is not sealed: nothing has changed then
     */
    boolean share(String key, String other) throws IOException;

    /** Removes an object, or all below {@code key} when it is a prefix that ends in a segment; absent is success. */
    void remove(String key) throws IOException;

    @Override
    void close() throws IOException;
}
