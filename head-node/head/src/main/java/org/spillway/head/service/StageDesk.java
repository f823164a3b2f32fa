package org.spillway.head.service;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.StageOrder;
import org.spillway.api.StagedView;
import org.spillway.head.config.HeadConfig;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.StageRecord;
import org.spillway.head.journal.StageRecord.Status;
import org.spillway.head.loop.Change;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.loop.port.Stager;
import org.spillway.head.loop.state.Transfers;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.StagesApi;
import org.spillway.settings.Quantities;
import org.spillway.stage.Checksum;

/** Takes what users want to have in sites ahead of their jobs, and shows them what they have there. */
final class StageDesk implements StagesApi {
    private static final long USUAL_SECONDS = 3600;
    private static final int MOST_OF_A_USER = 100;

    private final HeadConfig config;
    private final Journal journal;
    private final Loop loop;
    private final LoopRunner runner;
    private final Admission admission;
    private final InputLook inputs;

    StageDesk(HeadConfig config, Journal journal, Loop loop, LoopRunner runner, Admission admission, InputLook inputs) {
        this.config = config;
        this.journal = journal;
        this.loop = loop;
        this.runner = runner;
        this.admission = admission;
        this.inputs = inputs;
    }

    @Override
    public StagedView begin(Caller caller, StageOrder order) {
        HeadConfig.Site site = site(order.site());
        long keep = keep(order.keepSeconds());
        JobSpec.Owner owner = admission.owner(caller);
        List<JobSpec.Input> wanted = order.inputs().stream()
                .map(input -> new JobSpec.Input(input.pattern(), input.target()))
                .toList();
        if (wanted.isEmpty()) {
            throw new ApiException(Code.BAD_REQUEST, "inputs: none is named", "name files, folders or globs");
        }
        JobSpec.Data data = new JobSpec.Data(wanted, List.of(), order.folder());
        long bytes = look(owner, site, order.site(), data);
        return runner.change("stages " + owner.uid(), now -> {
            Optional<StageRecord> known = journal.stages().stream()
                    .filter(stage -> stage.owner().uid() == owner.uid()
                            && stage.site().equals(order.site())
                            && stage.data().inputs().equals(wanted))
                    .findFirst();
            bounded(owner.uid(), order.site(), known.map(StageRecord::id).orElse(""), bytes);
            StageRecord next = known.map(stage -> stage.again(keep, now))
                    .orElseGet(() -> new StageRecord(
                            id(now), owner, order.site(), data, Status.WAITING, now, keep, null, null, ""));
            return new Change<>(List.of(next), view(next));
        });
    }

    /** Two in one millisecond are told apart by what comes next. */
    private String id(Instant now) {
        long number = now.toEpochMilli();
        while (journal.stage("stage-" + Long.toString(number, 36)).isPresent()) {
            number++;
        }
        return "stage-" + Long.toString(number, 36);
    }

    private HeadConfig.Site site(String name) {
        HeadConfig.Site site = config.sites().get(name);
        if (site == null) {
            throw new ApiException(
                    Code.BAD_REQUEST,
                    "there is no site '" + name + "'",
                    "sites: " + String.join(", ", config.sites().keySet()));
        }
        return site;
    }

    private long keep(long asked) {
        long most = config.staging().keep().toSeconds();
        if (asked > most) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "nothing is kept in a site ahead of jobs for longer than "
                            + Quantities.write(config.staging().keep()),
                    "staging.keep of the head's configuration is the limit");
        }
        return asked == 0 ? Math.min(USUAL_SECONDS, most) : asked;
    }

    /** With the rights of its user. @return bytes of all of it */
    private long look(JobSpec.Owner owner, HeadConfig.Site site, String name, JobSpec.Data data) {
        JobSpec spec = JobSpec.of(draft -> {
            draft.owner = owner;
            draft.sites = List.of(name);
            draft.data = data;
        });
        List<Stager.Found> found = inputs.look(spec);
        found.stream()
                .map(Stager.Found::pinned)
                .filter(path -> !path.isEmpty() && !site.home())
                .findFirst()
                .ifPresent(path -> {
                    throw new ApiException(
                            Code.FORBIDDEN,
                            path + ": may not leave home (pinned.paths), and site " + name + " is not there",
                            "leave it out");
                });
        return found.stream().mapToLong(Stager.Found::bytes).sum();
    }

    private void bounded(int uid, String site, String but, long bytes) {
        long sum = bytes;
        int count = 0;
        for (StageRecord other : journal.stages()) {
            if (other.owner().uid() == uid && !other.id().equals(but)) {
                count++;
                sum += other.site().equals(site) ? bytes(other) : 0;
            }
        }
        if (count >= MOST_OF_A_USER) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "you have " + count + " stages, and nobody has more",
                    "give some back: spillway stage rm ID");
        }
        inputs.bounded(1, sum);
    }

    private static long bytes(StageRecord stage) {
        JobRun.Staged staged = stage.staged();
        Checksum bundle = staged == null ? null : staged.bundle();
        return bundle == null ? 0 : bundle.bytes();
    }

    @Override
    public List<StagedView> list(Caller caller, String site) {
        List<StagedView> all = new ArrayList<>();
        journal.stages().stream()
                .filter(stage -> stage.owner().uid() == caller.uid())
                .filter(stage -> site.isEmpty() || stage.site().equals(site))
                .sorted(Comparator.comparing(StageRecord::id))
                .forEach(stage -> all.add(view(stage)));
        journal.jobs().stream()
                .filter(job -> job.spec().uid() == caller.uid() && job.run().staged() != null)
                .filter(job -> site.isEmpty() || job.run().site().equals(site))
                .sorted(Comparator.comparing(job -> job.spec().submittedAt()))
                .forEach(job -> all.add(view(job)));
        return all;
    }

    @Override
    public StagedView get(Caller caller, String id) {
        return view(theirs(caller, id));
    }

    /** Another user's looks like none. */
    private StageRecord theirs(Caller caller, String id) {
        return journal.stage(id)
                .filter(stage -> stage.owner().uid() == caller.uid())
                .orElseThrow(() -> new ApiException(
                        Code.NOT_FOUND, "you have no stage '" + id + "'", "spillway stage ls lists yours"));
    }

    @Override
    public StagedView remove(Caller caller, String id) {
        return runner.change("stages " + caller.uid(), now -> {
            StageRecord stage = theirs(caller, id);
            if (stage.status() == Status.GOING) {
                return Change.none(view(stage));
            }
            StageRecord next = stage.to(stage.isLive() ? Status.GOING : Status.GONE, "", now);
            return new Change<>(List.of(next), view(next));
        });
    }

    private StagedView view(StageRecord stage) {
        Transfers transfers = loop.transfers();
        JobRun.Staged staged = stage.staged();
        boolean there = stage.status() == Status.THERE;
        long all = there || staged == null ? bytes(stage) : 0;
        long bytes = there ? all : Math.max(all, transfers.inputBytes(stage.id()));
        int files = there && staged != null ? staged.files() : transfers.inputFiles(stage.id());
        long sent = there && staged != null ? staged.sentBytes() : 0;
        long moved = there ? bytes : stage.status() == Status.WAITING ? transfers.movedIn(stage.id()) : 0;
        long rate = stage.status() == Status.WAITING ? transfers.rateIn(stage.id()) : 0;
        return new StagedView(
                stage.id(),
                stage.site(),
                paths(stage.data().inputs()),
                stage.status() == Status.GONE
                        ? Status.GOING.name()
                        : stage.status().name(),
                stage.why(),
                files,
                bytes,
                new StagedView.MovedView(
                        moved, sent, there ? Math.max(0, bytes - sent) : 0, rate, secondsLeft(bytes - moved, rate)),
                stage.keptUntil(),
                stage.usedAt());
    }

    static @Nullable Long secondsLeft(long bytes, long rate) {
        return rate <= 0 || bytes < 0 ? null : Long.valueOf(Math.ceilDiv(bytes, rate));
    }

    private static StagedView view(JobRecord job) {
        JobRun.Staged staged = job.run().staged();
        Checksum bundle = staged == null ? null : staged.bundle();
        long bytes = bundle == null ? 0 : bundle.bytes();
        long sent = staged == null ? 0 : staged.sentBytes();
        return new StagedView(
                job.id(),
                job.run().site(),
                paths(job.spec().inputs()),
                "JOB",
                "",
                staged == null ? 0 : staged.files(),
                bytes,
                new StagedView.MovedView(bytes, sent, Math.max(0, bytes - sent), 0, null),
                null,
                job.since());
    }

    private static List<String> paths(List<JobSpec.Input> inputs) {
        return inputs.stream().map(JobSpec.Input::pattern).toList();
    }
}
