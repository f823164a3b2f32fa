/**
 * What a child cluster buys through its parent: the door that it comes in by, the checks, and the books, which are
 * written before a provider is called.
 */
@NullMarked
package org.spillway.head.ondemand.broker;

import org.jspecify.annotations.NullMarked;
