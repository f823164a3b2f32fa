package org.spillway.policy;

import java.time.Instant;

/** One past launch call, newest last in a snapshot's history: what offering health is folded from. */
public record LaunchRecord(Instant at, OfferingId offering, int asked, LaunchOutcome outcome) {}
