/** A process with one user's rights that does every open, stat and rename on that user's behalf. */
@NullMarked
package org.spillway.stage.worker;

import org.jspecify.annotations.NullMarked;
