/**
 * The contract of a policy as code: random clusters from a seed, and what an answer must keep. The policy host runs it
 * on a policy before that decides anything, and so may its author. Pure; the clock is an argument.
 */
@NullMarked
package org.spillway.policy.check;

import org.jspecify.annotations.NullMarked;
