package org.spillway.proof.demo;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.policy.Money;

/**
 * A demo's result, as {@code --json} writes it.
 *
 * @param chaos null when none was asked for
 * @param seconds from the command's start to the report
 */
record DemoReport(
        AnswerPart answer,
        List<JobPart> jobs,
        GangPart gang,
        InstancesPart instances,
        IdentityPart identity,
        ImagesPart images,
        OwnersPart owners,
        @Nullable ChaosPart chaos,
        RegionsPart regions,
        BigDecimal seconds) {
    private static final int LEAST_JOBS_IN_REGIONS = 3;

    DemoReport {
        jobs = List.copyOf(jobs);
    }

    record AnswerPart(SortedMap<String, Answer.Line> expected, SortedMap<String, Answer.Line> got, boolean equal) {
        static AnswerPart of(Answer expected, Answer got) {
            return new AnswerPart(expected.clusters(), got.clusters(), expected.equals(got));
        }
    }

    /**
     * @param timeline null for what has not happened
     * @param bytesSaved of its input that its site, or its nodes, had before
     * @param kept price of its work on machines that were taken back, which need not be done again
     */
    record JobPart(
            String id,
            String name,
            String queue,
            String site,
            JobState state,
            String reason,
            int attempt,
            int nodes,
            JobDetail.Timings timeline,
            long bytesIn,
            long bytesOut,
            long bytesSaved,
            Money cost,
            Money kept) {
        static JobPart of(JobDetail detail) {
            var job = detail.job();
            var data = detail.data();
            var notices = data == null ? null : data.notices();
            return new JobPart(
                    job.id(),
                    job.name(),
                    job.queue(),
                    job.site(),
                    job.state(),
                    job.reason(),
                    job.attempt(),
                    job.nodeCount(),
                    detail.timings(),
                    job.bytesIn(),
                    job.bytesOut(),
                    data == null ? 0 : data.savedBytes() + data.nodeSavedBytes(),
                    job.cost(),
                    notices == null ? Money.ZERO : notices.saved());
        }
    }

    /** @param withinSeconds between the first and the last start; null when there were not two */
    record GangPart(List<Instant> starts, @Nullable BigDecimal withinSeconds) {
        GangPart {
            starts = List.copyOf(starts);
        }

        static GangPart of(JobDetail gang) {
            List<Instant> starts = gang.ranks().stream()
                    .map(JobDetail.RankView::startedAt)
                    .filter(Objects::nonNull)
                    .toList();
            if (starts.size() < 2 || starts.size() < gang.job().nodeCount()) {
                return new GangPart(starts, null);
            }
            Instant first = starts.stream().min(Comparator.naturalOrder()).orElseThrow();
            Instant last = starts.stream().max(Comparator.naturalOrder()).orElseThrow();
            return new GangPart(starts, DemoReport.seconds(Duration.between(first, last), 3));
        }
    }

    /**
     * As the clouds themselves say.
     *
     * @param left that have not ended, as the clouds say or as the drivers list them, whichever is more
     * @param bill what the drivers' inventories name at the end: kind and id
     * @param kept they were asked to stay
     */
    record InstancesPart(int launched, int terminated, int left, List<String> bill, boolean kept) {
        InstancesPart {
            bill = List.copyOf(bill);
        }
    }

    /**
     * @param instances that served as somebody's node or director
     * @param unowned that lived after the sweep without a node of the head: none may
     * @param twins nodes that more than one instance has joined as: none may be
     */
    record OwnersPart(int instances, List<String> unowned, List<String> twins) {
        OwnersPart {
            unowned = List.copyOf(unowned);
            twins = List.copyOf(twins);
        }
    }

    /**
     * @param cloud what the regions are: local, aws, azure or openstack, emulated on this machine; {@code given} for
     *     those of a file
     * @param gangWithinSeconds what is asked of a gang there
     * @param notice what became of a job whose machine was taken from it; null where none was
     */
    record RegionsPart(
            String cloud, List<String> names, BigDecimal gangWithinSeconds, NoticeAct.@Nullable Part notice) {
        RegionsPart {
            names = List.copyOf(names);
        }
    }

    /**
     * @param user that was added while jobs ran
     * @param found region, and after how many seconds the user was found there
     * @param ranAsUser every job that ran has run with the number of the user who submitted it
     */
    record IdentityPart(boolean replicated, boolean ranAsUser, String user, SortedMap<String, BigDecimal> found) {}

    /** @param nodes that told which image they verified */
    record ImagesPart(boolean digestsEqual, String home, Map<String, List<String>> directors, int nodes) {}

    /** @param at seconds after the start; null when there was nothing to hit */
    record ChaosPart(String kind, long seed, @Nullable BigDecimal at, String what) {}

    static BigDecimal seconds(Duration time, int decimals) {
        return BigDecimal.valueOf(time.toMillis(), 3).setScale(decimals, RoundingMode.HALF_UP);
    }

    /** Broken promises, for people; none when all is as it should be. */
    List<String> broken() {
        List<String> broken = new ArrayList<>();
        if (!answer.equal) {
            broken.add("the merged answer is not the one that was computed directly");
        }
        for (JobPart job : jobs) {
            if (job.state != JobState.DONE) {
                broken.add("job " + job.id + " (" + job.name + ") is " + job.state + ": " + job.reason);
            }
        }
        long inRegions = inRegions();
        if (inRegions < LEAST_JOBS_IN_REGIONS) {
            broken.add(inRegions + " jobs ran in a region, fewer than " + LEAST_JOBS_IN_REGIONS);
        }
        if (gang.withinSeconds == null || gang.withinSeconds.compareTo(regions.gangWithinSeconds) > 0) {
            broken.add("the gang did not start within " + regions.gangWithinSeconds + " s: " + gang.starts);
        }
        if (instances.left != 0 && !instances.kept) {
            broken.add(instances.left + " instances are left");
        }
        if (!instances.bill.isEmpty() && !instances.kept) {
            broken.add("still on the bill: " + String.join(", ", instances.bill));
        }
        if (!owners.unowned.isEmpty()) {
            broken.add("without an owner after the sweep: " + String.join(", ", owners.unowned));
        }
        if (!owners.twins.isEmpty()) {
            broken.add("two have joined as one node: " + String.join("; ", owners.twins));
        }
        if (!identity.replicated) {
            broken.add("the user " + identity.user + " was found in " + identity.found.keySet() + " only");
        }
        if (!identity.ranAsUser) {
            broken.add("a job did not run as the user who submitted it");
        }
        if (!images.digestsEqual) {
            broken.add("a director or node has another image than home");
        }
        if (regions.notice != null) {
            boolean usual = regions.gangWithinSeconds.compareTo(BigDecimal.ONE) <= 0;
            broken.addAll(NoticeAct.broken(regions.notice, BigDecimal.valueOf(usual ? 2 : 5)));
        }
        if (chaos != null && chaos.at == null) {
            broken.add("there was nothing to hit: " + chaos.what);
        }
        return broken;
    }

    long inRegions() {
        return jobs.stream()
                .filter(job -> regions.names.contains(job.site) && job.state == JobState.DONE)
                .count();
    }
}
