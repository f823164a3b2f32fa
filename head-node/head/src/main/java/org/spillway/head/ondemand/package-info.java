/** Clusters on demand: what a child cluster is allowed, and how it lives and ends. */
@NullMarked
package org.spillway.head.ondemand;

import org.jspecify.annotations.NullMarked;
