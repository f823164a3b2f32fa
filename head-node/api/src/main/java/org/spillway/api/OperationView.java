package org.spillway.api;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.time.Instant;
import java.util.List;
import org.spillway.policy.Money;

/**
 * An operation.
 *
 * @param kind as in the order
 * @param state {@code RUNNING}, {@code DONE} or {@code FAILED}
 * @param message how far it is, or why it failed; empty when there is nothing to say
 * @param notes what an administrator should know of the way it went
 * @param things once it is done: the bill as it is now, or for {@code create-network} what exists for the site
 */
public record OperationView(
        String id,
        String kind,
        String site,
        String state,
        String message,
        Instant begunAt,
        List<String> notes,
        List<ThingView> things) {
    public OperationView {
        notes = List.copyOf(notes);
        things = List.copyOf(things);
    }

    @JsonIgnore
    public boolean isRunning() {
        return state.equals("RUNNING");
    }

    /**
     * A thing of a site's bill.
     *
     * @param verdict {@code OWNED}, {@code ORPHAN}, or {@code UNMARKED} for what cannot bear a mark and is in the account
     * @param owner in words; empty for an orphan
     * @param node that owns it; empty for none or several
     * @param user whose job runs there; empty for none
     * @param why it has no owner, or why nobody can tell; empty for an owned one
     */
    public record ThingView(
            String kind,
            String id,
            Money pricePerHour,
            String verdict,
            String owner,
            String node,
            String user,
            String why) {}
}
