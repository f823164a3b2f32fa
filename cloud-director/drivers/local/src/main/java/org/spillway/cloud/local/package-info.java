/** The driver {@code local}: speaks HTTP to a local-cloud like to any provider, and starts one when asked to. */
@NullMarked
package org.spillway.cloud.local;

import org.jspecify.annotations.NullMarked;
