package org.spillway.api;

import com.fasterxml.jackson.annotation.JsonIgnore;
import java.time.Instant;
import java.util.List;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;
import org.spillway.policy.Money;

/** An operation. */
public record OperationView(
        String id,

        @Describes("as in the order") String kind,

        String site,

        @OneOf({"RUNNING", "DONE", "FAILED"}) String state,

        @Describes("how far it is, or why it failed; empty when there is nothing to say")
        String message,

        Instant begunAt,

        @Describes("what an administrator should know of the way it went")
        List<String> notes,

        @Describes("once it is done: the bill as it is now, or for create-network what exists for the site")
        List<ThingView> things) {
    public OperationView {
        notes = List.copyOf(notes);
        things = List.copyOf(things);
    }

    @JsonIgnore
    public boolean isRunning() {
        return state.equals("RUNNING");
    }

    /** A thing of a site's bill. */
    public record ThingView(
            @Describes(
                    "instance, disk, snapshot, image, interface, address, group, key, gateway, bucket, network and others")
            String kind,

            String id,

            Money pricePerHour,

            @OneOf({"OWNED", "ORPHAN", "UNMARKED"}) @Describes("UNMARKED: it cannot bear a mark, and is in the account")
            String verdict,

            @Describes("in words; empty for an orphan") String owner,

            @Describes("that owns it; empty for none or several")
            String node,

            @Describes("whose job runs there; empty for none")
            String user,

            @Describes("why it has no owner, or why nobody can tell; empty for an owned one")
            String why) {}
}
