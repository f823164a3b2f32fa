/** The simulated world: the sites, what they sell, and how they fail. */
@NullMarked
package org.spillway.scaler.simulate.world;

import org.jspecify.annotations.NullMarked;
