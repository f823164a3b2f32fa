/**
 * The process inside one region. It holds no provider credentials and decides nothing: the head tells it what should
 * be, it does that for the nodes, and reports what is.
 */
@NullMarked
package org.spillway.director;

import org.jspecify.annotations.NullMarked;
