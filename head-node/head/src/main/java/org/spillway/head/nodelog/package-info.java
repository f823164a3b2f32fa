/** Words of nodes about themselves, kept at home for when they are gone. */
@NullMarked
package org.spillway.head.nodelog;

import org.jspecify.annotations.NullMarked;
