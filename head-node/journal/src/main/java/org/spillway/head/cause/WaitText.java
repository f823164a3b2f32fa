package org.spillway.head.cause;

import java.util.Locale;
import java.util.stream.Collectors;
import org.spillway.policy.Limits;
import org.spillway.policy.Money;

/** Sentences of what waits. */
final class WaitText {
    private WaitText() {}

    static String of(WaitCause cause) {
        return switch (cause) {
            case WaitCause.WaitFact fact -> fact.sentence();
            case WaitCause.WaitsForJob(String job, var state) -> "waits for job " + job + " (" + state + ")";
            case WaitCause.ArrayLimit(int most) -> "array limit: " + most + " of its tasks at once";
            case WaitCause.LicenceTaken(String licence) -> "waits for licence " + licence;
            case WaitCause.InputOnTheWay(String site, boolean ofArray) ->
                "its input is on the way to site " + site + (ofArray ? " for another task of its array" : "");
            case WaitCause.CheckpointOnTheWay(String site) -> "its checkpoint is on the way to site " + site;
            case WaitCause.InputInTurn(String site) -> "its input waits for its turn to be copied to site " + site;
            case WaitCause.InputInterrupted(String said) ->
                "staging its input was interrupted and will be tried again: " + said;
            case WaitCause.SpaceFull(String site, long there, long most, long needed) ->
                "its user's jobs have " + there + " of " + most + " bytes in the staging space of site " + site
                        + " (staging.perUser), and its input is " + needed + ": it waits until others have ended";
            case WaitCause.DirectorNotReady(String site, Cause ailment) ->
                "the director of site " + site + " is not ready" + SiteText.after(ailment);
            case WaitCause.NoDirector(String site, Cause obstacle) ->
                "site " + site + " has no director" + SiteText.after(obstacle);
            case WaitCause.ResultsAwaitDirector(String site) -> "its results wait for the director of site " + site;
            case WaitCause.ResultsNotHome(String said) ->
                "its results could not be brought home, trying again: " + said;
            case WaitCause.OutputsNotInPlace(var outputs) ->
                "not yet in their places, trying again (cancel ends it): "
                        + outputs.stream().map(Cause::text).collect(Collectors.joining("; "));
            case WaitCause.OrderNotMade(String said) -> "its order cannot be made: " + said;
            case WaitCause.NodesOfOtherMarkets(var nodes) ->
                "it was given " + String.join(", ", nodes) + ", bought in a market that its queue does not allow";
            case WaitCause.SitesMixed(var sites) ->
                "its nodes are of the sites " + String.join(" and ", sites)
                        + ", and a job runs in one: they are taken off it, and it waits for others; -p SITE names one";
            case WaitCause.ScriptsTooLarge(String site) ->
                "site " + site + " has as many large scripts as its director can be told of";
            case WaitCause.NodeOnTheWay(String type, String zone) -> "its node is on the way: " + type + " in " + zone;
            case WaitCause.NodePoweredOn(String node) -> "its node is powered on: " + node;
            case WaitCause.NodeRepurposed(String node) -> "a node is repurposed for it: " + node;
            case WaitCause.PlanHolds(String said, var by, String name) -> said;
            case WaitCause.DryRun(String what) -> "dry run: " + what;
            case WaitCause.Budget(Money left, Money needed, var purpose) ->
                "the budget has " + left + " left, " + would(purpose, needed);
            case WaitCause.LimitReached limit -> of(limit);
            case WaitCause.QuotaFull(var site, var quota, var title, var unit, long used, long most, var raise) ->
                "the provider's quota " + quota + (title.isEmpty() ? "" : " (" + title + ")") + " of site " + site
                        + " has no room: " + used + " of " + most + (unit == Limits.Unit.NODES ? " machines" : " vCPUs")
                        + " are used; to raise it: " + raise;
            case WaitCause.NoSlots(String manager, String type, String site) ->
                manager + " has no more room for " + type + " in site " + site;
        };
    }

    private static String would(WaitCause.Purpose purpose, Money needed) {
        return switch (purpose) {
            case RUN -> "its run may cost " + needed + " more";
            case COMMITMENT -> "its run would commit " + needed;
            case NODE -> "its node would reserve " + needed;
            case START -> "starting its node would reserve " + needed;
            case REPURPOSING -> "repurposing a node would reserve " + needed;
            case TURN -> "repurposing it would reserve " + needed;
        };
    }

    private static String of(WaitCause.LimitReached limit) {
        String of = limit.scope() == Limits.Scope.ALL
                ? "all sites"
                : limit.scope().name().toLowerCase(Locale.ROOT).replace('_', ' ') + " " + limit.name();
        String amount = switch (limit.unit()) {
            case MONEY_MICROS -> "committed " + new Money(limit.used()) + " of " + new Money(limit.most());
            case GPUS, CPUS ->
                limit.used() + " of " + limit.most() + " " + limit.unit().name().replace("S", "s");
            case NODES, LICENCES ->
                limit.used() + " of " + limit.most() + " " + limit.unit().name().toLowerCase(Locale.ROOT);
        };
        Money needed = limit.needed();
        return "limit of " + of + ": " + amount
                + (needed.equals(Money.ZERO) ? "" : ", " + would(limit.purpose(), needed));
    }

    static String of(PlaceCause cause) {
        return switch (cause) {
            case PlaceCause.PlaceFact fact -> fact.sentence();
            case PlaceCause.SiteUnusable(String site, Cause trouble) ->
                "site " + site + " cannot be used" + SiteText.after(trouble);
            case PlaceCause.SiteTrouble(String site, Cause trouble) -> "site " + site + SiteText.after(trouble);
            case PlaceCause.SiteUnknown(String site) -> "site " + site + " is not configured";
            case PlaceCause.TooSmall(String site, var among) ->
                "site " + site + " has nothing that is large enough"
                        + (among.isEmpty() ? "" : " among " + String.join(", ", among));
            case PlaceCause.OtherMarkets(String site, var allowed) ->
                "site " + site + " sells what is large enough for it in other markets only: it may have "
                        + (allowed.isEmpty() ? "none" : String.join(", ", allowed));
            case PlaceCause.NoRoom(String site) -> "site " + site + " has no free room";
            case PlaceCause.NoRoomToBuy(String site, int buyable) ->
                "site " + site + " has no free room, and "
                        + (buyable <= 0 ? "no more may be bought" : "only " + buyable + " more may be bought");
            case PlaceCause.OfferingHeld(String type, String zone, Cause why) ->
                type + " in zone " + zone + " is kept back: " + why.text();
            case PlaceCause.OfferingRefused(String type, String zone, String said) ->
                type + " " + said + " in zone " + zone;
            case PlaceCause.BudgetForType(Money left, Money needed, String type, String site, Money results) ->
                "the budget has " + left + " left, a node of " + type + " in site " + site + " would reserve " + needed
                        + (results.isMoreThan(Money.ZERO) ? ", its results " + results : "");
            case PlaceCause.GivenNodes(String site) -> "it was given nodes of site " + site;
            case PlaceCause.SiteChosen(String site, boolean cheapest, boolean homeFull, Money results) ->
                "site " + site + " is the " + (cheapest ? "cheapest" : "first") + " that can take it now"
                        + (homeFull ? ", and home is full" : "")
                        + (results.isMoreThan(Money.ZERO)
                                ? "; its results are expected to cost " + results + " on their way home"
                                : "");
            case PlaceCause.SiteExpected(String site) ->
                "no site can take it now, site " + site + " is expected to be the first";
            case PlaceCause.SoonerAtHome(String home, long homeSeconds, String other, long otherSeconds) ->
                "site " + home + " is expected to have room in " + homeSeconds + " s, site " + other
                        + " could start it in " + otherSeconds + " s";
            case PlaceCause.SiteBetter(String site, String other, Cause obstacle) ->
                "site " + site + " can take it now, site " + other + " cannot: " + obstacle.text();
            case PlaceCause.NoSite(var obstacles) ->
                "no site can take it: "
                        + obstacles.stream().map(Cause::text).distinct().collect(Collectors.joining("; "));
        };
    }
}
