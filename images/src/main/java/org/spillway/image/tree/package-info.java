/** A root file system as a text of one line for each file, and how two of them differ. Pure. */
@NullMarked
package org.spillway.image.tree;

import org.jspecify.annotations.NullMarked;
