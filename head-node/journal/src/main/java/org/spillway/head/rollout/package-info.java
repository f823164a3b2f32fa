/** Which version of a root file system each node of a category is to have, while one takes the place of another. Pure. */
@NullMarked
package org.spillway.head.rollout;

import org.jspecify.annotations.NullMarked;
