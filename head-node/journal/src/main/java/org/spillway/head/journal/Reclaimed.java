package org.spillway.head.journal;

import java.util.List;
import org.spillway.policy.Money;
import org.spillway.stage.Checksum;

/**
 * Attempts of a job that ended as their nodes were taken back with notice, and its checkpoint: the bundles that the last of
 * them has left, or what had come home of the last whose node was lost.
 *
 * @param times how many attempts
 * @param savedMillis time on nodes whose work is in the checkpoint, all together; 0 when that is lost
 * @param saved price of that time; zero in what releases have journalled that did not count it
 * @param attempt the last that left anything; 0 for none
 * @param site where a staging space holds the checkpoint; empty for none, and in what releases have journalled that did not
 *     take it anywhere
 * @param store that staging space; empty for none
 * @param left bundles of its ranks, in their order; none when the checkpoint has gone, or has yet to be made of rounds
 * @param way how far it has come on its way home
 */
public record Reclaimed(
        int times,
        long savedMillis,
        Money saved,
        int attempt,
        String site,
        String store,
        List<Checksum> left,
        Way way) {
    public static final Reclaimed NEVER = new Reclaimed(0, 0, Money.ZERO, 0, "", "", List.of(), Way.REGION);

    /** Places of a checkpoint. */
    public enum Way {
        /** Only in the region of its site. */
        REGION,
        /** At home as well, or only there: verified, hidden among the user's files. */
        HOME,
        /** Only in the region, as home does not take it. */
        STAYS,
        /** At home among the job's outputs, as the rounds of the attempt put it there: a bundle is to be made of it. */
        ROUNDS
    }

    public Reclaimed {
        // Absent in what earlier releases have journalled.
        saved = saved == null ? Money.ZERO : saved;
        site = site == null ? "" : site;
        way = way == null ? Way.REGION : way;
        left = List.copyOf(left);
    }

    /** Whether there is a checkpoint. */
    public boolean isLeft() {
        return !left.isEmpty() || way == Way.ROUNDS;
    }

    /** Whether the checkpoint would be lost with that site. */
    public boolean isOnlyIn(String name) {
        return isLeft() && way == Way.REGION && site.equals(name);
    }

    public long bytes() {
        return left.stream().mapToLong(Checksum::bytes).sum();
    }

    /** With an attempt more that left nothing; the checkpoint of an earlier one stays. */
    public Reclaimed again() {
        return new Reclaimed(times + 1, savedMillis, saved, attempt, site, store, left, way);
    }

    /** The next attempts begin anew. */
    public Reclaimed withoutLeft() {
        return new Reclaimed(times, 0, Money.ZERO, 0, "", "", List.of(), Way.REGION);
    }

    /** @param bound the job's site: what another holds may be removed there */
    public Reclaimed atHome(String bound) {
        boolean there = site.equals(bound);
        return new Reclaimed(times, savedMillis, saved, attempt, there ? site : "", there ? store : "", left, Way.HOME);
    }

    /** The checkpoint of an attempt whose rounds came home, which takes the place of an earlier one's. */
    public Reclaimed ofRounds(int of, long millis, Money price) {
        return new Reclaimed(times, millis, price, of, "", "", List.of(), Way.ROUNDS);
    }

    /** The rounds are bundles now, hidden at home. */
    public Reclaimed gathered(List<Checksum> bundles) {
        return new Reclaimed(times, savedMillis, saved, attempt, "", "", bundles, Way.HOME);
    }

    public Reclaimed staying() {
        return new Reclaimed(times, savedMillis, saved, attempt, site, store, left, Way.STAYS);
    }

    /** The checkpoint at home has been brought to another region. */
    public Reclaimed sentTo(String name, String newStore) {
        return new Reclaimed(times, savedMillis, saved, attempt, name, newStore, left, way);
    }

    /** The job goes to another site. */
    Reclaimed leaving(String next) {
        if (!isLeft() || site.equals(next)) {
            return this;
        }
        return switch (way) {
            case HOME -> atHome(next);
            case REGION -> site.isEmpty() ? withoutLeft() : this;
            case STAYS -> withoutLeft();
            case ROUNDS -> this;
        };
    }
}
