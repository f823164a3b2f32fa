package org.spillway.head.loop.nodes;

import org.spillway.api.NodeState;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.NodeCause;
import org.spillway.head.cause.NodeCause.NodeFact;
import org.spillway.head.journal.NodeRecord;
import org.spillway.head.lifecycle.NodeVerdict;

/** Why a node is in the state that follows: the first reason stays with it to its end. Pure. */
final class NodeReasons {
    private NodeReasons() {}

    /** Why it was to end: that it could not be ended for a while is over with it. */
    static Cause first(Cause cause) {
        Cause was = cause instanceof NodeCause.NotEnded refused ? refused.was() : cause;
        // Told of a node that serves, and no reason to end it.
        return was instanceof NodeCause.NotIsolated ? Cause.NONE : was;
    }

    /** @param director why the site's director does not come up; none when that is not known */
    static Cause of(NodeRecord node, NodeVerdict verdict, Cause director) {
        Cause why = verdict.cause();
        boolean moves = verdict.next() != node.nodeState();
        if (!moves) {
            return why;
        }
        // A node is not ended for being ended, nor drained for being drained.
        boolean saysNothing = why.isNone() || why == NodeFact.DRAINED || why == NodeFact.IDLE;
        boolean ends = verdict.next() == NodeState.TERMINATING || verdict.next().isTerminal();
        Cause first = first(node.cause());
        if (ends && saysNothing && !first.isNone()) {
            return first;
        }
        if (ends && first instanceof NodeCause.Reclaimed) {
            return first;
        }
        boolean neverUp = node.isDirector() && node.servedFrom() == null && ends;
        // The reason of the one before says nothing of this one.
        boolean isKnown = !director.isNone() && !(director instanceof NodeCause.DirectorFailed);
        return neverUp && isKnown ? new NodeCause.DirectorFailed(why, director) : why;
    }
}
