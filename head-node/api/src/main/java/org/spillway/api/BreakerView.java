package org.spillway.api;

import java.time.Instant;

/**
 * Something that is shut, or was.
 *
 * @param name by which it is closed: {@code pool:OFFERING}, {@code pool:SITE}, {@code fleet:SITE}, {@code heartbeat:SITE},
 *     {@code runaway:SITE}
 * @param reason what was seen when it opened; why it closed
 * @param since when it opened or closed
 * @param remedy how it is closed; empty when it is
 * @param cause the reason, for programs
 */
public record BreakerView(String name, boolean open, String reason, Instant since, String remedy, CauseView cause) {
    public BreakerView {
        // An older head does not say it.
        cause = cause == null ? CauseView.NONE : cause;
    }
}
