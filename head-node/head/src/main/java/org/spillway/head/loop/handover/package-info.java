/** Jobs that were given to the workload manager, taken over and followed. */
@NullMarked
package org.spillway.head.loop.handover;

import org.jspecify.annotations.NullMarked;
