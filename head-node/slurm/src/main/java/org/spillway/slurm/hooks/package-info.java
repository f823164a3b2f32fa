/** Requests of Slurm's hooks and programs, and their answers. */
@NullMarked
package org.spillway.slurm.hooks;

import org.jspecify.annotations.NullMarked;
