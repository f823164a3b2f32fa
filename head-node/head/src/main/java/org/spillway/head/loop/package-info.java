/** The head's loop: observe, decide, journal, act. */
@NullMarked
package org.spillway.head.loop;

import org.jspecify.annotations.NullMarked;
