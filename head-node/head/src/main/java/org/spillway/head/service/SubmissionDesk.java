package org.spillway.head.service;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.api.JobView;
import org.spillway.api.ManySubmissions;
import org.spillway.api.ManySubmissions.Mode;
import org.spillway.api.ManySubmitted.SubmissionAnswer;
import org.spillway.api.Submitted;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.UserLoads.Load;
import org.spillway.head.loop.Change;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.LoopRunner;
import org.spillway.head.rest.Caller;

/**
 * Takes jobs: judged on the thread that asks, numbered and written on the loop's. Single ones that wait together share a
 * write, and many of one request are one.
 */
final class SubmissionDesk {
    private final Journal journal;
    private final Loop loop;
    private final LoopRunner runner;
    private final Admission admission;
    private final HeadViews views;
    private final HomeWords homes;
    private final Allowance allowance;
    private final MemoryRoom memory = new MemoryRoom();
    private final InstantSource clock;

    SubmissionDesk(
            Journal journal, Loop loop, LoopRunner runner, Admission admission, HeadViews views, InstantSource clock) {
        this.journal = journal;
        this.loop = loop;
        this.runner = runner;
        this.admission = admission;
        this.views = views;
        this.allowance = admission.allowance();
        this.homes = admission.homes();
        this.clock = clock;
    }

    /** @throws ApiException as {@code HeadApi.submit} */
    Submitted submit(Caller caller, JobSubmission submission, String key) {
        Optional<JobRecord> known = known(caller, submission, key);
        if (known.isPresent()) {
            return again(known.get());
        }
        Judgement judgement;
        try {
            judgement = judge(caller, submission, key);
        } catch (ApiException refused) {
            // An equal request may have been written meanwhile: its repetition takes nothing more.
            return known(caller, submission, key).map(this::again).orElseThrow(() -> refused);
        }
        return runner.change("submission " + caller.uid() + " " + key, now -> {
            // Once more on the one thread that writes: two equal requests may come at the same time.
            Optional<JobRecord> meanwhile = known(caller, submission, key);
            if (meanwhile.isPresent()) {
                return Change.none(again(meanwhile.get()));
            }
            needOpen();
            allowed(caller, load(judgement));
            List<JobRecord> jobs = jobs(judgement, submission, now);
            return new Change<>(
                    jobs,
                    new Submitted(
                            nameOf(jobs.getFirst()),
                            jobs.stream().map(job -> views.job(job, now)).toList()));
        });
    }

    /** @return an answer for each, in their order */
    List<SubmissionAnswer> submit(
            Caller caller, Mode mode, ManySubmissions.Ahead ahead, List<ManySubmissions.KeyedSubmission> asked) {
        List<Candidate> candidates = new ArrayList<>();
        Load load = journal.load(caller.uid());
        if (mode == Mode.CHECK) {
            load = load.plus(new Load(ahead.jobs(), ahead.characters()));
        }
        for (ManySubmissions.KeyedSubmission one : asked) {
            Candidate candidate = candidate(caller, one, load);
            load = candidate.load;
            candidates.add(candidate);
        }
        boolean nothing =
                mode == Mode.CHECK || (mode == Mode.ALL && candidates.stream().anyMatch(one -> one.answer.isRefused()));
        boolean anyNew = candidates.stream().anyMatch(one -> one.judgement.isPresent());
        return nothing || !anyNew
                ? candidates.stream().map(Candidate::answer).toList()
                : runner.ask(now -> write(caller, mode, candidates, now));
    }

    /**
     * A submission of many.
     *
     * @param judgement empty for one that is refused or was submitted before
     * @param load of the user's jobs with this one and those before it
     */
    private record Candidate(
            ManySubmissions.KeyedSubmission asked, Optional<Judgement> judgement, SubmissionAnswer answer, Load load) {
        Candidate refused(ApiException why) {
            return new Candidate(asked, Optional.empty(), SubmissionAnswer.refused(why), load);
        }
    }

    private Candidate candidate(Caller caller, ManySubmissions.KeyedSubmission one, Load before) {
        Candidate unknown = new Candidate(one, Optional.empty(), SubmissionAnswer.ACCEPTABLE, before);
        try {
            Optional<JobRecord> known = known(caller, one.job(), one.key());
            if (known.isPresent()) {
                return new Candidate(one, Optional.empty(), SubmissionAnswer.submitted(nameOf(known.get())), before);
            }
            Judgement judgement = judge(caller, one.job(), one.key());
            Load with = before.plus(load(judgement));
            check(caller, with);
            return new Candidate(one, Optional.of(judgement), SubmissionAnswer.ACCEPTABLE, with);
        } catch (ApiException refused) {
            return journal.store()
                    .jobByKey(caller.uid(), one.key())
                    .filter(job -> Tasks.same(job.spec().idempotencyKey(), one.job()))
                    .map(job -> new Candidate(one, Optional.empty(), SubmissionAnswer.submitted(nameOf(job)), before))
                    .orElseGet(() -> unknown.refused(refused));
        }
    }

    /** All that is new is one commit. */
    private List<SubmissionAnswer> write(Caller caller, Mode mode, List<Candidate> candidates, Instant now) {
        needOpen();
        journal.store().reserve((int)
                candidates.stream().filter(one -> one.judgement.isPresent()).count());
        List<JobRecord> batch = new ArrayList<>();
        List<SubmissionAnswer> answers = new ArrayList<>();
        Load load = journal.load(caller.uid());
        for (int at = 0; at < candidates.size(); at++) {
            Candidate one = candidates.get(at);
            try {
                Optional<JobRecord> known = known(caller, one.asked.job(), one.asked.key());
                if (one.judgement.isEmpty() || known.isPresent()) {
                    answers.add(known.map(job -> SubmissionAnswer.submitted(nameOf(job)))
                            .orElse(one.answer));
                    continue;
                }
                load = load.plus(load(one.judgement.get()));
                check(caller, load);
                List<JobRecord> jobs = jobs(one.judgement.get(), one.asked.job(), now);
                batch.addAll(jobs);
                answers.add(SubmissionAnswer.submitted(nameOf(jobs.getFirst())));
            } catch (ApiException refused) {
                if (mode == Mode.ALL) {
                    List<SubmissionAnswer> none = new ArrayList<>(
                            candidates.stream().map(Candidate::answer).toList());
                    none.set(at, SubmissionAnswer.refused(refused));
                    return none;
                }
                answers.add(SubmissionAnswer.refused(refused));
            }
        }
        journal.commit(now, batch);
        return answers;
    }

    private Judgement judge(Caller caller, JobSubmission submission, String key) {
        memory.need();
        allowance.check(submission.array());
        // Files need no look where the number of jobs alone is too large.
        allowed(caller, new Load(submission.array().size(), 0));
        return admission.judge(caller, submission, key, clock.instant());
    }

    private void allowed(Caller caller, Load more) {
        check(caller, journal.load(caller.uid()).plus(more));
    }

    /** @param own of all of the user's jobs, with those that are to come */
    private void check(Caller caller, Load own) {
        int others = journal.liveJobCount() - journal.load(caller.uid()).jobs();
        allowance.check(caller, own, others + own.jobs());
    }

    private void needOpen() {
        if (loop.isReleasing()) {
            throw new ApiException(
                    Code.UNAVAILABLE, "this head is ending all its instances", "start it again to take jobs");
        }
        if (journal.store().isShortOfRoom()) {
            throw new ApiException(
                    Code.UNAVAILABLE,
                    "the head's disk is full: no new jobs are taken, so that those that run can come to their ends",
                    "ask an administrator to make room on the disk of the head's state directory");
        }
    }

    private static Load load(Judgement judgement) {
        return Load.of(judgement.spec()).times(judgement.tasks());
    }

    private List<JobRecord> jobs(Judgement judgement, JobSubmission submission, Instant now) {
        String id = Long.toString(journal.store().nextSequence());
        Cause notes = judgement.notes().isEmpty() ? Cause.NONE : new JobCause.Admitted(judgement.notes());
        return Tasks.of(id, judgement.spec(), submission.array()).stream()
                .map(task -> new JobRecord(
                        task.id(), homes.of(task.id(), task.spec()), JobState.SUBMITTED, notes, now, JobRun.NONE))
                .toList();
    }

    /** A job that this caller has submitted under that key before. @throws ApiException if it was another */
    private Optional<JobRecord> known(Caller caller, JobSubmission asked, String key) {
        if (JobSpec.isForeign(key)) {
            throw new ApiException(
                    Code.BAD_REQUEST,
                    "an idempotency key such as '" + key + "' is of a job of " + JobSpec.managerOf(key),
                    "choose another");
        }
        Optional<JobRecord> known = journal.store().jobByKey(caller.uid(), key);
        if (known.isPresent() && !Tasks.same(known.get().spec().idempotencyKey(), asked)) {
            throw new ApiException(
                    Code.KEY_REUSED,
                    "this idempotency key was used for another job, "
                            + known.get().id(),
                    "use a new key for each job");
        }
        return known;
    }

    private static String nameOf(JobRecord job) {
        JobSpec.ArrayTask task = job.spec().array();
        return task == null ? job.id() : task.id();
    }

    private Submitted again(JobRecord known) {
        String id = nameOf(known);
        Instant now = clock.instant();
        List<JobView> jobs = known.spec().array() == null
                ? List.of(views.job(known, now))
                : journal.store().tasks(id).stream()
                        .map(job -> views.job(job, now))
                        .toList();
        return new Submitted(id, jobs);
    }
}
