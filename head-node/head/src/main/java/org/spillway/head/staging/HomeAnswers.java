package org.spillway.head.staging;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.wire.Reach;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.stage.reach.Messages;
import org.spillway.stage.reach.Question;
import org.spillway.stage.reach.Reply;
import org.spillway.stage.reach.Reply.Status;
import org.spillway.stage.worker.UserFiles;

/** Who is told what of a user's home. Any thread. */
public final class HomeAnswers {
    private static final Logger LOG = LoggerFactory.getLogger(HomeAnswers.class);

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

    private final Journal journal;
    private final Users users;
    private final Places places;
    private final HomeReads reads = new HomeReads();

    /**
     * Whose files they are.
     *
     * @param homes the folder of a login; empty for one that is not known
     */
    public record Users(Files files, Function<String, Optional<String>> homes) {}

    /** Files of a job's user, read with that user's rights. */
    public interface Files {
        Reply reach(JobSpec spec, UserFiles.Bounds bounds, Question question) throws IOException;
    }

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

    public HomeAnswers(Journal journal, Users users, Places places) {
        this.journal = journal;
        this.users = users;
        this.places = places;
    }

    HomeReads reads() {
        return reads;
    }

    void count(Messages.Asked asked, Reply reply) {
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
    public Reply reply(String site, Messages.Asked asked) {
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
        return users.files().reach(spec, new UserFiles.Bounds(roots, hidden), question);
    }
}
