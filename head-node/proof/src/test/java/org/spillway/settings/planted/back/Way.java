package org.spillway.settings.planted.back;

import org.spillway.settings.planted.Circle;

/** The other half of the circle. */
public interface Way {
    Circle around();
}
