/** Why each job waits: found by many, decided and remembered in one place. */
@NullMarked
package org.spillway.head.loop.waits;

import org.jspecify.annotations.NullMarked;
