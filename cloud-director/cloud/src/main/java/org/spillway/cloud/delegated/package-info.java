/**
 * The driver {@code delegated}: a child cluster buys through its parent head and holds no provider's credentials. The
 * records that go over the wire are here too, for the parent's end.
 */
@NullMarked
package org.spillway.cloud.delegated;

import org.jspecify.annotations.NullMarked;
