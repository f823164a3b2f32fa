/** Slurm's own files, and how they differ from what is wanted. */
@NullMarked
package org.spillway.slurm.conf;

import org.jspecify.annotations.NullMarked;
