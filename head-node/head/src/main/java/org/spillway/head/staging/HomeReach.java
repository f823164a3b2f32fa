package org.spillway.head.staging;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.wire.Reach;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.stage.reach.Messages;
import org.spillway.stage.reach.Question;
import org.spillway.stage.reach.Reply;
import org.spillway.stage.reach.Reply.Status;
import org.spillway.stage.worker.UserFiles;
import org.spillway.stage.worker.UserWorkers;

/** Answers what jobs that run in a site ask of their users' homes, with these users' rights (ADR 67). */
public final class HomeReach implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HomeReach.class);
    /** While answers of a director are on their way, the next question finds somebody who waits. */
    private static final int WAITING = 4;

    /** Of all sites; a site's own bound is its director's, which may be anybody's by now. */
    private static final int MOST_UNDER_WAY = 512;

    /** Where programs keep what opens other doors: the worker that reads it for inputs gives it to nobody either. */
    private static final List<String> KEYS = List.of(
            ".ssh",
            ".gnupg",
            ".netrc",
            ".aws",
            ".azure",
            ".kube",
            ".docker",
            ".config/gcloud",
            ".config/openstack",
            ".config/rclone",
            ".git-credentials",
            ".pgpass");

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Function<String, Optional<DirectorTarget>> directors;
    private final DirectorLink link;
    private final Journal journal;
    private final Users users;
    private final Places places;
    private final HomeReads reads = new HomeReads();
    private final Set<UnderWay> underWay = ConcurrentHashMap.newKeySet();
    private final List<Thread> threads = new ArrayList<>();

    private record UnderWay(String site, Messages.Asked asked) {}

    /**
     * Whose files they are.
     *
     * @param homes the folder of a login; empty for one that is not known
     */
    public record Users(UserWorkers workers, SiteStager.Owners owners, Function<String, Optional<String>> homes) {}

    /**
     * Where they lie.
     *
     * @param sites those whose jobs may ask
     * @param isHome whether a site is at home
     * @param pinned real paths that may not leave home
     */
    public record Places(Map<String, Reach> sites, Predicate<String> isHome, List<Path> pinned) {
        public Places {
            sites = Map.copyOf(sites);
            pinned = List.copyOf(pinned);
        }
    }

    /** @param directors that serve now, by site */
    public HomeReach(
            Function<String, Optional<DirectorTarget>> directors,
            DirectorLink link,
            Journal journal,
            Users users,
            Places places) {
        this.directors = directors;
        this.link = link;
        this.journal = journal;
        this.users = users;
        this.places = places;
    }

    public HomeReads reads() {
        return reads;
    }

    /** Begins to ask the directors. Once. */
    public HomeReach begin() {
        for (String site : places.sites().keySet()) {
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
            var told = new Messages.Told(asked.number(), reply(director.site(), asked));
            link.reachAnswer(director, Messages.told(told));
            count(asked, told.reply());
        } catch (LinkDownException down) {
            // The director gives the question out again.
            LOG.debug("site {}: {}", director.site(), down.getMessage());
        } catch (IOException impossible) {
            LOG.warn("site {}: an answer could not be made: {}", director.site(), impossible.toString());
        }
    }

    private void count(Messages.Asked asked, Reply reply) {
        Question question = asked.question();
        if (reply.status() != Status.OK) {
            return;
        }
        switch (question.kind()) {
            case READ -> reads.had(asked.job(), question.path(), reply.body().length);
            case WHOLE -> {
                List<Optional<byte[]>> contents = reply.contents();
                List<List<String>> files = question.files();
                for (int at = 0; at < contents.size(); at++) {
                    String path = question.path() + "/" + files.get(at).getFirst();
                    contents.get(at).ifPresent(bytes -> reads.had(asked.job(), path, bytes.length));
                }
            }
            case STAT, LIST -> {}
        }
    }

    /** A director speaks for the nodes that run an attempt now, and for nobody else. */
    private Reply reply(String site, Messages.Asked asked) {
        Optional<JobRecord> job = journal.liveJob(asked.job())
                .filter(one -> one.run().site().equals(site))
                .filter(one -> one.run().attempt() == asked.attempt())
                .filter(one -> one.run().nodes().contains(asked.node()));
        try {
            return job.isEmpty()
                    ? Reply.of(Status.DENIED)
                    : reply(site, job.get().spec(), asked.question());
        } catch (IOException failed) {
            LOG.debug("job {}: {}: {}", asked.job(), asked.question().path(), failed.getMessage());
            return Reply.of(Status.FAILED);
        }
    }

    private Reply reply(String site, JobSpec spec, Question question) throws IOException {
        Reach reach = places.sites().get(site);
        Optional<String> home = users.homes().apply(spec.user());
        if (reach == null || home.isEmpty()) {
            return Reply.of(Status.DENIED);
        }
        List<Path> roots = new ArrayList<>(List.of(Path.of(home.get())));
        reach.paths().forEach(path -> roots.add(Path.of(path)));
        List<Path> hidden = new ArrayList<>();
        KEYS.forEach(key -> hidden.add(Path.of(home.get(), key)));
        if (!places.isHome().test(site)) {
            hidden.addAll(places.pinned());
        }
        return users.workers().as(users.owners().of(spec)).reach(new UserFiles.Bounds(roots, hidden), question);
    }

    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
    }
}
