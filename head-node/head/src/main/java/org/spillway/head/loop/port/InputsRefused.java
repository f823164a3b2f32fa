package org.spillway.head.loop.port;

import java.io.IOException;
import org.spillway.head.cause.JobCause;

/** Inputs from other ends that did not come. */
public final class InputsRefused extends IOException {
    private static final long serialVersionUID = 1;

    private final transient JobCause.InputsMissing why;
    private final boolean lasting;

    /** @param lasting whether another try is of no use before somebody has mended something */
    public InputsRefused(JobCause.InputsMissing why, boolean lasting) {
        super(why.text());
        this.why = why;
        this.lasting = lasting;
    }

    public JobCause.InputsMissing why() {
        return why;
    }

    public boolean isLasting() {
        return lasting;
    }
}
