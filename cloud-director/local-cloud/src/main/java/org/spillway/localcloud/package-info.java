/**
 * A small provider on this machine, in a process of its own that outlives the head: its instances are process groups
 * with a directory, a loopback address and an SSH server each.
 */
@NullMarked
package org.spillway.localcloud;

import org.jspecify.annotations.NullMarked;
