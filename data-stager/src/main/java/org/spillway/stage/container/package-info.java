/** Images that jobs run in: fetched from registries with a user's rights, verified, and made one archive that nodes unpack. */
@NullMarked
package org.spillway.stage.container;

import org.jspecify.annotations.NullMarked;
