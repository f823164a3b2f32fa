/** Pure decisions about where a job goes and why it waits. No clock, no input or output. */
@NullMarked
package org.spillway.head.placement;

import org.jspecify.annotations.NullMarked;
