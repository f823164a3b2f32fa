/** Tenants: workload managers of another make, with all that they bring and that the head gives them. */
@NullMarked
package org.spillway.head.tenant;

import org.jspecify.annotations.NullMarked;
