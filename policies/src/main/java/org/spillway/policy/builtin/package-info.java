/** Policies that come with Spillway. They have no more rights than one that an administrator wrote. */
@NullMarked
package org.spillway.policy.builtin;

import org.jspecify.annotations.NullMarked;
