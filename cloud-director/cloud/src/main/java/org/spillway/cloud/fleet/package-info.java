/**
 * Keeping what exists at a provider equal to what was decided: launch intents, the pure difference between journal and
 * listing, and the sweep for what has no owner.
 */
@NullMarked
package org.spillway.cloud.fleet;

import org.jspecify.annotations.NullMarked;
