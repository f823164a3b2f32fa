/** Services of home that jobs in a cloud may reach (ADR 77): who may, and the ends of lines to them. */
@NullMarked
package org.spillway.head.forward;

import org.jspecify.annotations.NullMarked;
