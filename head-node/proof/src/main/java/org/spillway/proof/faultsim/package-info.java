/**
 * A seeded simulation of four parties that each hold a truth: head, provider, workload manager and director. The head
 * is the production loop over the production journal's rules; provider, director, nodes, links and time are simulated,
 * and every fault that the design claims to survive is drawn from the seed.
 */
@NullMarked
package org.spillway.proof.faultsim;

import org.jspecify.annotations.NullMarked;
