/** Pulling inputs from servers that nobody here runs, straight into a region's store. */
@NullMarked
package org.spillway.stage.pull;

import org.jspecify.annotations.NullMarked;
