package org.spillway.stage.pull;

import java.io.IOException;

/** A file that does not come, and why. */
public final class PullRefused extends IOException {
    private static final long serialVersionUID = 1;

    private final PullFault fault;
    private final String detail;

    /** @param detail short, such as a status or an address; never a URL's query */
    PullRefused(PullFault fault, String detail) {
        super(fault + " " + detail);
        this.fault = fault;
        this.detail = detail;
    }

    public PullFault fault() {
        return fault;
    }

    public String detail() {
        return detail;
    }
}
