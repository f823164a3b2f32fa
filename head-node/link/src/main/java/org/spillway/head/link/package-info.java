/** The SSH link to a director and what travels through it. */
@NullMarked
package org.spillway.head.link;

import org.jspecify.annotations.NullMarked;
