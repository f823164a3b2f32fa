package org.spillway.head.rest;

import java.util.List;

/**
 * Clusters on demand. Only their owner, the users whom the owner named, and administrators see one: for everybody else
 * it looks like none.
 */
public interface ClustersApi {
    /** Those that live, and those that ended not long ago, newest first. */
    List<ClusterView> list(Caller caller);

    /** The living one of that name, else the latest. @throws ApiException NOT_FOUND */
    ClusterView get(Caller caller, String name);

    /**
     * Begins to make one; returns when that is durable.
     *
     * @throws ApiException CONFLICT for a name that is taken, NO_OFFERING, LIMIT_EXCEEDED, FORBIDDEN, BAD_REQUEST for
     *     a site or a user that is not known
     */
    ClusterView create(Caller caller, ClusterOrder order);

    /**
     * Begins to remove it, or goes on with it; for its owner and administrators.
     *
     * @throws ApiException NOT_FOUND, FORBIDDEN
     */
    ClusterView delete(Caller caller, String name);

    /**
     * Asks the cluster's own head as the caller.
     *
     * @param path below its API's base, with its query
     * @throws ApiException NOT_FOUND, CONFLICT while it is not running, UNAVAILABLE when its head does not answer
     */
    Relayed relay(Caller caller, String name, String method, String path, String key, byte[] body);

    /** An answer as the cluster's head gave it. @param json parsed */
    record Relayed(int status, Object json) {}

    /** Of a head that makes none. */
    ClustersApi NONE = new ClustersApi() {
        private ApiException none() {
            return new ApiException(
                    ApiException.Code.UNAVAILABLE, "this head makes no clusters", "ask the head that made this one");
        }

        @Override
        public List<ClusterView> list(Caller caller) {
            return List.of();
        }

        @Override
        public ClusterView get(Caller caller, String name) {
            throw none();
        }

        @Override
        public ClusterView create(Caller caller, ClusterOrder order) {
            throw none();
        }

        @Override
        public ClusterView delete(Caller caller, String name) {
            throw none();
        }

        @Override
        public Relayed relay(Caller caller, String name, String method, String path, String key, byte[] body) {
            throw none();
        }
    };
}
