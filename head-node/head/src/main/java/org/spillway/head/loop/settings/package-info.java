/** The configuration as the loop sees it. */
@NullMarked
package org.spillway.head.loop.settings;

import org.jspecify.annotations.NullMarked;
