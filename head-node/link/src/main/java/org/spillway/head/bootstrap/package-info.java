/** Making a director out of a stock Linux instance. */
@NullMarked
package org.spillway.head.bootstrap;

import org.jspecify.annotations.NullMarked;
