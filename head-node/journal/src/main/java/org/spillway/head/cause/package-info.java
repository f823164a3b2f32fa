/** Why things are as they are: sealed, typed, with a stable code each; the sentences are derived here and nowhere else. */
@NullMarked
package org.spillway.head.cause;

import org.jspecify.annotations.NullMarked;
