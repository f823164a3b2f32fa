package org.spillway.head.cause;

import java.util.ArrayList;
import java.util.List;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchRecord;
import org.spillway.policy.OfferingId;

/** Lines for the log of launches that gave less than was asked: one for each offering that a provider said so of. Pure. */
public final class LaunchText {
    private LaunchText() {}

    /**
     * @param launch by which it is known, such as the intent's id
     * @return none where all was given, or nobody knows what was
     */
    public static List<String> lines(String launch, List<LaunchRecord> records) {
        List<String> lines = new ArrayList<>();
        for (LaunchRecord one : records) {
            switch (one.outcome()) {
                case LaunchOutcome.Refused(var reason, String message) ->
                    lines.add("launch " + launch + " refused: " + said(one, 0, reason, message));
                case LaunchOutcome.Partial(int count, var reason, String message) ->
                    lines.add("launch " + launch + " in part: " + said(one, count, reason, message));
                case LaunchOutcome.Launched launched -> {}
                case LaunchOutcome.Unknown unknown -> {}
            }
        }
        return lines;
    }

    /** A provider's words begin with its code, where it has one. */
    private static String said(LaunchRecord one, int got, LaunchOutcome.Reason reason, String message) {
        OfferingId id = one.offering();
        return "site " + id.site() + ", zone " + id.zone() + ", type " + id.instanceType() + ", "
                + id.market().text() + "; asked for " + one.asked() + ", got " + got + "; " + reason + ": "
                + message.replaceAll("[\\p{Cntrl}\\s]+", " ").strip();
    }
}
