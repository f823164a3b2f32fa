/**
 * The broker of child clusters, which buy through their parent: the port that they come in by, the checks, and the
 * books, which are written before a provider is called.
 */
@NullMarked
package org.spillway.head.ondemand.broker;

import org.jspecify.annotations.NullMarked;
