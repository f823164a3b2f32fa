package org.spillway.api;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.spillway.api.form.Describes;
import org.spillway.api.form.OneOf;

/** A policy. */
public record PolicyView(
        String name,

        @OneOf({"deciding", "starting", "ready", "disabled", "refused", "removed"})
        @Describes("removed: its file is not there any more")
        String state,

        @Describes("empty for a built-in one") String file,

        @Describes("SHA-256 of the version that counts; empty for a built-in one, and while none has passed")
        String digest,

        @Describes("when that version was taken; null where there is none") @Nullable
        Instant since,

        @Describes("how often it failed in a row") int strikes,

        @Describes("what is wrong, in one sentence; empty for nothing")
        String detail) {}
