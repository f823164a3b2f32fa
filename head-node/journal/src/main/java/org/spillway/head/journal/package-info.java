/** The head's durable memory. One writer, in one file; nothing happens outside before it is written here. */
@NullMarked
package org.spillway.head.journal;

import org.jspecify.annotations.NullMarked;
