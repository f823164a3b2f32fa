package org.spillway.head.staging;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.port.Stager;
import org.spillway.stage.tree.Origin;
import org.spillway.stage.worker.Bundles;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.UserFiles;
import org.spillway.stage.worker.UserFiles.Distant;
import org.spillway.stage.worker.UserFiles.Packed;

/** The files that a job's inputs are, at home and at other ends, as its user's worker finds them. */
record InputFinder(SiteStager.Boundary boundary, SiteStager.Elsewhere elsewhere) {
    /** @param pinned the path of a file that may not leave home; empty for none */
    record Inputs(List<Source> sources, List<DistantFile> distant, String pinned) {
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
    Stager.Found look(UserFiles user, JobSpec.Input input) throws IOException {
        if (Origin.isElsewhere(input.pattern())) {
            List<Distant> found = user.distant(input.pattern(), elsewhere.reach(true, Stager.MOST_FILES));
            long known =
                    found.stream().mapToLong(file -> Math.max(0, file.bytes())).sum();
            int unsized = (int) found.stream().filter(file -> file.bytes() < 0).count();
            return new Stager.Found(found.size(), known, "", unsized);
        }
        int files = 0;
        long bytes = 0;
        String pinned = "";
        for (UserFiles.Found found : find(user, input, Stager.MOST_FILES, Stager.MOST_BYTES)) {
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
     */
    Inputs find(UserFiles user, JobSpec spec, boolean sizes) throws IOException {
        Map<String, Source> files = new LinkedHashMap<>();
        Map<String, DistantFile> distant = new LinkedHashMap<>();
        String pinned = "";
        long bytes = 0;
        for (JobSpec.Input input : spec.inputs()) {
            int filesLeft = Stager.MOST_FILES - files.size() - distant.size();
            if (Origin.isElsewhere(input.pattern())) {
                for (DistantFile file : distant(user, input, sizes, Math.max(1, filesLeft))) {
                    if (!files.containsKey(file.name())) {
                        distant.putIfAbsent(file.name(), file);
                    }
                }
                continue;
            }
            UnaryOperator<String> place = places(input);
            for (UserFiles.Found found : find(user, input, filesLeft, Stager.MOST_BYTES - bytes)) {
                if (pinned.isEmpty() && boundary.isPinned().test(Path.of(found.realPath()))) {
                    pinned = found.path();
                }
                Packed file = packed(input, found, place);
                if (!distant.containsKey(file.name())) {
                    bytes += files.putIfAbsent(file.name(), new Source(file, found.stamp())) == null ? file.bytes() : 0;
                }
            }
        }
        Inputs inputs = new Inputs(List.copyOf(files.values()), List.copyOf(distant.values()), pinned);
        try {
            Bundles.check(inputs.all());
        } catch (IllegalArgumentException e) {
            throw new FileRefused("the inputs do not go into one folder: " + e.getMessage());
        }
        return inputs;
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

    private static List<UserFiles.Found> find(UserFiles user, JobSpec.Input input, int filesLeft, long bytesLeft)
            throws IOException {
        if (filesLeft < 1) {
            throw new FileRefused(input.pattern() + ": the job has more than " + Stager.MOST_FILES + " input files");
        }
        return user.find(input.pattern(), new UserFiles.Limits(filesLeft, bytesLeft));
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
