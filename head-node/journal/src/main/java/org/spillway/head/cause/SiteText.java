package org.spillway.head.cause;

import java.time.Instant;
import java.util.stream.Collectors;

/** Sentences of sites. */
final class SiteText {
    private SiteText() {}

    static String of(SiteCause cause) {
        return switch (cause) {
            case SiteCause.SiteFact fact -> fact.sentence();
            case SiteCause.ChecksFailed(var checks) ->
                checks.stream().map(Cause::text).collect(Collectors.joining("; "));
            case SiteCause.CheckFailed(String check, String said) -> check + ": " + said;
            case SiteCause.NotChecked(String said) -> "it could not be checked: " + said;
            case SiteCause.OfferingsNotRead(String said) -> "its offerings could not be read: " + said;
            case SiteCause.InstancesNotListed(String said) -> "its instances could not be listed: " + said;
            case SiteCause.TwinBuys(int machines) ->
                "machines here were bought by another head that was made of this one's state, and which this journal does"
                        + " not know: " + machines
                        + ". Nothing is bought until 'spillway recover' was told what becomes of"
                        + " them: first stop one of the two heads";
            case SiteCause.ListingDoubted(int missing, int of) ->
                "its listing is doubted: it lacks " + missing + " of " + of + " instances at once";
            case SiteCause.UnownedNotEnded(String said) -> "an instance without owner could not be ended: " + said;
            case SiteCause.EndsRefused(int machines, String said) ->
                machines + (machines == 1 ? " machine" : " machines") + " could not be ended and "
                        + (machines == 1 ? "costs" : "cost") + " money still: " + said;
            case SiteCause.DirectorNotInstalled(String said) -> "its director could not be installed: " + said;
            case SiteCause.DirectorConsole(Cause unreachable, String said) ->
                unreachable.text() + "; its console ends with: " + said;
            case SiteCause.HostKeyNotKept(String said) -> "its director's host key cannot be kept: " + said;
            case SiteCause.DirectorNotOffered(String type, String zone) ->
                "it does not offer " + type + (zone.isEmpty() ? "" : " in zone " + zone) + " for its director";
            case SiteCause.BudgetForDirector(var left, var needed) ->
                "the budget has " + left + " left, a director and a node would reserve " + needed;
            case SiteCause.DirectorShut(String breaker, Cause why) ->
                "no director is bought while breaker " + breaker + " is open" + after(why);
            case SiteCause.DirectorPaused(int failures, long pauseSeconds, Cause last) ->
                failures + " directors in a row did not come up, another is tried after a pause of " + pauseSeconds
                        + " s; the last" + after(last);
            case SiteCause.DirectorRefused(int zones, String why) ->
                "no zone of " + zones + " sells a director now: " + why;
            case SiteCause.DirectorTrialsSpent(int failures, var spent, var most, Cause last) ->
                failures + " directors in a row did not come up and cost " + spent + " of the " + most
                        + " that such may cost in 24 hours" + (last.isNone() ? "" : "; the last" + after(last));
            case SiteCause.DirectoryAway(long since, String said) ->
                "users and groups are as they were at " + Instant.ofEpochSecond(since)
                        + ": the directory is away, known users go on: " + said;
            case SiteCause.DirectorNotUp(Cause why) -> "its director does not come up" + after(why);
        };
    }

    /** Behind a sentence, where there is a reason. */
    static String after(Cause why) {
        return why.isNone() ? "" : ": " + why.text();
    }
}
