/**
 * Replays a log through the production scaler on simulated sites. Only the world is simulated; what decides is what
 * decides in a head.
 */
@NullMarked
package org.spillway.scaler.simulate;

import org.jspecify.annotations.NullMarked;
