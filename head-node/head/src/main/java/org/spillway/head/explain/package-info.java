/** Why a job is where it is, in one sentence. Pure: no clock, no input or output. */
@NullMarked
package org.spillway.head.explain;

import org.jspecify.annotations.NullMarked;
