/** Commands of the head's own machine: those that serve, look at accounts, or decide without a head. */
@NullMarked
package org.spillway.head.command;

import org.jspecify.annotations.NullMarked;
