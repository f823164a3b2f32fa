/** The world as the loop sees it. */
@NullMarked
package org.spillway.head.loop.port;

import org.jspecify.annotations.NullMarked;
