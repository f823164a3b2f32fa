package org.spillway.api;

/**
 * A piece of a running job's output.
 *
 * @param attempt that it is of; offsets count anew with each. 0 before the first
 * @param from offset of the first byte of {@code text}; more than was asked for when older bytes are not kept
 * @param end offset behind the last byte, to ask for more
 * @param over whether nothing more will come
 */
public record LogView(
        String id, int attempt, String stream, int rank, long from, long end, String text, boolean over) {}
