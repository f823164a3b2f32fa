/** The word of the workload manager on jobs that were given to it. */
@NullMarked
package org.spillway.head.loop.foreign;

import org.jspecify.annotations.NullMarked;
