/** The part of the configuration that is Slurm's. */
@NullMarked
package org.spillway.slurm.settings;

import org.jspecify.annotations.NullMarked;
