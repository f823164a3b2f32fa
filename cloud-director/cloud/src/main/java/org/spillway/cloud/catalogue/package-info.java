/** A site's offerings, kept in memory and on disk between the provider's own answers. */
@NullMarked
package org.spillway.cloud.catalogue;

import org.jspecify.annotations.NullMarked;
