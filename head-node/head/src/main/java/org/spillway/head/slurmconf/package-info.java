/** The configuration that a Slurm needs to serve a head: the files, and what a running one lacks. Pure. */
@NullMarked
package org.spillway.head.slurmconf;

import org.jspecify.annotations.NullMarked;
