package org.spillway.head.service;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.JobState;
import org.spillway.api.LogView;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.Journal;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.link.LogPart;
import org.spillway.head.loop.Loop;

/** Output of running jobs, as far as their directors have it. What came home is read by its user alone. */
final class JobLogs {
    private final Journal journal;
    private final Loop loop;
    private final DirectorLink link;

    JobLogs(Journal journal, Loop loop, DirectorLink link) {
        this.journal = journal;
        this.loop = loop;
        this.link = link;
    }

    LogView log(String id, String stream, int rank, long after) {
        JobRecord job = journal.job(id)
                .orElseThrow(() -> new ApiException(
                        Code.NOT_FOUND, "there is no job " + id, "'spillway queue --all' lists your jobs"));
        if (rank >= job.spec().nodes()) {
            throw new ApiException(
                    Code.NOT_FOUND,
                    "job " + id + " has no rank " + rank,
                    "its ranks are 0 to " + (job.spec().nodes() - 1));
        }
        JobRun run = job.run();
        boolean running = job.jobState() == JobState.RUNNING || job.jobState() == JobState.STAGING_OUT;
        if (!running || rank >= run.ranks().size()) {
            return new LogView(id, run.attempt(), stream, rank, after, after, "", !job.isLive());
        }
        JobRun.Rank part = run.ranks().get(rank);
        Optional<LogPart> found = ask(job, part.node(), stream, after);
        if (found.isEmpty() || found.get().end() <= after) {
            // A director that was started again knows less than it told before: nobody goes back for that.
            return new LogView(id, run.attempt(), stream, rank, after, after, "", part.isOver());
        }
        LogPart whole = found.get();
        int length = complete(whole.bytes());
        String text = new String(whole.bytes(), 0, length, StandardCharsets.UTF_8);
        return new LogView(id, run.attempt(), stream, rank, whole.from(), whole.from() + length, text, false);
    }

    private Optional<LogPart> ask(JobRecord job, String node, String stream, long after) {
        DirectorTarget director = loop.director(job.run().site())
                .orElseThrow(() -> new ApiException(
                        Code.UNAVAILABLE,
                        "the director of site " + job.run().site() + " is not there now",
                        "the whole comes home at the end; try again"));
        try {
            return link.log(director, job.id(), job.run().attempt(), node, stream, after);
        } catch (LinkDownException down) {
            throw new ApiException(
                    Code.UNAVAILABLE, String.valueOf(down.getMessage()), "the whole comes home at the end; try again");
        }
    }

    /** Bytes up to the last whole character of UTF-8: the rest of one that is cut off comes with the next piece. */
    static int complete(byte[] bytes) {
        for (int back = 1; back <= 3 && back <= bytes.length; back++) {
            int lead = bytes[bytes.length - back] & 0xff;
            if (lead >= 0xc0) {
                int needed = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
                return needed > back ? bytes.length - back : bytes.length;
            }
            if (lead < 0x80) {
                break;
            }
        }
        return bytes.length;
    }
}
