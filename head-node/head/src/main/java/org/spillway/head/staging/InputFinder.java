package org.spillway.head.staging;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.JobOrder;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.port.Stager;
import org.spillway.stage.tree.Origin;
import org.spillway.stage.worker.Bundles;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.Identity;
import org.spillway.stage.worker.UserFiles;
import org.spillway.stage.worker.UserFiles.Distant;
import org.spillway.stage.worker.UserFiles.Packed;

/** The files that a job's inputs are, at home and at other ends, as its user's worker finds them. */
record InputFinder(
        SiteStager.Boundary boundary, SiteStager.Elsewhere elsewhere, InstantSource clock, RecentFinds recent) {
    private static final int IMAGE_FILES = 10;

    InputFinder(SiteStager.Boundary boundary, SiteStager.Elsewhere elsewhere, InstantSource clock) {
        this(boundary, elsewhere, clock, new RecentFinds(clock));
    }

    /** A user's files. */
    record Owned(Identity who, UserFiles files) {}

    /**
     * @param pinned the path of a file that may not leave home; empty for none
     * @param begun before any of them was looked at
     * @param remembered some of them are as they were a moment ago, and were not looked at once more
     * @param image whose files are among them, by its digest; null for none
     */
    record Inputs(
            List<Source> sources,
            List<DistantFile> distant,
            String pinned,
            Instant begun,
            boolean remembered,
            @Nullable String image) {
        /** Files from other ends stand for themselves, by where they lie. */
        List<Packed> all() {
            return Stream.concat(
                            sources.stream().map(Source::file), distant.stream().map(Inputs::standing))
                    .toList();
        }

        private static Packed standing(DistantFile one) {
            Distant file = one.file();
            return new Packed("/" + file.origin(), one.name(), Math.max(0, file.bytes()), 0, false);
        }
    }

    /** An input alone. */
    Stager.Found look(Owned user, JobSpec.Input input) throws IOException {
        if (input.isImage()) {
            // Asked for already, and fetched when it has to go somewhere.
            return new Stager.Found(1, 0, "", 0);
        }
        if (Origin.isElsewhere(input.pattern())) {
            List<Distant> found = user.files().distant(input.pattern(), elsewhere.reach(true, Stager.MOST_FILES));
            long known =
                    found.stream().mapToLong(file -> Math.max(0, file.bytes())).sum();
            int unsized = (int) found.stream().filter(file -> file.bytes() < 0).count();
            return new Stager.Found(found.size(), known, "", unsized);
        }
        int files = 0;
        long bytes = 0;
        String pinned = "";
        List<UserFiles.Found> all =
                recent.look(user.who(), input.pattern(), () -> find(user, input, Stager.MOST_FILES, Stager.MOST_BYTES));
        for (UserFiles.Found found : all) {
            files++;
            bytes += found.bytes();
            if (pinned.isEmpty() && boundary.isPinned().test(Path.of(found.realPath()))) {
                pinned = found.path();
            }
        }
        return new Stager.Found(files, bytes, pinned);
    }

    /**
     * Every input's files under their names in the job's folder; the first input that makes a name has it.
     *
     * @param sizes whether servers are asked for sizes
     * @param anew what was found for its submission a moment ago does not do
     */
    Inputs find(Owned user, JobSpec spec, boolean sizes, boolean anew) throws IOException {
        Instant begun = clock.instant();
        boolean remembered = false;
        Map<String, Source> files = new LinkedHashMap<>();
        Map<String, DistantFile> distant = new LinkedHashMap<>();
        String pinned = "";
        String image = null;
        long bytes = 0;
        for (JobSpec.Input input : spec.inputs()) {
            if (input.isImage()) {
                if (!sizes) {
                    image = user.files().image(spec.container(), elsewhere.trust(), false);
                    for (Source part : image(user, image)) {
                        files.putIfAbsent(part.file().name(), part);
                    }
                }
                continue;
            }
            int filesLeft = Stager.MOST_FILES - files.size() - distant.size();
            if (Origin.isElsewhere(input.pattern())) {
                for (DistantFile file : distant(user.files(), input, sizes, Math.max(1, filesLeft))) {
                    if (!files.containsKey(file.name())) {
                        distant.putIfAbsent(file.name(), file);
                    }
                }
                continue;
            }
            UnaryOperator<String> place = places(input);
            long bytesLeft = Stager.MOST_BYTES - bytes;
            RecentFinds.Scan scan = anew ? null : remembered(user, input, filesLeft, bytesLeft);
            if (scan != null) {
                remembered = true;
                begun = scan.begun().isBefore(begun) ? scan.begun() : begun;
            }
            for (UserFiles.Found found : scan != null ? scan.files() : find(user, input, filesLeft, bytesLeft)) {
                if (pinned.isEmpty() && boundary.isPinned().test(Path.of(found.realPath()))) {
                    pinned = found.path();
                }
                Packed file = packed(input, found, place);
                if (!distant.containsKey(file.name())) {
                    bytes += files.putIfAbsent(file.name(), new Source(file, found.stamp())) == null ? file.bytes() : 0;
                }
            }
        }
        Inputs inputs = new Inputs(
                List.copyOf(files.values()), List.copyOf(distant.values()), pinned, begun, remembered, image);
        try {
            Bundles.check(inputs.all());
        } catch (IllegalArgumentException e) {
            throw new FileRefused("the inputs do not go into one folder: " + e.getMessage());
        }
        return inputs;
    }

    /** The files of an image, fetched to home where they are not there. */
    private List<Source> image(Owned user, String name) throws IOException {
        String folder = user.files().image(name, elsewhere.trust(), true);
        List<Source> all = new ArrayList<>();
        for (UserFiles.Found found : user.files().find(folder, new UserFiles.Limits(IMAGE_FILES, Stager.MOST_BYTES))) {
            String path = found.path();
            Packed file = new Packed(
                    found.realPath(),
                    JobOrder.IMAGE_FOLDER + "/" + path.substring(path.lastIndexOf('/') + 1),
                    found.bytes(),
                    found.modifiedNanos(),
                    false);
            all.add(new Source(file, found.stamp()));
        }
        return all;
    }

    /** Of one input no two files may have one name: one of them would be lost without a word. */
    private List<DistantFile> distant(UserFiles user, JobSpec.Input input, boolean sizes, int most) throws IOException {
        Origin origin = Origin.of(input.pattern());
        Set<String> names = new HashSet<>();
        List<Distant> found = user.distant(input.pattern(), elsewhere.reach(sizes, most));
        List<DistantFile> all = new ArrayList<>(found.size());
        for (Distant one : found) {
            try {
                String name = BundleNames.distant(input, origin, one.name());
                if (!names.add(name)) {
                    throw new IllegalArgumentException("two files would be '" + name + "': name them in the list");
                }
                all.add(new DistantFile(name, one));
            } catch (IllegalArgumentException e) {
                throw new FileRefused(origin.shown() + ": " + e.getMessage());
            }
        }
        return all;
    }

    private RecentFinds.@Nullable Scan remembered(Owned user, JobSpec.Input input, int filesLeft, long bytesLeft) {
        return recent.of(user.who(), input.pattern())
                .filter(scan -> scan.files().size() <= filesLeft
                        && scan.files().stream()
                                        .mapToLong(UserFiles.Found::bytes)
                                        .sum()
                                <= bytesLeft)
                .orElse(null);
    }

    private static List<UserFiles.Found> find(Owned user, JobSpec.Input input, int filesLeft, long bytesLeft)
            throws IOException {
        if (filesLeft < 1) {
            throw new FileRefused(input.pattern() + ": the job has more than " + Stager.MOST_FILES + " input files");
        }
        return user.files().find(input.pattern(), new UserFiles.Limits(filesLeft, bytesLeft));
    }

    private static UnaryOperator<String> places(JobSpec.Input input) throws FileRefused {
        try {
            return BundleNames.of(input);
        } catch (IllegalArgumentException e) {
            throw new FileRefused(input.pattern() + ": " + e.getMessage());
        }
    }

    private static Packed packed(JobSpec.Input input, UserFiles.Found found, UnaryOperator<String> place)
            throws FileRefused {
        try {
            String name = place.apply(found.path());
            // The real path: a link that is turned elsewhere meanwhile leads nowhere new.
            return new Packed(found.realPath(), name, found.bytes(), found.modifiedNanos(), found.executable());
        } catch (IllegalArgumentException e) {
            throw new FileRefused(input.pattern() + ": " + e.getMessage());
        }
    }
}
