/** Software images: from a tree to a version that a node can verify. */
@NullMarked
package org.spillway.image;

import org.jspecify.annotations.NullMarked;
