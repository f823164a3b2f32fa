package org.spillway.head.link;

/**
 * A piece of what a running job wrote.
 *
 * @param from offset of the first byte; more than was asked for when older bytes are not kept
 * @param end offset behind the last byte, where the next question goes on
 */
public record LogPart(long from, long end, byte[] bytes) {
    public static final LogPart NOTHING = new LogPart(0, 0, new byte[0]);
}
