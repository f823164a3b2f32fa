/** Decorators around any site: its published rate limits are kept, and what was throttled is asked again. */
@NullMarked
package org.spillway.cloud.pacing;

import org.jspecify.annotations.NullMarked;
