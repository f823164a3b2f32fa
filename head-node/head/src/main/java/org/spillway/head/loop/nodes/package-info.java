/** Nodes, from their launch to their end, by themselves and by hand. */
@NullMarked
package org.spillway.head.loop.nodes;

import org.jspecify.annotations.NullMarked;
