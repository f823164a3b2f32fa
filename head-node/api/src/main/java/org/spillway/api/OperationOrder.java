package org.spillway.api;

import java.util.List;
import org.spillway.api.form.Checked;
import org.spillway.api.form.Describes;
import org.spillway.api.form.Holds;
import org.spillway.api.form.Matches;
import org.spillway.api.form.OneOf;
import org.spillway.api.form.Usual;

/** Something that takes a provider's time. */
public record OperationOrder(
        @OneOf({"audit", "delete", "create-network", "delete-network"})
        String kind,

        @Matches(value = "[a-z0-9][a-z0-9-]{0,39}", allowed = "a site's name")
        String site,

        @Usual @Holds(most = 1000) @Describes("for delete: what is to go; each is looked at once more before")
        List<ThingName> things)
        implements Checked {
    public OperationOrder {
        things = List.copyOf(things);
    }

    @Override
    public void check(String prefix) {
        if (kind.equals("delete") == things.isEmpty()) {
            throw RequestReader.refuse(
                    prefix + "things", "found " + things.size(), "1 to 1000 for delete, none for the others");
        }
    }

    /** A thing of a bill, by the provider's words. */
    public record ThingName(
            @Matches(value = "[\\s\\S]{1,1000}", allowed = "a kind, as an audit names it")
            String kind,

            @Matches(value = "[\\s\\S]{1,1000}", allowed = "an id, as an audit names it")
            String id) {}
}
