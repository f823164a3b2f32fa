package org.spillway.cli.session;

import java.time.Duration;
import java.util.function.Consumer;
import org.spillway.api.session.Session;

/** Says when a session's line is cut for longer than a moment, and when it is there again. */
public final class LineWatch {
    static final Duration TOLD_AFTER = Duration.ofSeconds(3);

    private static final long LOOK_MILLIS = 500;

    private final Session session;
    private final String cut;
    private final Consumer<String> notices;

    /** @param cut what is said of it */
    public LineWatch(Session session, String cut, Consumer<String> notices) {
        this.session = session;
        this.cut = cut;
        this.notices = notices;
    }

    /** Goes on until the session's end. */
    public void start() {
        Thread.ofVirtual().name("session-notice").start(this::watch);
    }

    private void watch() {
        boolean told = false;
        try {
            while (session.goesOn()) {
                boolean away = session.away().compareTo(TOLD_AFTER) > 0;
                if (away && !told) {
                    notices.accept(cut);
                } else if (told && session.away().isZero()) {
                    notices.accept("the line is there again");
                }
                told = away || (told && !session.away().isZero());
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException over) {
            // Whoever waits for the end is told.
            told = true;
        }
    }
}
