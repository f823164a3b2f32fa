/** Slurm as a tenant of the head: found by one line of discovery. */
@NullMarked
package org.spillway.slurm;

import org.jspecify.annotations.NullMarked;
