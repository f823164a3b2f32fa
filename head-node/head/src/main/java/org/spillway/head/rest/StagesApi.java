package org.spillway.head.rest;

import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.StageOrder;
import org.spillway.api.StagedView;

/** Files that users bring to sites ahead of any job. Each sees and changes only what is theirs, administrators too. */
public interface StagesApi {
    /** A head that stages nothing. */
    StagesApi NONE = new StagesApi() {
        @Override
        public StagedView begin(Caller caller, StageOrder order) {
            throw new ApiException(ApiException.Code.UNAVAILABLE, "this head stages nothing ahead", "");
        }

        @Override
        public List<StagedView> list(Caller caller, String site) {
            return List.of();
        }

        @Override
        public StagedView get(Caller caller, String id) {
            throw new ApiException(ApiException.Code.NOT_FOUND, "there is no stage " + id, "");
        }

        @Override
        public StagedView remove(Caller caller, String id) {
            return get(caller, id);
        }
    };

    /**
     * Begins to bring files there, or to look whether they have changed, and returns when that is durable. The same files
     * for the same site are the same stage.
     *
     * @throws ApiException BAD_REQUEST for a site that is not known, INPUT_UNREADABLE, FORBIDDEN, LIMIT_EXCEEDED
     */
    StagedView begin(Caller caller, StageOrder order);

    /** Of the caller, with what the caller's jobs have there. @param site empty for all */
    List<StagedView> list(Caller caller, String site);

    /** @throws ApiException NOT_FOUND, also for another user's */
    StagedView get(Caller caller, String id);

    /** Gives it back; returns at once. What jobs have of it stays as long as they need it. @throws ApiException NOT_FOUND */
    StagedView remove(Caller caller, String id);
}
