/** Memory of the loop that several rooms read. */
@NullMarked
package org.spillway.head.loop.state;

import org.jspecify.annotations.NullMarked;
