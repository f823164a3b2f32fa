package org.spillway.head.service;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.JobSubmission;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.jobs.Orders;
import org.spillway.head.loop.port.Stager;
import org.spillway.stage.tree.Glob;
import org.spillway.stage.worker.UserFiles.Place;
import org.spillway.stage.worker.UserFiles.Shape;
import org.spillway.stage.worker.UserFiles.Wish;

/**
 * Looks at a submission's destinations with its user's rights, before it is taken: what is found only after the run has
 * been paid for. Nothing can be promised, as rights and room may change until then.
 */
record OutputLook(Stager stager, RecentLooks recent) {
    private static final Logger LOG = LoggerFactory.getLogger(OutputLook.class);
    private static final String NO_ID = "%A";
    /** Of an array with many folders, so many of its places are looked at. */
    private static final int MOST_PLACES = 256;

    private static final long LITTLE_ROOM_BYTES = 64L << 20;

    /**
     * @param inputBytes of one task: unless more is known, as much is expected to come back
     * @return what its user should know
     * @throws ApiException OUTPUT_UNWRITABLE
     */
    List<String> look(JobSpec spec, JobSubmission.ArrayRange array, long inputBytes) {
        Map<Wish, String> wanted = new LinkedHashMap<>();
        for (Tasks.Task task : Tasks.of(NO_ID, spec, array)) {
            for (JobSpec.Output output : task.spec().outputs()) {
                if (wanted.size() < MOST_PLACES) {
                    wanted.putIfAbsent(new Wish(Path.of(output.destination()), shape(output)), name(output.pattern()));
                }
            }
        }
        List<Wish> wishes = List.copyOf(wanted.keySet());
        return wishes.isEmpty()
                ? List.of()
                : places(spec, wishes)
                        .map(places -> judge(wishes, places, List.copyOf(wanted.values()), inputBytes))
                        .orElse(List.of());
    }

    private static List<String> judge(List<Wish> wishes, List<Place> places, List<String> names, long inputBytes) {
        Map<String, String> notes = new LinkedHashMap<>();
        for (int i = 0; i < wishes.size() && i < places.size(); i++) {
            Place place = places.get(i);
            if (!place.problem().isEmpty()) {
                throw new ApiException(
                        Code.OUTPUT_UNWRITABLE,
                        names.get(i) + " could not be put into "
                                + wishes.get(i).destination().toString().replace(NO_ID, "%j") + ": "
                                + place.problem(),
                        "files are written with your rights when the job has ended: check paths and permissions");
            }
            long wanted = Math.max(LITTLE_ROOM_BYTES, inputBytes);
            if (place.freeBytes() < wanted) {
                notes.putIfAbsent(
                        place.fileSystem(),
                        "little room for " + names.get(i) + ": " + (place.freeBytes() >> 20) + " MiB are free in "
                                + place.fileSystem() + ", where "
                                + wishes.get(i).destination().toString().replace(NO_ID, "%j") + " is to be");
            }
        }
        return List.copyOf(notes.values());
    }

    private Optional<List<Place>> places(JobSpec spec, List<Wish> wishes) {
        try {
            Optional<List<Place>> known = recent.find(spec.owner(), wishes, spec.submittedAt());
            if (known.isPresent()) {
                return known;
            }
            Optional<List<Place>> found = stager.look(spec, wishes);
            found.ifPresent(places -> recent.remember(spec.owner(), wishes, places, spec.submittedAt()));
            return found;
        } catch (IOException unable) {
            // A user whose worker cannot be started hears of it when there is something to copy.
            LOG.debug("outputs of {} are not looked at: {}", spec.user(), unable.toString());
            return Optional.empty();
        }
    }

    private static Shape shape(JobSpec.Output output) {
        if (output.tree()) {
            return Shape.FOLDER;
        }
        boolean stream = isStream(output.pattern());
        return stream || !Glob.parse(output.pattern()).isPlain() ? Shape.FILE : Shape.EITHER;
    }

    private static boolean isStream(String pattern) {
        return pattern.equals(Orders.STDOUT) || pattern.equals(Orders.STDERR);
    }

    private static String name(String pattern) {
        return switch (pattern) {
            case Orders.STDOUT -> "standard output";
            case Orders.STDERR -> "standard error";
            default -> "output " + pattern;
        };
    }
}
