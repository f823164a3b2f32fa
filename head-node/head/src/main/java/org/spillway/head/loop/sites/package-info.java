/** Sites: what is seen of them, their directors, their breakers. */
@NullMarked
package org.spillway.head.loop.sites;

import org.jspecify.annotations.NullMarked;
