package org.spillway.head.lifecycle;

/** How a node or director was last heard of. */
public enum Contact {
    /** Not yet, and its time is not over. */
    AWAITED,
    /** Not yet, and its time is over. */
    OVERDUE,
    /** The node has all that a ready one needs. */
    WELL,
    /** Heard of, but not ready or not any more. */
    POORLY,
    /** Not heard of for longer than its lease. */
    SILENT,
    /** The node's lease was not renewed and is certainly over: nothing of ours runs there. */
    EXPIRED
}
