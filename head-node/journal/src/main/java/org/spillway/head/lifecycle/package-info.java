/** States of job, node and transfer, and the pure tables that say what follows from what was seen. */
@NullMarked
package org.spillway.head.lifecycle;

import org.jspecify.annotations.NullMarked;
