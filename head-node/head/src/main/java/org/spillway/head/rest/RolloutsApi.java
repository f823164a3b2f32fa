package org.spillway.head.rest;

import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.DriftView;
import org.spillway.api.RolloutOrder;
import org.spillway.api.RolloutView;

/** Versions of root file systems on the nodes of categories: for administrators only. */
public interface RolloutsApi {
    /** A head without such categories. */
    RolloutsApi NONE = new RolloutsApi() {
        @Override
        public List<RolloutView> list() {
            return List.of();
        }

        @Override
        public RolloutView begin(Caller caller, String category, RolloutOrder order) {
            throw new ApiException(ApiException.Code.NOT_FOUND, "no category '" + category + "' names a version", "");
        }

        @Override
        public RolloutView change(Caller caller, String category, String action) {
            return begin(caller, category, new RolloutOrder("", -1, "", -1, -1, -1));
        }
    };

    /**
     * A look at whether a node's root is still its version; asked again, by the same {@code look}, until it is over.
     *
     * @param look 16 hexadecimal digits, drawn by who waits for it
     * @param whole whether all contents are read
     * @throws ApiException NOT_FOUND, CONFLICT for a node whose jobs live in no version, UNAVAILABLE when its site cannot be asked
     */
    default DriftView drift(String node, String look, boolean whole) {
        throw new ApiException(ApiException.Code.NOT_FOUND, "there is no node '" + node + "'", "");
    }

    /** Of all categories that name a version, by name. */
    List<RolloutView> list();

    /**
     * Begins one, and returns when that is durable. To what the nodes have already is success and changes nothing.
     *
     * @throws ApiException NOT_FOUND, BAD_REQUEST for no version in which a job could live, CONFLICT while another is under way
     */
    RolloutView begin(Caller caller, String category, RolloutOrder order);

    /**
     * @param action {@code pause}, {@code resume}, {@code abort} or {@code rollback}
     * @throws ApiException NOT_FOUND, CONFLICT when there is nothing to do it to
     */
    RolloutView change(Caller caller, String category, String action);
}
