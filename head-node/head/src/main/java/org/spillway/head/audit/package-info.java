/** Who owns what is on a provider's bill. Pure. */
@NullMarked
package org.spillway.head.audit;

import org.jspecify.annotations.NullMarked;
