/** Journalled decisions, decided once more. Pure: no clock, no input or output. */
@NullMarked
package org.spillway.head.replay;

import org.jspecify.annotations.NullMarked;
