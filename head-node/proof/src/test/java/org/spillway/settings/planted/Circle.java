package org.spillway.settings.planted;

import org.spillway.settings.planted.back.Way;

/** A planted violation: two packages that know each other. */
public record Circle(Way back) {}
