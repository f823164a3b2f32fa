package org.spillway.head.rest;

import java.util.List;
import org.spillway.api.DecisionLine;
import org.spillway.api.DecisionView;
import org.spillway.api.ReplayView;

/** Decisions of the scaler, for administrators: they name everybody's jobs. */
public interface DecisionsApi {
    /** The most that {@link #latest} gives at once. */
    int MOST = 100_000;

    /** The latest decisions, the latest first. @param most 1 to {@link #MOST} */
    List<DecisionLine> latest(int most);

    /** The decision's snapshot, its steps, and what else it could have done. @throws ApiException NOT_FOUND */
    DecisionView decision(String id);

    /** Decides it once more. Changes nothing. @throws ApiException NOT_FOUND */
    ReplayView replay(String id);
}
