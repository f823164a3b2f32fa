/** Slurm's words, as records. Pure: text in, records out; who asks Slurm is elsewhere. */
@NullMarked
package org.spillway.head.workload.slurm;

import org.jspecify.annotations.NullMarked;
