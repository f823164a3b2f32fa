package org.spillway.head.cause;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.stream.Collectors;
import org.spillway.head.cause.JobCause.Admitted;
import org.spillway.head.cause.JobCause.DependencyEnded;
import org.spillway.head.cause.JobCause.DependencyMissing;
import org.spillway.head.cause.JobCause.EndedElsewhere;
import org.spillway.head.cause.JobCause.FailedAfterBreak;
import org.spillway.head.cause.JobCause.GivenUp;
import org.spillway.head.cause.JobCause.LostNode;
import org.spillway.head.cause.JobCause.NodeNoted;
import org.spillway.head.cause.JobCause.NodeRefused;
import org.spillway.head.cause.JobCause.NotRequeued;
import org.spillway.head.cause.JobCause.OutputMissing;
import org.spillway.head.cause.JobCause.OutputUnplaced;
import org.spillway.head.cause.JobCause.OutputsUnplaced;
import org.spillway.head.cause.JobCause.ResultsGivenUp;
import org.spillway.head.cause.JobCause.ResultsNotSent;
import org.spillway.head.cause.JobCause.RunLost;
import org.spillway.head.cause.JobCause.RunsOn;
import org.spillway.head.cause.JobCause.ScriptFailed;
import org.spillway.head.cause.JobCause.Unpublished;
import org.spillway.head.cause.JobCause.Unstageable;
import org.spillway.head.cause.NodeCause.DirectorFailed;
import org.spillway.head.cause.NodeCause.InstanceEnded;
import org.spillway.head.cause.NodeCause.JobsWait;
import org.spillway.head.cause.NodeCause.LaunchRefused;
import org.spillway.head.cause.NodeCause.NotEnded;
import org.spillway.head.cause.NodeCause.NotStarted;
import org.spillway.head.cause.NodeCause.Overlaid;
import org.spillway.head.cause.NodeCause.Planned;
import org.spillway.head.cause.NodeCause.PoweredOff;
import org.spillway.head.cause.NodeCause.PoweredOn;
import org.spillway.head.cause.NodeCause.ProfileGone;
import org.spillway.head.cause.NodeCause.Repurposed;
import org.spillway.head.cause.NodeCause.StandingWanted;
import org.spillway.head.cause.NodeCause.StoppedTooLong;

/** The one place where causes become sentences; those of waiting and of places are in {@link WaitText}. */
final class CauseText {
    private CauseText() {}

    static String of(Cause cause) {
        return switch (cause) {
            case Cause.None none -> "";
            case Told told -> told.text();
            case NodeCause node -> of(node);
            case JobCause job -> of(job);
            case WaitCause wait -> WaitText.of(wait);
            case PlaceCause place -> WaitText.of(place);
            case SiteCause site -> SiteText.of(site);
            case RecoveryCause recovery -> RecoveryCause.text(recovery);
            case RolloutCause rollout -> RolloutCause.text(rollout);
            case LaunchCause launch -> of(launch);
            case ClusterCause cluster -> ClusterText.of(cluster);
            case BreakerCause breaker -> BreakerCause.seen(breaker).text();
        };
    }

    private static String of(NodeCause cause) {
        return switch (cause) {
            case NodeCause.NodeFact fact -> fact.sentence();
            case InstanceEnded(var during) ->
                "its instance ended while it was " + during.name().toLowerCase(Locale.ROOT);
            case PoweredOff(Cause why) -> "powered off" + because(why);
            case PoweredOn(Cause why) -> "powered on" + because(why);
            case NotStarted(String said) -> "it could not be started: " + said;
            case NotEnded(Cause was, String said) ->
                (was.isNone() ? "" : was.text() + "; ") + "its instance could not be ended, it is asked for again: "
                        + said;
            case StoppedTooLong(long seconds) -> "stopped for longer than " + Duration.ofSeconds(seconds);
            case LaunchRefused(var reason, String said) -> reason + ": " + said;
            case Repurposed(String category, Cause why) ->
                "repurposed as " + (category.isEmpty() ? "one without a category" : category) + because(why);
            case Overlaid(String overlay, boolean joined, Cause why) ->
                (joined ? "joins overlay " : "leaves overlay ") + overlay + because(why);
            case ProfileGone(String profile) ->
                "not made " + profile + ": the configuration does not have that any more";
            case DirectorFailed(Cause how, Cause said) -> how.text() + (said.isNone() ? "" : ": " + said.text());
            case NodeCause.GateFailed(String check, String said) -> "it did not pass its gate: " + check + ": " + said;
            case NodeCause.Sick(String said) -> "it is sick: " + said;
            case NodeCause.HostShut(String host) ->
                "its provider's machine " + host + " is shut: too many nodes there have fallen sick";
            case NodeCause.Drifted(String said) -> "its root differs from its version: " + said;
            case NodeCause.NotIsolated(String lacks) -> "jobs on it are not kept apart as they could be: " + lacks;
            case NodeCause.Withheld(String said) -> "kept from jobs in its workload manager: " + said;
            case NodeCause.Reclaimed(long at) -> "its provider takes it back at " + Instant.ofEpochSecond(at);
            case NodeCause.AtRisk(long at) ->
                "its provider has said at " + Instant.ofEpochSecond(at) + " that it may take it back soon";
            case JobsWait(String site) -> "jobs wait for site " + site;
            case StandingWanted(String site, int count, String type) ->
                "site " + site + " keeps " + count + " of " + type;
            case Planned(String said) -> said;
        };
    }

    private static String of(LaunchCause cause) {
        return switch (cause) {
            case LaunchCause.LaunchFact fact -> fact.sentence();
            case LaunchCause.LaunchUnknown(String said) -> "no certain answer: " + said;
            case LaunchCause.FewerSeen(int seen, int asked) -> seen + " of " + asked + " were ever seen";
        };
    }

    private static String because(Cause why) {
        return why == NodeCause.NodeFact.BY_HAND ? " " + why.text() : ": " + why.text();
    }

    private static String of(JobCause cause) {
        return switch (cause) {
            case JobCause.JobFact fact -> fact.sentence();
            case RunsOn(var nodes) -> "on " + String.join(", ", nodes);
            case Unstageable(String said) -> "its input cannot be staged: " + said;
            case JobCause.NotPulled pulled -> InputText.of(pulled);
            case JobCause.InputsMissing(var first, int failed, int files) ->
                failed + " of " + files + " files of its input did not come: "
                        + first.stream().map(Cause::text).collect(Collectors.joining("; "))
                        + (failed > first.size() ? "; and others" : "");
            case NodeRefused(String said) -> "its node refused it: " + said;
            case LostNode(String node) -> "its node " + node + " was lost";
            case JobCause.TakenBack(String node, boolean kept) ->
                "its node " + node + " was taken back by its provider"
                        + (kept ? "; what it had left is there for its next attempt" : "");
            case NotRequeued(Cause why) -> why.text() + ", and it is not to be requeued";
            case GivenUp(Cause why, int attempts) -> why.text() + ", for the " + attempts + ". time";
            case Unpublished(String said, String folder) ->
                "its results could not be put in their places: " + said
                        + (folder.isEmpty() ? "" : "; " + hidden("they", folder));
            case OutputUnplaced(String pattern, String destination, String said) ->
                pattern + " is not in its place " + destination + ": " + said;
            case OutputsUnplaced(var outputs, var kept) ->
                "OUTPUT_UNPLACED: "
                        + outputs.stream().map(Cause::text).collect(Collectors.joining("; "))
                        + (kept.isEmpty()
                                ? ""
                                : "; its results are kept in " + String.join(" and ", kept)
                                        + " (tar -xf FILE -C FOLDER takes them out)");
            case ResultsGivenUp(String folder) ->
                JobCause.JobFact.CANCELLED_BY_USER.sentence()
                        + (folder.isEmpty() ? "" : "; " + hidden("its results", folder));
            case ScriptFailed(Cause why, int code) -> before(why) + "its script ended with exit code " + code;
            case ResultsNotSent(Cause why) ->
                JobCause.JobFact.BARREN.sentence() + (why.isNone() ? "" : ": " + why.text());
            case NodeNoted(Cause said, Cause what) ->
                (what.isNone() ? "" : what.text() + "; ") + "its node says: " + said.text();
            case OutputMissing(var patterns, boolean strict) ->
                "OUTPUT_MISSING: " + (strict ? "it did not make " : "") + String.join(", ", patterns);
            case RunLost(Cause what, Cause why, boolean requeue) ->
                before(why) + what.text() + (requeue ? "" : ", and it is not to be requeued") + ": submit it anew";
            case EndedElsewhere(Cause why, int code) ->
                before(why)
                        + (code == 0
                                ? "it ran on nodes that are not the head's"
                                : "it ended with exit code " + code + ", not on nodes of the head's");
            case FailedAfterBreak(Cause why, int code) ->
                before(why) + "it ended with exit code " + code + " after its run was broken off";
            case DependencyMissing(String job) -> "job " + job + ", which it depends on, does not exist";
            case DependencyEnded(String job, var as) -> "job " + job + ", which it depends on, ended as " + as;
            case Admitted(var notes) -> String.join("; ", notes);
        };
    }

    private static String before(Cause why) {
        return why.isNone() ? "" : why.text() + ": ";
    }

    private static String hidden(String what, String folder) {
        return what + " are kept in .spillway-*.part files of " + folder + " (tar -xf FILE -C FOLDER takes them out)";
    }
}
