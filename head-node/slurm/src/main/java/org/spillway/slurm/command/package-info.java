/** Commands for the administrators of a Slurm. */
@NullMarked
package org.spillway.slurm.command;

import org.jspecify.annotations.NullMarked;
