/** Streams over connections that break (ADR 68): what both ends of a session say. */
@NullMarked
package org.spillway.api.session;

import org.jspecify.annotations.NullMarked;
