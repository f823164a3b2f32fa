/** Moving bytes between a user's home and a site, resumable and verified. */
@NullMarked
package org.spillway.stage;

import org.jspecify.annotations.NullMarked;
