package org.spillway.api;

import org.spillway.api.form.Describes;
import org.spillway.api.form.Matches;
import org.spillway.api.form.Usual;

/** A copy of the journal that is wanted. */
public record BackupOrder(
        @Matches(value = "/[\\s\\S]{1,4000}", allowed = "an absolute path")
        @Describes("on the head's machine, in a folder that is there; written with the rights of the head")
        String file,

        @Usual("false") @Describes("whether a file of that name may be replaced")
        boolean replace) {}
