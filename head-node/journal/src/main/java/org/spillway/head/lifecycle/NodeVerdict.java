package org.spillway.head.lifecycle;

import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;

/**
 * The verdict on a node.
 *
 * @param next its state from now on; the present one for no change
 * @param terminate the provider is to be asked to end its instance (asking again does no harm)
 * @param requeue the job that is bound to it may run elsewhere: nothing of it runs here any more
 * @param cause why; none when nothing changes
 */
public record NodeVerdict(NodeState next, boolean terminate, boolean requeue, Cause cause) {}
