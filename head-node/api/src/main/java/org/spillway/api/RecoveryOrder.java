package org.spillway.api;

import org.spillway.api.form.Describes;
import org.spillway.api.form.Matches;
import org.spillway.api.form.OneOf;
import org.spillway.api.form.Usual;

/** An administrator's choice for a machine that the journal does not know, or for the quarantine as a whole. */
public record RecoveryOrder(
        @OneOf({"adopt", "keep", "end", "release"})
        @Describes("release ends the quarantine, when nothing is left that nobody has chosen for")
        String choice,

        @Usual
        @Matches(value = "\\S{0,400}", allowed = "SITE/INSTANCE as 'spillway recover' prints it, or nothing")
        @Describes("SITE/INSTANCE; empty with release")
        String machine) {}
