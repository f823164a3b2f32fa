package org.spillway.api;

import java.time.Instant;

/** A decision by name. */
public record DecisionLine(String id, Instant at) {}
