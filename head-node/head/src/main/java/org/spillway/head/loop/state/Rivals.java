package org.spillway.head.loop.state;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.spillway.head.journal.JournalFailure;

/**
 * Heads that were made of one state, told by the directors and by the machines of clusters on demand, which keep the highest
 * number that a head has sent: it grows with each, so one whose number grows while this head only asks has another master. A head whose state directory is not
 * where its last head ran asks so, and does nothing else, before it commands. One that was passed over meanwhile, because
 * it stood still for long, sees a number that it has not given. Either stops and ends nothing. Loop thread only.
 */
public final class Rivals {
    /** A head that lives speaks to its directors every two seconds at least. */
    static final Duration SILENCE = Duration.ofSeconds(3);
    /** So long nothing is begun for directors that do not answer; each is asked before its first directive all the same. */
    static final Duration PATIENCE = Duration.ofSeconds(15);

    /** The head of a cluster on demand hears its parent every four seconds. */
    static final Duration SILENCE_OF_CLUSTER = Duration.ofSeconds(9);

    private static final String CLUSTER = "cluster ";

    private final Instant startedAt;
    private boolean moved;
    private final Map<String, Long> firstTold = new HashMap<>();
    private final Map<String, Instant> firstAt = new HashMap<>();
    private final Set<String> clear = new HashSet<>();

    /** @param moved the last head of this state may live on, elsewhere */
    public Rivals(boolean moved, Instant startedAt) {
        this.moved = moved;
        this.startedAt = startedAt;
    }

    /** The name of a cluster on demand among those that are led. */
    public static String cluster(String id) {
        return CLUSTER + id;
    }

    private static String said(String led) {
        return led.startsWith(CLUSTER) ? led : "the director of site " + led;
    }

    private static Duration silence(String led) {
        return led.startsWith(CLUSTER) ? SILENCE_OF_CLUSTER : SILENCE;
    }

    /** Whether the director of that site, or that cluster, is asked, and told nothing. */
    public boolean onlyAsks(String site) {
        return moved && !clear.contains(site);
    }

    /**
     * Whether nothing is to be begun yet.
     *
     * @param led sites with a director, and clusters, that may obey another head
     */
    public boolean isHeldBack(Collection<String> led, Instant now) {
        return moved && !clear.containsAll(led) && now.isBefore(startedAt.plus(PATIENCE));
    }

    /** Whether it is known of all, and was not before. @param led as above */
    public boolean isSettledBy(Collection<String> led) {
        if (!moved || !clear.containsAll(led)) {
            return false;
        }
        moved = false;
        return true;
    }

    /**
     * Takes over a director's answer, or a cluster's.
     *
     * @param site or the name of a cluster
     * @param sent number of the directive; 0 for a mere question
     * @param told number of the directive that the director obeys; 0 for none
     * @param asked when that was
     * @throws JournalFailure if another head commands it: this one must end
     */
    public void heard(String site, long sent, long told, Instant asked) {
        if (sent > 0) {
            if (told > sent) {
                throw new JournalFailure("another head of this state has taken over " + said(site)
                        + ": this head stops, and ends nothing that runs. Run only one head of a state; what this one"
                        + " bought alone is kept, and 'spillway recover' of the other shows it");
            }
        } else if (onlyAsks(site)) {
            Long before = firstTold.get(site);
            if (before == null || told < before) {
                firstTold.put(site, told);
                firstAt.put(site, asked);
            } else if (told > before) {
                throw new JournalFailure(
                        "another head of this state is alive: it commands " + said(site)
                                + ". This state directory is a copy of that head's: this head stops, and has begun and ended"
                                + " nothing. Stop the other first, or give this one a cluster name and a state directory of its own");
            } else if (!asked.isBefore(firstAt.getOrDefault(site, asked).plus(silence(site)))) {
                clear.add(site);
            }
        }
    }
}
