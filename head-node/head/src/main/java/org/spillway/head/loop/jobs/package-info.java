/** Jobs, from their submission to their results. */
@NullMarked
package org.spillway.head.loop.jobs;

import org.jspecify.annotations.NullMarked;
