/** {@code spillway simulate}: which log, which sites, which policies; and what to show of it. */
@NullMarked
package org.spillway.proof.simulate;

import org.jspecify.annotations.NullMarked;
