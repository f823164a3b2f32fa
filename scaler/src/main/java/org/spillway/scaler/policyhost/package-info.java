/**
 * Policies that an administrator dropped in, run in a child process that may die. {@code PolicyHost} is the head's side:
 * it looks at the folder, has files compiled and checked, asks with a deadline, and says who decides instead.
 * {@code PolicyChild} is the other side. What comes from there is believed as little as what comes from a network.
 */
@NullMarked
package org.spillway.scaler.policyhost;

import org.jspecify.annotations.NullMarked;
