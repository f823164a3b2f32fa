/** The head: one JVM on the on-premise head node, the only place where the rooms are wired together. */
@NullMarked
package org.spillway.head;

import org.jspecify.annotations.NullMarked;
