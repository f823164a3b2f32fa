package org.spillway.api;

import org.spillway.api.form.Matches;

/** Which breaker to close: names have slashes, and so stand in the body. */
public record BreakerOrder(
        @Matches(value = "[\\s\\S]{1,200}", allowed = "the name that 'spillway breaker list' prints")
        String name) {}
