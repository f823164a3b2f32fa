/** Parts of a bundle: patterns of paths, and the tar format in which files travel. No I/O but streams. */
@NullMarked
package org.spillway.stage.tree;

import org.jspecify.annotations.NullMarked;
