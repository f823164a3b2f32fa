package org.spillway.policy;

import java.time.Instant;

/** A past launch call, newest last in a snapshot's history: offering health is folded from these. */
public record LaunchRecord(Instant at, OfferingId offering, int asked, LaunchOutcome outcome) {}
