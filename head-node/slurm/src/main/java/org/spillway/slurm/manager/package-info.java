/** Slurm as the workload manager: what is seen there, what is wanted there. */
@NullMarked
package org.spillway.slurm.manager;

import org.jspecify.annotations.NullMarked;
