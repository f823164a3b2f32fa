/** Measurements of the planner and its peers, run by {@code spillway bench planner} in JVMs of their own; no tests. */
@NullMarked
package org.spillway.scaler.bench;

import org.jspecify.annotations.NullMarked;
