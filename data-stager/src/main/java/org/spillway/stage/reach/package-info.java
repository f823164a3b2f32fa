/** Questions about a user's files that need no memory, and their answers (ADR 67). */
@NullMarked
package org.spillway.stage.reach;

import org.jspecify.annotations.NullMarked;
