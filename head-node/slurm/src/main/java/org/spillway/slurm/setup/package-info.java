/** The changes to a site's own files of Slurm, and how they are taken back. */
@NullMarked
package org.spillway.slurm.setup;

import org.jspecify.annotations.NullMarked;
