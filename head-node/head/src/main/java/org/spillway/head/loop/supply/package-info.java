/** The scaler, with what it is shown and what is made of its plans. */
@NullMarked
package org.spillway.head.loop.supply;

import org.jspecify.annotations.NullMarked;
