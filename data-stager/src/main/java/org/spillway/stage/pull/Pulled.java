package org.spillway.stage.pull;

import java.util.List;
import org.spillway.stage.store.Digest;

/** The end of a pull. */
public sealed interface Pulled {
    /**
     * @param modifiedSeconds since 1970; 0 when the server does not say
     * @param pieces of the whole file, in the user's store
     * @param kept nothing of it had to come: what is here is what lies there
     * @param changed another file lay there when it was pulled before, or while it was
     */
    record Came(long bytes, long modifiedSeconds, List<Digest> pieces, boolean kept, boolean changed)
            implements Pulled {
        public Came {
            pieces = List.copyOf(pieces);
        }
    }

    /** @param detail such as a status or an address; no secret */
    record Failed(PullFault fault, String detail) implements Pulled {}
}
