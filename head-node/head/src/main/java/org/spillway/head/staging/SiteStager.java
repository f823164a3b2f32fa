package org.spillway.head.staging;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.head.loop.port.Stager;
import org.spillway.head.past.AttemptNumbers;
import org.spillway.stage.Checksum;
import org.spillway.stage.store.PieceStore;
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
    private final Boundary boundary;
    private final Books books;

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

    public SiteStager(DirectorLink link, UserWorkers workers, Owners owners, Boundary boundary, Books books) {
        this.link = link;
        this.workers = workers;
        this.owners = owners;
        this.boundary = boundary;
        this.books = books;
    }

    private UserFiles as(JobSpec spec) throws FileRefused {
        return workers.as(owners.of(spec));
    }

    @Override
    public Extent measure(JobSpec spec) throws FileRefused, IOException {
        Inputs inputs = find(as(spec), spec);
        List<Packed> files = inputs.files();
        return new Extent(files.size(), files.isEmpty() ? 0 : Bundles.length(files), inputs.pinned());
    }

    @Override
    public Found look(JobSpec spec, JobSpec.Input input) throws FileRefused, IOException {
        int files = 0;
        long bytes = 0;
        String pinned = "";
        for (UserFiles.Found found : find(as(spec), input, MOST_FILES, MOST_BYTES)) {
            files++;
            bytes += found.bytes();
            if (pinned.isEmpty() && boundary.isPinned().test(Path.of(found.realPath()))) {
                pinned = found.path();
            }
        }
        return new Found(files, bytes, pinned);
    }

    /** @param pinned the path of a file that may not leave home; empty for none */
    private record Inputs(List<Source> sources, String pinned) {
        List<Packed> files() {
            return sources.stream().map(Source::file).toList();
        }
    }

    @Override
    public Optional<List<UserFiles.Place>> look(JobSpec spec, List<UserFiles.Wish> wishes)
            throws FileRefused, IOException {
        return as(spec).look(wishes, PATIENCE);
    }

    /** Every input's files under their names in the job's folder; the first input that makes a name has it. */
    private Inputs find(UserFiles user, JobSpec spec) throws FileRefused, IOException {
        Map<String, Source> files = new LinkedHashMap<>();
        String pinned = "";
        long bytes = 0;
        for (JobSpec.Input input : spec.inputs()) {
            for (UserFiles.Found found : find(user, input, MOST_FILES - files.size(), MOST_BYTES - bytes)) {
                if (pinned.isEmpty() && boundary.isPinned().test(Path.of(found.realPath()))) {
                    pinned = found.path();
                }
                Packed file = packed(input, found);
                bytes += files.putIfAbsent(file.name(), new Source(file, found.stamp())) == null ? file.bytes() : 0;
            }
        }
        Inputs inputs = new Inputs(List.copyOf(files.values()), pinned);
        try {
            Bundles.check(inputs.files());
        } catch (IllegalArgumentException e) {
            throw new FileRefused("the inputs do not go into one folder: " + e.getMessage());
        }
        return inputs;
    }

    private static List<UserFiles.Found> find(UserFiles user, JobSpec.Input input, int filesLeft, long bytesLeft)
            throws IOException {
        if (filesLeft < 1) {
            throw new FileRefused(input.pattern() + ": the job has more than " + MOST_FILES + " input files");
        }
        return user.find(input.pattern(), new UserFiles.Limits(filesLeft, bytesLeft));
    }

    private static Packed packed(JobSpec.Input input, UserFiles.Found found) throws FileRefused {
        try {
            String name = BundleNames.of(input, found.path());
            // The real path: a link that is turned elsewhere meanwhile leads nowhere new.
            return new Packed(found.realPath(), name, found.bytes(), found.modifiedNanos(), found.executable());
        } catch (IllegalArgumentException e) {
            throw new FileRefused(input.pattern() + ": " + e.getMessage());
        }
    }

    @Override
    public JobRun.Staged stageIn(
            DirectorTarget director, JobRecord job, String store, @Nullable JobRecord alike, LongConsumer moved)
            throws FileRefused, IOException, LinkDownException {
        UserFiles user = as(job.spec());
        Instant now = books.clock().instant();
        Inputs inputs = find(user, job.spec());
        if (!inputs.pinned().isEmpty() && !boundary.isHome().test(director.site())) {
            throw new FileRefused(inputs.pinned() + ": may not leave home (pinned.paths), and site " + director.site()
                    + " is not there");
        }
        List<Packed> files = inputs.files();
        if (files.isEmpty()) {
            return new JobRun.Staged(store, 0, null);
        }
        String key = Orders.inputKey(job.id()) + PieceStore.RECIPE_SUFFIX;
        String listing = Listings.digest(files);
        int uid = job.spec().uid();
        try (Transfer transfer = link.staging(director)) {
            Checksum there = same(alike, store, listing);
            if (alike != null
                    && there != null
                    && transfer.share(Orders.inputKey(alike.id()) + PieceStore.RECIPE_SUFFIX, key)) {
                moved.accept(there.bytes());
                return new JobRun.Staged(store, files.size(), there, listing, 0);
            }
            var place = new PackedInput.Place(director.site(), transfer, link.pieces(director), uid, job.id());
            DigestBook book = DigestBook.read(books.folder().resolve(Integer.toString(uid)));
            var input = new PackedInput(place, user, book, inputs.sources(), now, moved);
            Checksum checksum = input.bring();
            return new JobRun.Staged(store, files.size(), checksum, listing, input.sentBytes());
        }
    }

    /** The other job's bundle if it was made of these files; null if not. */
    private static @Nullable Checksum same(@Nullable JobRecord alike, String store, String listing) {
        JobRun.Staged its = alike == null ? null : alike.run().staged();
        return its != null && its.store().equals(store) && listing.equals(its.listing()) ? its.bundle() : null;
    }

    @Override
    public void bringHome(DirectorTarget director, JobRecord job, LongConsumer moved)
            throws FileRefused, IOException, LinkDownException {
        UserFiles user = as(job.spec());
        try (Transfer transfer = link.staging(director)) {
            List<JobRun.Rank> ranks = job.run().ranks();
            long before = 0;
            for (int rank = 0; rank < ranks.size(); rank++) {
                Checksum checksum = checksum(ranks.get(rank));
                if (checksum != null) {
                    bringHome(user, transfer, job, rank, checksum, shifted(moved, before));
                    before += checksum.bytes();
                }
            }
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

    private static void bringHome(
            UserFiles user, Transfer transfer, JobRecord job, int rank, Checksum checksum, LongConsumer moved)
            throws IOException {
        String key = Orders.outputKey(job.id(), job.run().attempt(), rank);
        IOException refused = null;
        for (Path bundle : HiddenBundles.of(job, rank)) {
            try {
                long offset = Math.min(user.partBytes(bundle, tag(job)), checksum.bytes());
                checkRoom(user, bundle, checksum.bytes() - offset);
                Pump.run(
                        sink -> {
                            transfer.receive(key, offset, new Bounded(sink, checksum.bytes() - offset));
                            return true;
                        },
                        bytes -> user.writePart(bundle, tag(job), offset, new Counted(bytes, offset, moved)));
                // Before anybody says that it is home: a loss of power must not find the only copy in a cache.
                user.settle(bundle, tag(job), checksum);
                return;
            } catch (FileRefused e) {
                // Not there; another of the folders that its user has named may do.
                refused = refused == null ? e : refused;
            }
        }
        throw refused == null ? new FileRefused("job " + job.id() + " has no folder") : refused;
    }

    /** A bundle that will not fit does not fill the disk before it fails. */
    private static void checkRoom(UserFiles user, Path bundle, long bytes) throws IOException {
        Optional<List<UserFiles.Place>> places =
                user.look(List.of(new UserFiles.Wish(bundle, UserFiles.Shape.FILE)), PATIENCE);
        long free = places.map(found -> found.getFirst().freeBytes()).orElse(Long.MAX_VALUE);
        if (free < bytes) {
            throw new FileRefused(bundle.getParent() + ": its results need " + (bytes >> 20) + " MiB, and "
                    + (free >> 20) + " MiB are free there");
        }
    }

    private static boolean lies(UserFiles user, Path bundle, String tag) throws IOException {
        try {
            return user.partBytes(bundle, tag) > 0;
        } catch (FileRefused notThere) {
            return false;
        }
    }

    /** Where the bundle lies: it was brought to the first place that would take it. */
    private static Path bundle(UserFiles user, JobRecord job, int rank, Checksum checksum) throws IOException {
        List<Path> places = HiddenBundles.of(job, rank);
        for (Path place : places) {
            try {
                if (user.partBytes(place, tag(job)) == checksum.bytes()) {
                    return place;
                }
            } catch (FileRefused notThere) {
                continue;
            }
        }
        return places.getFirst();
    }

    @Override
    public JobRun.Published publish(JobRecord job) throws FileRefused, IOException {
        UserFiles user = as(job.spec());
        Publication publication = new Publication(job.spec().outputs());
        List<JobRun.Rank> ranks = job.run().ranks();
        // From the last rank to the first: where several have made one file, that of the lowest rank stays.
        for (int rank = ranks.size() - 1; rank >= 0; rank--) {
            Checksum checksum = checksum(ranks.get(rank));
            if (checksum == null) {
                continue;
            }
            Path bundle = bundle(user, job, rank, checksum);
            UserFiles.Unpacked unpacked =
                    user.unpack(bundle, tag(job), checksum, rules(job.spec().outputs(), rank));
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

    /** Output of further ranks of a gang goes beside that of the first. */
    private static List<UserFiles.Rule> rules(List<JobSpec.Output> outputs, int rank) {
        return outputs.stream()
                .map(output -> {
                    boolean stream = output.pattern().equals(Orders.STDOUT)
                            || output.pattern().equals(Orders.STDERR);
                    String suffix = stream && rank > 0 ? "." + rank : "";
                    return new UserFiles.Rule(output.pattern(), Path.of(output.destination() + suffix), output.tree());
                })
                .toList();
    }

    @Override
    public void forget(JobRecord job) throws FileRefused, IOException {
        UserFiles user = as(job.spec());
        FileRefused refused = null;
        // An earlier attempt may have been lost on its way home.
        for (int attempt : AttemptNumbers.upTo(job.run().attempt()).toArray()) {
            for (int rank = 0; rank < job.spec().nodes(); rank++) {
                for (Path bundle : HiddenBundles.of(job, rank)) {
                    try {
                        user.abandon(bundle, tag(job, attempt));
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

    private static String tag(JobRecord job, int attempt) {
        return job.id() + "-" + attempt;
    }
}
