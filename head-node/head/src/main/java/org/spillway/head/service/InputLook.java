package org.spillway.head.service;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.JobSubmission;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.loop.port.Stager;
import org.spillway.head.tenant.HeadDesk;
import org.spillway.stage.tree.Glob;
import org.spillway.stage.tree.Origin;
import org.spillway.stage.worker.FileRefused;

/**
 * Looks at a submission's inputs with its user's rights.
 *
 * @param isPinned whether what is below a path may not leave home
 * @param perUserBytes the most that one user's inputs may take in a site
 */
public record InputLook(Stager stager, Predicate<Path> isPinned, long perUserBytes) implements HeadDesk.InputFiles {
    /** The stand-in in a path for an id that is not given yet. */
    private static final String NO_ID = "%A";

    /** Servers of others are not asked for each of an array's tasks while somebody waits. */
    private static final int ASKED_MOST = 8;

    /** @param missing why one that may come later cannot be read now; empty for none */
    record Seen(List<Stager.Found> found, String missing) {}

    /**
     * Each input over all tasks; a path that several tasks have is looked at once. What other jobs make before it starts
     * need not be there yet.
     *
     * @throws ApiException INPUT_UNREADABLE; LIMIT_EXCEEDED when a task has too much; UNAVAILABLE when nobody can look
     */
    Seen look(JobSpec spec, JobSubmission.ArrayRange array) {
        List<Stager.Found> all = new ArrayList<>();
        spec.inputs().forEach(input -> all.add(new Stager.Found(0, 0, "")));
        if (all.isEmpty()) {
            return new Seen(all, "");
        }
        List<String> missing = new ArrayList<>();
        Map<JobSpec.Input, Stager.Found> seen = new HashMap<>();
        Set<JobSpec.Input> asked = new HashSet<>();
        for (Tasks.Task task : Tasks.of(NO_ID, spec, array)) {
            long files = 0;
            long bytes = 0;
            for (int i = 0; i < all.size(); i++) {
                JobSpec.Input input = task.spec().inputs().get(i);
                if (Origin.isElsewhere(input.pattern())) {
                    asked.add(input);
                }
                boolean tooMany = asked.contains(input) && asked.size() > ASKED_MOST;
                Stager.Found found = seen.computeIfAbsent(
                        input, one -> tooMany ? new Stager.Found(1, 0, "", 1) : look(spec, one, missing));
                files += found.files();
                bytes += found.bytes();
                all.set(i, sum(all.get(i), found));
            }
            bounded(files, bytes);
            if (all.size() > 1 && missing.isEmpty() && asked.size() <= ASKED_MOST) {
                // Whether they go into one folder.
                asking(() -> stager.measure(task.spec()));
            }
        }
        return new Seen(all, missing.isEmpty() ? "" : missing.getFirst());
    }

    @Override
    public List<Stager.Found> look(JobSpec spec) {
        return look(spec, JobSubmission.ArrayRange.NONE).found();
    }

    private static Stager.Found sum(Stager.Found one, Stager.Found other) {
        return new Stager.Found(
                one.files() + other.files(),
                one.bytes() + other.bytes(),
                one.pinned().isEmpty() ? other.pinned() : one.pinned(),
                one.unsized() + other.unsized());
    }

    private Stager.Found look(JobSpec spec, JobSpec.Input input, List<String> missing) {
        if (input.pattern().contains(NO_ID)) {
            missing.add(input.pattern() + ": its id is not given yet");
            return new Stager.Found(0, 0, "");
        }
        return asking(() -> {
            try {
                return stager.look(spec, input);
            } catch (FileRefused refused) {
                if (spec.after().isEmpty()) {
                    throw refused;
                }
                missing.add(String.valueOf(refused.getMessage()));
                if (Origin.isElsewhere(input.pattern())) {
                    return new Stager.Found(0, 0, "");
                }
                String base = Glob.parse(input.pattern()).base();
                return new Stager.Found(0, 0, isPinned.test(Path.of(base)) ? base : "");
            }
        });
    }

    private interface Question<T> {
        T ask() throws IOException;
    }

    private static <T> T asking(Question<T> question) {
        try {
            return question.ask();
        } catch (FileRefused refused) {
            throw new ApiException(
                    Code.INPUT_UNREADABLE,
                    "the input cannot be read: " + refused.getMessage(),
                    "files are opened with your rights: check paths and permissions");
        } catch (IOException fault) {
            throw new ApiException(
                    Code.UNAVAILABLE, "the input could not be looked at: " + fault.getMessage(), "try again");
        }
    }

    /** An input that is of no use to submit, as it would never be staged. */
    @Override
    public void bounded(long files, long bytes) {
        if (bytes > perUserBytes) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "its input is " + bytes + " bytes, more than the " + perUserBytes
                            + " that one user's jobs may have in a site's staging space",
                    "staging.perUser of the head's configuration is the limit");
        }
        if (files > Stager.MOST_FILES || bytes > Stager.MOST_BYTES) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "its input is " + files + " files of " + bytes + " bytes",
                    "allowed for one job: " + Stager.MOST_FILES + " files of " + Stager.MOST_BYTES + " bytes");
        }
    }
}
