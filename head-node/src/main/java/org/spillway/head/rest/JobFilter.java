package org.spillway.head.rest;

import java.util.OptionalInt;

/**
 * Which jobs to list.
 *
 * @param uid only this user's; empty for everybody's
 * @param ended whether those that have ended are listed too
 * @param limit 1 to 10000; the newest stay
 */
public record JobFilter(OptionalInt uid, boolean ended, int limit) {
    public static final int MOST = 10_000;

    public JobFilter {
        if (limit < 1 || limit > MOST) {
            throw new IllegalArgumentException("limit " + limit + " is not in 1 to " + MOST);
        }
    }
}
