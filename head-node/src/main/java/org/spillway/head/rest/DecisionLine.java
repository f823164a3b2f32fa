package org.spillway.head.rest;

import java.time.Instant;

/** A decision by name. */
public record DecisionLine(String id, Instant at) {}
