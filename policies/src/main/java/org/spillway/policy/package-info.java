/**
 * The view of a scaling policy and its answers. A third party compiles against this package and nothing else: it
 * depends on the JDK and JSpecify only. Every type here is immutable and every call is pure.
 */
@NullMarked
package org.spillway.policy;

import org.jspecify.annotations.NullMarked;
