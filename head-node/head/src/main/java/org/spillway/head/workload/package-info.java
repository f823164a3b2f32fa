/** Workload managers: the embedded queue, and Slurm, behind one port. */
@NullMarked
package org.spillway.head.workload;

import org.jspecify.annotations.NullMarked;
