/** Sums and periods of the budget, and what jobs have taken. */
@NullMarked
package org.spillway.head.loop.money;

import org.jspecify.annotations.NullMarked;
