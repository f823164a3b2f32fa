/** Reads logs of workload managers: what was submitted, when, how large it was and how long it ran. */
@NullMarked
package org.spillway.scaler.simulate.log;

import org.jspecify.annotations.NullMarked;
