package org.spillway.api;

import java.time.Instant;
import org.spillway.api.form.Describes;

/** Something that is shut, or was. */
public record BreakerView(
        @Describes(
                "by which it is closed: pool:OFFERING, pool:SITE, fleet:SITE, heartbeat:SITE, runaway:SITE, director:SITE, offering:OFFERING, zone:SITE/ZONE, host:SITE/HOST")
        String name,

        boolean open,

        @Describes("what was seen when it opened; why it closed")
        String reason,

        @Describes("when it opened or closed") Instant since,

        @Describes("how it is closed; empty when it is") String remedy,

        @Describes("the reason, for programs") CauseView cause) {
    public BreakerView {
        // An older head does not say it.
        cause = cause == null ? CauseView.NONE : cause;
    }
}
