package org.spillway.head.staging;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Reclaimed;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.head.loop.port.Stager;
import org.spillway.head.past.AttemptNumbers;
import org.spillway.stage.Checksum;
import org.spillway.stage.transfer.Transfer;
import org.spillway.stage.worker.Bundles;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.Identity;
import org.spillway.stage.worker.UserFiles;
import org.spillway.stage.worker.UserFiles.Packed;
import org.spillway.stage.worker.UserWorkers;

/**
 * Staging between a user's files, which only a worker with that user's rights touches, and a site's staging space. A
 * cut-off copy goes on from the last byte that the other side holds; what arrived is verified there.
 */
public final class SiteStager implements Stager {
    private static final Logger LOG = LoggerFactory.getLogger(SiteStager.class);

    /** A user's worker that copies is not waited for by one who submits. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    /** A tar without members, as nodes write it. */
    private static final Checksum NO_MEMBERS =
            new Checksum(10_240, "84ff92691f909a05b224e1c56abb4864f01b4f8e3c854e4bb4c7baf1d3f6d652");

    private final DirectorLink link;
    private final UserWorkers workers;
    private final Owners owners;
    private final InputFinder finder;
    private final InputStaging inputs;
    private final Predicate<JobRecord> followed;

    /**
     * Other ends than home.
     *
     * @param networks private ones that inputs may come from, as {@code ADDRESS/BITS}
     * @param trust certificates in PEM that are trusted besides the usual ones; empty for none
     * @param mostBytes of one job's inputs that may come from there
     */
    public record Elsewhere(List<String> networks, String trust, long mostBytes) {
        public Elsewhere {
            networks = List.copyOf(networks);
        }

        UserFiles.Reach reach(boolean sizes, int files) {
            return new UserFiles.Reach(networks, trust, sizes, files);
        }
    }

    /**
     * The digests of users' files, which are kept.
     *
     * @param folder a file in it for each user
     */
    public record Books(Path folder, InstantSource clock) {}

    /**
     * Data and projects that may not leave home.
     *
     * @param isHome whether a site is at home
     * @param isPinned whether a real path may not leave home
     */
    public record Boundary(Predicate<String> isHome, Predicate<Path> isPinned) {}

    /** Whose rights a job's files are touched with. */
    @FunctionalInterface
    public interface Owners {
        /** @throws FileRefused where they would be another's than those of whom the job was submitted as */
        Identity of(JobSpec spec) throws FileRefused;
    }

    /** @param followed whether outputs of a job are inputs of another that is to come */
    public SiteStager(
            DirectorLink link,
            UserWorkers workers,
            Owners owners,
            Boundary boundary,
            Books books,
            Elsewhere elsewhere,
            Predicate<JobRecord> followed) {
        this.followed = followed;
        this.finder = new InputFinder(boundary, elsewhere, books.clock());
        this.link = link;
        this.workers = workers;
        this.owners = owners;
        this.inputs = new InputStaging(link, finder, books);
    }

    private UserFiles as(JobSpec spec) throws FileRefused {
        return workers.as(owners.of(spec));
    }

    /** Of whom files are written: inputs may be others from now on. */
    private UserFiles changing(JobSpec spec) throws FileRefused {
        InputFinder.Owned user = owned(spec);
        finder.recent().forget(user.who());
        return user.files();
    }

    private InputFinder.Owned owned(JobSpec spec) throws FileRefused {
        Identity who = owners.of(spec);
        return new InputFinder.Owned(who, workers.as(who));
    }

    @Override
    public Extent measure(JobSpec spec) throws FileRefused, IOException {
        InputFinder.Inputs inputs = finder.find(owned(spec), spec, true, !InputStaging.beginsAtOnce(spec));
        List<Packed> files = inputs.all();
        return new Extent(files.size(), files.isEmpty() ? 0 : Bundles.length(files), inputs.pinned());
    }

    @Override
    public Found look(JobSpec spec, JobSpec.Input input) throws FileRefused, IOException {
        return finder.look(owned(spec), input);
    }

    @Override
    public String pinnedImage(JobSpec spec, String image) throws FileRefused, IOException {
        return as(spec).image(image, finder.elsewhere().trust(), false);
    }

    @Override
    public Optional<List<UserFiles.Place>> look(JobSpec spec, List<UserFiles.Wish> wishes)
            throws FileRefused, IOException {
        return as(spec).look(wishes, PATIENCE);
    }

    @Override
    public JobRun.Staged stageIn(
            DirectorTarget director, JobRecord job, String store, @Nullable JobRecord alike, LongConsumer moved)
            throws FileRefused, IOException, LinkDownException {
        return inputs.stageIn(director, owned(job.spec()), job, store, alike, moved);
    }

    @Override
    public void bringHome(DirectorTarget director, JobRecord job, LongConsumer moved)
            throws FileRefused, IOException, LinkDownException {
        UserFiles user = as(job.spec());
        try (Transfer transfer = link.staging(director)) {
            List<JobRun.Rank> ranks = job.run().ranks();
            KeptResults kept = new KeptResults(link.pieces(director), job);
            boolean isFollowed = followed.test(job);
            long before = 0;
            for (int rank = 0; rank < ranks.size(); rank++) {
                Checksum checksum = checksum(ranks.get(rank));
                if (checksum != null) {
                    if (isFollowed) {
                        kept.begin(rank);
                    }
                    String key = Orders.outputKey(job.id(), job.run().attempt(), rank);
                    var what = new HomeBundle(HiddenBundles.of(job, rank), key, tag(job), checksum);
                    what.bring(user, transfer, shifted(moved, before));
                    before += checksum.bytes();
                }
            }
            kept.await();
        }
    }

    private static LongConsumer shifted(LongConsumer moved, long before) {
        return bytes -> moved.accept(before + bytes);
    }

    /** Null where there is nothing to bring home: such a job needs no folder there. */
    private static @Nullable Checksum checksum(JobRun.Rank rank) {
        JobRun.End end = rank.end();
        return end == null || NO_MEMBERS.equals(end.results()) ? null : end.results();
    }

    @Override
    public Synced sync(DirectorTarget director, JobRecord job, Round round)
            throws FileRefused, IOException, LinkDownException {
        UserFiles user = changing(job.spec());
        int attempt = job.run().attempt();
        String key = Orders.syncKey(job.id(), attempt, round.rank(), round.number());
        String tag = syncTag(job.id(), attempt);
        List<Path> places = HiddenBundles.of(job, round.rank());
        try (Transfer transfer = link.staging(director)) {
            Path bundle = new HomeBundle(places, key, tag, round.bundle()).bring(user, transfer, bytes -> {});
            UserFiles.Unpacked unpacked = user.unpackRound(
                    bundle,
                    tag,
                    round.bundle(),
                    GrowingStreams.rules(job.spec(), round.rank(), tag(job)),
                    round.number());
            user.abandon(bundle, tag);
            int files = 0;
            long bytes = 0;
            for (UserFiles.Taken taken : unpacked.rules()) {
                files += taken.files();
                bytes += taken.bytes();
            }
            List<UserFiles.Failure> failures = unpacked.failures();
            return new Synced(
                    files,
                    bytes,
                    failures.isEmpty() ? "" : failures.getFirst().said(),
                    failures.stream().anyMatch(failure -> !failure.refused()));
        }
    }

    @Override
    public List<Grown> grow(DirectorTarget director, JobRecord job, List<Growing> streams)
            throws FileRefused, IOException, LinkDownException {
        return new GrowingStreams(link, director, job, as(job.spec()), tag(job)).grow(streams);
    }

    private static boolean lies(UserFiles user, Path bundle, String tag) throws IOException {
        try {
            return user.partBytes(bundle, tag) > 0;
        } catch (FileRefused notThere) {
            return false;
        }
    }

    @Override
    public JobRun.Published publish(JobRecord job) throws FileRefused, IOException {
        UserFiles user = changing(job.spec());
        Publication publication = new Publication(job.spec().outputs());
        List<JobRun.Rank> ranks = job.run().ranks();
        // From the last rank to the first: where several have made one file, that of the lowest rank stays.
        for (int rank = ranks.size() - 1; rank >= 0; rank--) {
            Checksum checksum = checksum(ranks.get(rank));
            if (checksum == null) {
                continue;
            }
            Path bundle = new HomeBundle(HiddenBundles.of(job, rank), "", tag(job), checksum).place(user);
            UserFiles.Unpacked unpacked =
                    user.unpack(bundle, tag(job), checksum, GrowingStreams.rules(job.spec(), rank, tag(job)));
            if (unpacked.skipped() > 0 && job.run().homeward() == null) {
                LOG.warn(
                        "job {}: {} members of its results are not put anywhere: {}",
                        job.id(),
                        unpacked.skipped(),
                        unpacked.reasons());
            }
            publication.add(unpacked, HiddenBundles.part(bundle, tag(job)));
        }
        return publication.result();
    }

    @Override
    public void bringCheckpoint(DirectorTarget director, JobRecord job)
            throws FileRefused, IOException, LinkDownException {
        UserFiles user = as(job.spec());
        try (Transfer transfer = link.staging(director)) {
            for (HomeBundle bundle : checkpoint(job)) {
                if (!NO_MEMBERS.equals(bundle.checksum())) {
                    bundle.bring(user, transfer, bytes -> {});
                }
            }
        }
    }

    @Override
    public void sendCheckpoint(DirectorTarget director, JobRecord job)
            throws FileRefused, IOException, LinkDownException {
        UserFiles user = as(job.spec());
        try (Transfer transfer = link.staging(director)) {
            for (HomeBundle bundle : checkpoint(job)) {
                if (NO_MEMBERS.equals(bundle.checksum())) {
                    transfer.send(bundle.key(), 0, new ByteArrayInputStream(new byte[(int) NO_MEMBERS.bytes()]));
                    transfer.seal(bundle.key(), NO_MEMBERS);
                } else {
                    bundle.send(user, transfer);
                }
            }
        }
    }

    @Override
    public List<Checksum> gatherCheckpoint(JobRecord job) throws FileRefused, IOException {
        UserFiles user = as(job.spec());
        Reclaimed left = job.run().reclaimed();
        List<Checksum> made = new ArrayList<>();
        for (int rank = 0; left != null && rank < job.spec().nodes(); rank++) {
            made.add(user.gather(
                    HiddenBundles.of(job, rank), syncTag(job.id(), left.attempt()), tag(job, left.attempt())));
        }
        return made;
    }

    private static List<HomeBundle> checkpoint(JobRecord job) {
        Reclaimed left = job.run().reclaimed();
        List<HomeBundle> bundles = new ArrayList<>();
        for (int rank = 0; left != null && rank < left.left().size(); rank++) {
            String key = Orders.outputKey(job.id(), left.attempt(), rank);
            bundles.add(new HomeBundle(
                    HiddenBundles.of(job, rank),
                    key,
                    tag(job, left.attempt()),
                    left.left().get(rank)));
        }
        return bundles;
    }

    @Override
    public void forget(JobRecord job) throws FileRefused, IOException {
        UserFiles user = as(job.spec());
        FileRefused refused = null;
        // An earlier attempt may have been lost on its way home.
        for (int attempt : AttemptNumbers.upTo(job.run().attempt()).toArray()) {
            for (int rank = 0; rank < job.spec().nodes(); rank++) {
                for (Path added : GrowingStreams.added(job.spec(), rank)) {
                    user.abandon(UserFiles.added(added), tag(job, attempt));
                }
                for (Path bundle : HiddenBundles.of(job, rank)) {
                    try {
                        user.abandon(bundle, tag(job, attempt));
                        if (job.spec().data().syncSeconds() > 0) {
                            String rounds = syncTag(job.id(), attempt);
                            user.abandon(bundle, rounds);
                            user.abandon(bundle, UserFiles.roundsTag(rounds));
                        }
                    } catch (FileRefused e) {
                        // The others still have to go; where there was none nothing is left.
                        refused = lies(user, bundle, tag(job, attempt)) ? e : refused;
                    }
                }
            }
        }
        if (refused != null) {
            throw refused;
        }
    }

    @Override
    public void clean(DirectorTarget director, String job) throws IOException, LinkDownException {
        try (Transfer transfer = link.staging(director)) {
            transfer.remove("jobs/" + job);
        }
    }

    /** Part files bear job and attempt, so that those of two attempts never mix. */
    private static String tag(JobRecord job) {
        return tag(job, job.run().attempt());
    }

    /** The same for all rounds of an attempt: a head that was killed in one leaves no more than one behind. */
    private static String syncTag(String job, int attempt) {
        return job + "-" + attempt + "-sync";
    }

    private static String tag(JobRecord job, int attempt) {
        return job.id() + "-" + attempt;
    }
}
