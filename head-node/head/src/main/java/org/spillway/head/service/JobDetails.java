package org.spillway.head.service;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobView;
import org.spillway.api.NodeState;
import org.spillway.api.TransferState;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.JournalStore.Transition;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.journal.Reclaimed;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.state.Transfers;
import org.spillway.head.staging.HomeReads;
import org.spillway.stage.Checksum;
import org.spillway.stage.tree.Origin;

/** A job with all that is known of it. */
final class JobDetails {
    private static final int INPUTS_SHOWN = 3;

    private final Journal journal;
    private final Loop loop;
    private final HomeReads homes;

    JobDetails(Journal journal, Loop loop, HomeReads homes) {
        this.journal = journal;
        this.homes = homes;
        this.loop = loop;
    }

    JobDetail of(JobRecord job, JobView view) {
        List<Transition> lines = journal.store().timeline("job", job.id());
        List<JobDetail.Moment> timeline = lines.stream()
                .map(line -> new JobDetail.Moment(JobState.valueOf(line.to()), line.at(), line.reason()))
                .toList();
        List<JobDetail.OutputView> outputs = job.spec().outputs().stream()
                .map(output -> new JobDetail.OutputView(
                        output.pattern(), output.destination(), output.strict(), state(job, output)))
                .toList();
        return new JobDetail(
                view,
                timeline,
                timings(job, lines),
                ranks(job),
                transfers(job),
                outputs,
                warnings(job, outputs),
                sync(job),
                data(job),
                job.spec().container());
    }

    private JobDetail.Timings timings(JobRecord job, List<Transition> lines) {
        Instant out = job.isLive() ? null : last(lines, JobState.STAGING_OUT) == null ? null : job.since();
        return new JobDetail.Timings(
                job.spec().submittedAt(),
                last(lines, JobState.STAGING_IN),
                last(lines, JobState.QUEUED),
                nodes(job, NodeState.REQUESTED),
                nodes(job, NodeState.READY),
                last(lines, JobState.RUNNING),
                job.run().startedAt(),
                job.run().endedAt(),
                out);
    }

    private static @Nullable Instant last(List<Transition> lines, JobState state) {
        return lines.stream()
                .filter(line -> line.to().equals(state.name()))
                .map(Transition::at)
                .reduce((first, second) -> second)
                .orElse(null);
    }

    /** When the last of the job's nodes first was in that state. */
    private @Nullable Instant nodes(JobRecord job, NodeState state) {
        return job.run().nodes().stream()
                .map(node -> journal.store().timeline("node", node).stream()
                        .filter(line -> line.to().equals(state.name()))
                        .map(Transition::at)
                        .findFirst()
                        .orElse(null))
                .filter(Objects::nonNull)
                .max(Comparator.naturalOrder())
                .orElse(null);
    }

    private List<JobDetail.RankView> ranks(JobRecord job) {
        List<JobDetail.RankView> views = new ArrayList<>();
        for (JobRun.Rank rank : job.run().ranks()) {
            JobRun.End end = rank.end();
            views.add(new JobDetail.RankView(
                    views.size(),
                    rank.node(),
                    journal.node(rank.node()).map(NodeRecord::address).orElse(""),
                    end == null ? null : end.started(),
                    end == null ? null : end.ended(),
                    end == null ? null : end.exitCode(),
                    rank.lost(),
                    end == null ? "" : end.cause().text(),
                    end == null ? null : end.inputBytes()));
        }
        return views;
    }

    /** Of all nodes of its latest attempt together. */
    private static JobDetail.@Nullable SyncView sync(JobRecord job) {
        int seconds = job.spec().data().syncSeconds();
        if (seconds == 0) {
            return null;
        }
        Instant at = null;
        int files = 0;
        long bytes = 0;
        long all = 0;
        String said = "";
        for (JobRun.Rank rank : job.run().ranks()) {
            JobRun.Synced last = rank.synced();
            if (last != null) {
                at = at == null || last.at().isAfter(at) ? last.at() : at;
                files += last.files();
                bytes += last.bytes();
                all += last.allBytes();
                said = said.isEmpty() ? last.said() : said;
            }
        }
        return new JobDetail.SyncView(seconds, at, files, bytes, all, said);
    }

    private static JobDetail.DataView data(JobRecord job) {
        JobRun.Staged staged = job.run().staged();
        Checksum bundle = staged == null ? null : staged.bundle();
        long input = bundle == null ? 0 : bundle.bytes();
        long sent = staged == null ? 0 : staged.sentBytes();
        long toNodes = 0;
        long saved = 0;
        long home = 0;
        for (JobRun.Rank rank : job.run().ranks()) {
            JobRun.End end = rank.end();
            Long came = end == null ? null : end.inputBytes();
            toNodes += came == null ? 0 : came;
            saved += came == null ? 0 : Math.max(0, input - came);
            Checksum results = end == null ? null : end.results();
            home += results == null || !job.run().home() ? 0 : results.bytes();
            JobRun.Synced synced = rank.synced();
            home += synced == null ? 0 : synced.allBytes();
        }
        // Packs have ends, so that a little more may be sent than there is.
        return new JobDetail.DataView(
                sent,
                Math.max(0, input - sent),
                toNodes,
                saved,
                home,
                notices(job.run().reclaimed()));
    }

    private static JobDetail.@Nullable NoticeView notices(@Nullable Reclaimed taken) {
        return taken == null
                ? null
                : new JobDetail.NoticeView(
                        taken.times(),
                        taken.savedMillis() / 1000,
                        taken.saved(),
                        taken.way() == Reclaimed.Way.HOME || taken.way() == Reclaimed.Way.ROUNDS,
                        taken.site());
    }

    private List<JobDetail.TransferView> transfers(JobRecord job) {
        List<JobDetail.TransferView> transfers = new ArrayList<>();
        if (!job.spec().inputs().isEmpty()) {
            transfers.add(input(job));
        }
        boolean home = job.run().home();
        for (int i = 0; i < job.run().ranks().size(); i++) {
            JobRun.End end = job.run().ranks().get(i).end();
            Checksum results = end == null ? null : end.results();
            if (results != null) {
                TransferState state =
                        home ? TransferState.VERIFIED : job.isLive() ? TransferState.RUNNING : TransferState.FAILED;
                Transfers moving = loop.transfers();
                JobDetail.TransferView view = JobDetail.TransferView.still(
                        "out",
                        "results of rank " + i,
                        state,
                        home ? results.bytes() : Math.min(results.bytes(), moving.movedOut(job.id())),
                        results.bytes(),
                        home ? results.sha256() : "",
                        0);
                transfers.add(state == TransferState.RUNNING ? view.at(moving.rateOut(job.id())) : view);
            }
        }
        return transfers;
    }

    /** The input, or how many there are, and which of them do not come from home. */
    private static String what(List<JobSpec.Input> inputs) {
        if (inputs.size() == 1) {
            return inputs.getFirst().pattern();
        }
        List<String> elsewhere = inputs.stream()
                .map(JobSpec.Input::pattern)
                .filter(Origin::isElsewhere)
                .toList();
        String shown = elsewhere.stream().limit(INPUTS_SHOWN).collect(Collectors.joining(", "));
        return inputs.size() + " inputs"
                + (elsewhere.isEmpty()
                        ? ""
                        : ", among them " + shown + (elsewhere.size() > INPUTS_SHOWN ? ", ..." : ""));
    }

    private JobDetail.TransferView input(JobRecord job) {
        JobRun.Staged staged = job.run().staged();
        Checksum bundle = staged == null ? null : staged.bundle();
        String what = what(job.spec().inputs());
        if (staged == null || bundle == null) {
            TransferState state = job.jobState() == JobState.STAGING_IN
                    ? TransferState.RUNNING
                    : job.isLive() ? TransferState.PLANNED : TransferState.FAILED;
            Transfers moving = loop.transfers();
            JobDetail.TransferView view = JobDetail.TransferView.still(
                    "in",
                    what,
                    state,
                    Math.max(0, moving.movedIn(job.id())),
                    moving.inputBytes(job.id()),
                    "",
                    moving.inputFiles(job.id()));
            return state == TransferState.RUNNING ? view.at(moving.rateIn(job.id())) : view;
        }
        return JobDetail.TransferView.still(
                "in",
                what + " (" + staged.files() + (staged.files() == 1 ? " file)" : " files)"),
                TransferState.VERIFIED,
                bundle.bytes(),
                bundle.bytes(),
                bundle.sha256(),
                staged.files());
    }

    private static String state(JobRecord job, JobSpec.Output output) {
        if (unplaced(job).stream().anyMatch(one -> one.pattern().equals(output.pattern()))) {
            return "unplaced";
        }
        JobRun.Published published = job.run().published();
        if (published == null) {
            // All others were put in their places by the try that left these out.
            return !unplaced(job).isEmpty() ? "published" : job.isLive() ? "expected" : "failed";
        }
        return published.missing().contains(output.pattern()) ? "missing" : "published";
    }

    /** As of the last try, or for good. */
    private static List<JobRun.Unplaced> unplaced(JobRecord job) {
        JobRun.Published published = job.run().published();
        JobRun.Homeward homeward = job.run().homeward();
        return published != null ? published.unplaced() : homeward == null ? List.of() : homeward.unplaced();
    }

    private List<String> warnings(JobRecord job, List<JobDetail.OutputView> outputs) {
        List<String> warnings = new ArrayList<>();
        outputs.stream()
                .filter(output -> output.state().equals("missing"))
                .forEach(output -> warnings.add("OUTPUT_MISSING: the job did not make " + output.pattern()));
        unplaced(job)
                .forEach(one -> warnings.add("OUTPUT_UNPLACED: " + one.cause().text()
                        + (job.isLive() ? "; it is tried again, and cancel ends it" : "")));
        JobRun.Published published = job.run().published();
        if (published != null && !published.kept().isEmpty()) {
            warnings.add("RESULTS_KEPT: all its results are in " + String.join(" and ", published.kept())
                    + " (tar -xf FILE -C FOLDER takes them out)");
        }
        Optional<Integer> code = Optional.ofNullable(job.run().exitCode());
        if (code.isPresent() && job.run().startedAt() != null && !job.run().ranAsUser()) {
            warnings.add("RAN_AS_ANOTHER: it did not run with the uid of "
                    + job.spec().user());
        }
        String cut = Walltime.cutNote(job.spec());
        if (!cut.isEmpty()) {
            warnings.add("WALLTIME_CUT: " + cut);
        }
        homes.of(job.id()).ifPresent(said -> warnings.add("HOME_READ: " + said));
        int times = job.run().timesTakenBack();
        if (times > 0) {
            warnings.add("TAKEN_BACK: " + times + (times == 1 ? " attempt" : " attempts")
                    + " ended as a node was taken back by its provider; "
                    + Duration.ofMillis(job.run().savedMillis()).toSeconds() + " s of work on nodes had been kept");
        }
        return warnings;
    }
}
