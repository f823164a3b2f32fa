/** The loop that reads the queues and says which nodes there should be. It applies nothing. */
@NullMarked
package org.spillway.scaler;

import org.jspecify.annotations.NullMarked;
