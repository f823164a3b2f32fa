/** A job's input out to its site, and its output home. */
@NullMarked
package org.spillway.head.staging;

import org.jspecify.annotations.NullMarked;
