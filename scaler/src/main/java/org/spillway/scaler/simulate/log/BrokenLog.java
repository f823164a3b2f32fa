package org.spillway.scaler.simulate.log;

import java.util.List;

/** A log that cannot be used as it is. */
public final class BrokenLog extends Exception {
    private static final long serialVersionUID = 1;

    private final transient List<String> lines;
    private final boolean skippable;

    /**
     * @param lines the first broken lines, each {@code file:line: what}
     * @param skippable whether reading leniently would help
     */
    public BrokenLog(String message, List<String> lines, boolean skippable) {
        super(message);
        this.lines = List.copyOf(lines);
        this.skippable = skippable;
    }

    public List<String> lines() {
        return lines;
    }

    public boolean isSkippable() {
        return skippable;
    }
}
