/** The demo: a head, three sites and real work in one command, told while it runs and checked at the end. */
@NullMarked
package org.spillway.proof.demo;

import org.jspecify.annotations.NullMarked;
