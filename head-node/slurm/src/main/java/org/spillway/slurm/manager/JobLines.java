package org.spillway.slurm.manager;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.slurm.settings.JobFiles;

/** The {@code #SPILLWAY} lines of jobs, read once. Used by the thread that looks. */
final class JobLines {
    /** The read lines of jobs, by key: up to 64 KiB each, and twice a second. */
    private final Map<String, ReadLines> read = new HashMap<>();

    private final JobFiles shared;

    JobLines(JobFiles shared) {
        this.shared = shared;
    }

    private record ReadLines(
            String text, JobDetail.Files files, String home, StagingLines.Numbers numbers, StagingLines.Result result) {
        boolean isOf(String text, JobDetail.Files files, String home, StagingLines.Numbers numbers) {
            return this.text.equals(text)
                    && this.files.equals(files)
                    && this.home.equals(home)
                    && this.numbers.equals(numbers);
        }
    }

    void retain(Collection<String> keys) {
        read.keySet().retainAll(keys);
    }

    /** Null while its lines are not known. @param home its user's; empty where that is not known */
    StagingLines.@Nullable Result of(
            JobBook.Item item, String key, JobDetail detail, Map<Long, String> lines, Optional<String> home) {
        boolean alone = item.asked().equals(item.target()) || item.target().indexOf('_') < 0;
        String stdout =
                alone ? detail.files().stdout() : ofTask(item, detail.files().stdout());
        String stderr =
                alone ? detail.files().stderr() : ofTask(item, detail.files().stderr());
        boolean staging = detail.asked().staging() || !item.row().staging().isEmpty();
        String text = staging ? lines.get(item.row().id()) : "";
        if (text == null) {
            return null;
        }
        var numbers = new StagingLines.Numbers(
                item.target(), Long.toString(item.row().array()), Integer.toString(item.index()));
        var files = new JobDetail.Files(
                detail.files().folder(),
                unlessShared(stdout),
                unlessShared(stderr),
                detail.files().adds());
        // Of what is added to a file elsewhere nobody knows which part is this job's.
        return read(key, text, files, files.adds() ? "" : home.orElse(""), numbers);
    }

    /** A file that nodes have from home is written there, and by nobody else. */
    private String unlessShared(String file) {
        return shared.isShared(file) ? "" : file;
    }

    private StagingLines.Result read(
            String key, String text, JobDetail.Files files, String home, StagingLines.Numbers numbers) {
        ReadLines known = read.get(key);
        if (known == null || !known.isOf(text, files, home, numbers)) {
            StagingLines.Result result =
                    StagingLines.parse(text, files.folder(), home, files.stdout(), files.stderr(), numbers);
            known = new ReadLines(text, files, home, numbers, files.adds() ? result.adding() : result);
            read.put(key, known);
        }
        return known.result;
    }

    private static String ofTask(JobBook.Item item, String file) {
        int asked = Integer.parseInt(item.asked().substring(item.asked().indexOf('_') + 1));
        return JobFacts.ofTask(file, item.row().array(), asked, item.index());
    }
}
