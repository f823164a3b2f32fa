/**
 * The talk of head and director: one call, {@code POST /v1/sync}, a {@link org.spillway.director.wire.Directive} for a
 * {@link org.spillway.director.wire.Report}. The directive is the whole of what should be, never a change, so that it
 * may be lost, repeated or late. JSON; unknown fields are ignored, a different {@code schema} is refused.
 */
@NullMarked
package org.spillway.director.wire;

import org.jspecify.annotations.NullMarked;
