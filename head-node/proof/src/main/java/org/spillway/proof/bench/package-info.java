/** Measures what the project promises, with real processes on this machine. */
@NullMarked
package org.spillway.proof.bench;

import org.jspecify.annotations.NullMarked;
