package org.spillway.policy.builtin;

import java.util.List;
import org.spillway.policy.ClusterSnapshot;
import org.spillway.policy.Wish;

/**
 * A policy that in a chain has no wishes of its own, but the last word on those of the others.
 *
 * @param <S> its settings
 */
interface Gate<S extends Record> {
    /** The same wishes or fewer; a shape that loses all of its nodes gets a hold. Pure. */
    List<Wish> cut(ClusterSnapshot now, S settings, List<Wish> wishes);
}
