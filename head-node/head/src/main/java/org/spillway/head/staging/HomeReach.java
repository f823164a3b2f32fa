package org.spillway.head.staging;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.journal.Journal;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.stage.reach.Messages;

/** Answers what jobs that run in a site ask of their users' homes, with these users' rights (ADR 67). */
public final class HomeReach implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HomeReach.class);
    /** While answers of a director are on their way, the next question finds somebody who waits. */
    private static final int WAITING = 4;

    /** Of all sites; a site's own bound is its director's, which may be anybody's by now. */
    private static final int MOST_UNDER_WAY = 512;

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Function<String, Optional<DirectorTarget>> directors;
    private final DirectorLink link;
    private final Journal journal;
    private final Set<String> sites;
    private final HomeAnswers answers;
    private final Set<UnderWay> underWay = ConcurrentHashMap.newKeySet();
    private final List<Thread> threads = new ArrayList<>();

    private record UnderWay(String site, Messages.Asked asked) {}

    /**
     * @param directors that serve now, by site
     * @param sites whose jobs may ask
     */
    public HomeReach(
            Function<String, Optional<DirectorTarget>> directors,
            DirectorLink link,
            Journal journal,
            Set<String> sites,
            HomeAnswers answers) {
        this.directors = directors;
        this.link = link;
        this.journal = journal;
        this.sites = Set.copyOf(sites);
        this.answers = answers;
    }

    public HomeReads reads() {
        return answers.reads();
    }

    /** Begins to ask the directors. Once. */
    public HomeReach begin() {
        for (String site : sites) {
            for (int each = 0; each < WAITING; each++) {
                threads.add(
                        Thread.ofVirtual().name("home within reach of " + site).start(() -> serve(site)));
            }
        }
        return this;
    }

    private void serve(String site) {
        try {
            while (true) {
                Optional<DirectorTarget> director =
                        journal.jobsOf(site).isEmpty() ? Optional.empty() : directors.apply(site);
                if (director.isEmpty() || !turn(director.get())) {
                    Thread.sleep(PAUSE);
                }
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    /** @return whether the director was reached */
    private boolean turn(DirectorTarget director) {
        try {
            for (Messages.Asked asked : Messages.readAsked(link.reachQuestions(director))) {
                UnderWay one = new UnderWay(director.site(), asked);
                // A home that hangs is asked once, and not each time that its question is given out again. What finds
                // no room now is
                // given out again, too.
                if (underWay.size() < MOST_UNDER_WAY && underWay.add(one)) {
                    Thread.ofVirtual().start(() -> {
                        try {
                            answer(director, asked);
                        } finally {
                            underWay.remove(one);
                        }
                    });
                }
            }
            return true;
        } catch (LinkDownException down) {
            LOG.debug("site {}: {}", director.site(), down.getMessage());
        } catch (IOException | IllegalArgumentException malformed) {
            LOG.warn("site {}: its director asks for what cannot be read: {}", director.site(), malformed.toString());
        }
        return false;
    }

    private void answer(DirectorTarget director, Messages.Asked asked) {
        try {
            var told = new Messages.Told(asked.number(), answers.reply(director.site(), asked));
            link.reachAnswer(director, told);
            answers.count(asked, told.reply());
        } catch (LinkDownException down) {
            // The director gives the question out again.
            LOG.debug("site {}: {}", director.site(), down.getMessage());
        }
    }

    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
    }
}
