/** Whether a journal is the one that a state directory's secrets remember, all of it: pure, but for one file. */
@NullMarked
package org.spillway.head.past;

import org.jspecify.annotations.NullMarked;
