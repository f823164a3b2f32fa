/** Buying instances. */
@NullMarked
package org.spillway.head.loop.launches;

import org.jspecify.annotations.NullMarked;
