package org.spillway.head.cause;

import java.time.Duration;
import java.util.Locale;
import org.spillway.policy.Money;
import org.spillway.settings.Quantities;

/** Sentences of clusters on demand. */
final class ClusterText {
    private ClusterText() {}

    static String of(ClusterCause cause) {
        return switch (cause) {
            case ClusterCause.ClusterFact fact -> fact.sentence();
            case ClusterCause.ApprovedBy(String by) -> "approved by " + by;
            case ClusterCause.RejectedBy(String by, String said) -> "rejected by " + by + ": " + said;
            case ClusterCause.Unanswered(long seconds) ->
                "nobody answered within " + Quantities.write(Duration.ofSeconds(seconds));
            case ClusterCause.WithdrawnBy(String by) -> "withdrawn by " + by;
            case ClusterCause.DeletedBy(String by) -> "deleted by " + by;
            case ClusterCause.StoppedBy(String by) -> "stopped by " + by;
            case ClusterCause.StartedBy(String by) -> "started by " + by;
            case ClusterCause.StageFailed(var stage, Cause why) -> "stage " + stage.text() + SiteText.after(why);
            case ClusterCause.StageLate(var stage, long seconds, Cause why) ->
                "stage " + stage.text() + ": not done within " + seconds + " s" + SiteText.after(why);
            case ClusterCause.StartFailed(Cause why) -> "it could not be started" + SiteText.after(why);
            case ClusterCause.WorkFailed(String said) -> said;
            case ClusterCause.SiteNotListed(String said) -> "its site cannot be listed: " + said;
            case ClusterCause.HeadAway(String said) -> "its head is away: " + said;
            case ClusterCause.HeadSilent(String said) -> "its head does not answer: " + said;
            case ClusterCause.HeadAnswers(int status) -> "its head answers " + status;
            case ClusterCause.HeadMachine(String state) -> "the machine of its head is " + state;
            case ClusterCause.StopDelayed(String said) -> "not yet stopped, trying again: " + said;
            case ClusterCause.NodesAwaited(int ready, int wanted) -> ready + " of " + wanted + " nodes are ready";
            case ClusterCause.NodesRefused(int there, int wanted, String said) ->
                there + " of " + wanted + " nodes, and no more for now: " + said;
            case ClusterCause.SiteFull(String site, int free, int wanted) ->
                "site " + site + " has room for " + free + " more nodes and it needs " + wanted
                        + ": nothing is bought before there is room";
            case ClusterCause.NodesToGo(int surplus, int nodes) ->
                surplus + " of " + nodes + " nodes are to go, those with jobs when these are over";
            case ClusterCause.NodesEnding(long nodes) -> nodes + " nodes are ending";
            case ClusterCause.NotEmpty(String left) -> left;
            case ClusterCause.AboveLimit above -> found(above) + "; " + allowed(above);
        };
    }

    static String found(ClusterCause.AboveLimit above) {
        String name = above.amount().name().toLowerCase(Locale.ROOT);
        return switch (above.amount()) {
            case CLUSTERS -> name + ": there are " + above.found() + " already";
            case NODES, GPUS ->
                name + ": found " + above.found() + beside(above.others() + " in other clusters", above);
            case BUDGET ->
                name + ": found " + new Money(above.found())
                        + beside(new Money(above.others()) + " of other clusters", above);
            case TTL -> name + ": found " + Quantities.write(Duration.ofSeconds(above.found()));
        };
    }

    private static String beside(String what, ClusterCause.AboveLimit above) {
        return above.others() == 0 ? "" : ", beside " + what;
    }

    static String allowed(ClusterCause.AboveLimit above) {
        String most = switch (above.amount()) {
            case CLUSTERS -> above.most() + " at a time";
            case NODES, GPUS -> above.most() + " together";
            case BUDGET -> new Money(above.most()) + " together";
            case TTL -> Quantities.write(Duration.ofSeconds(above.most()));
        };
        return "at most " + most + " (" + above.rule() + " of " + above.holder() + ")";
    }
}
