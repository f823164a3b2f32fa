package org.spillway.api;

import org.spillway.api.form.Describes;

/** A piece of a running job's output. */
public record LogView(
        String id,

        @Describes("that it is of; offsets count anew with each. 0 before the first")
        int attempt,

        String stream,

        int rank,

        @Describes("offset of the first byte of text; more than was asked for when older bytes are not kept")
        long from,

        @Describes("offset behind the last byte, to ask for more")
        long end,

        String text,

        @Describes("nothing more will come") boolean over) {}
