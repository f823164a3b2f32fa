/** A region's store of inputs: pieces by their digests, in packs, and recipes of inputs. */
@NullMarked
package org.spillway.stage.store;

import org.jspecify.annotations.NullMarked;
