/** Versions of root file systems on disk: contents by digest, manifests, signatures, tags; how trees come in and go out. */
@NullMarked
package org.spillway.image.store;

import org.jspecify.annotations.NullMarked;
