/** Workload managers behind one port, and the embedded queue. */
@NullMarked
package org.spillway.head.workload;

import org.jspecify.annotations.NullMarked;
