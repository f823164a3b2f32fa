/** What a workload manager of another make brings, and what the head gives it. */
@NullMarked
package org.spillway.head.tenant;

import org.jspecify.annotations.NullMarked;
