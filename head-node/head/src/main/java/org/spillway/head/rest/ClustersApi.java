package org.spillway.head.rest;

import java.util.List;
import org.spillway.api.ApiException;
import org.spillway.api.ClusterChange;
import org.spillway.api.ClusterOrder;
import org.spillway.api.ClusterRun;
import org.spillway.api.ClusterTerms;
import org.spillway.api.ClusterView;

/**
 * Clusters on demand. Only their owner, the users whom the owner named, and administrators see one, and those who approve
 * while it waits for that: for everybody else it looks like none.
 */
public interface ClustersApi {
    /** Whose jobs this head shows to whom. */
    default JobSight sight() {
        return JobSight.OWN;
    }

    /** Clusters that live, and those that ended not long ago, newest first. */
    List<ClusterView> list(Caller caller);

    /** The same, and the latest 1,000 of those that ended before. Reads a disk. */
    List<ClusterView> all(Caller caller);

    /** The living one of that name, else the latest, however long ago it ended. @throws ApiException NOT_FOUND */
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
     * Begins to change it; returns when that is durable. For its owner and administrators; what is so already is success.
     * Approving and rejecting is for administrators and those whom the configuration names, but not for its owner.
     *
     * @throws ApiException NOT_FOUND, FORBIDDEN, CONFLICT when its state or its jobs do not allow it, LIMIT_EXCEEDED
     */
    ClusterView change(Caller caller, String name, ClusterChange change);

    /**
     * Keeps to what this head's own parent lets it have, from now on.
     *
     * @return how many nodes there are; while that is more than it may have, some of them have jobs or are ending
     * @throws ApiException CONFLICT on a head that has no parent
     */
    int comply(ClusterTerms terms);

    /**
     * Asks the cluster's own head as the caller.
     *
     * @param path below its API's base, with its query
     * @throws ApiException NOT_FOUND, CONFLICT while it is not running, UNAVAILABLE when its head does not answer
     */
    Relayed relay(Caller caller, String name, String method, String path, String key, byte[] body);

    /**
     * A connection of a session in a job of the cluster, as the caller, who must be one of its users.
     *
     * @param path below its API's base, with its query
     * @throws ApiException as its head says; NOT_FOUND, FORBIDDEN, CONFLICT while it is not running, UNAVAILABLE when there is
     *     none now
     */
    default SessionsApi.Line session(Caller caller, String name, String path) {
        throw new ApiException(ApiException.Code.UNAVAILABLE, "this head has no clusters", "ask the head that made it");
    }

    /**
     * Runs one command on the machine of the cluster's head as the caller, who must be one of its users.
     *
     * @throws ApiException NOT_FOUND, FORBIDDEN, CONFLICT while it is not running, UNAVAILABLE when its head does not
     *     answer or the command says too much
     */
    ClusterRun.Result run(Caller caller, String name, ClusterRun command);

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
        public List<ClusterView> all(Caller caller) {
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
        public ClusterView change(Caller caller, String name, ClusterChange change) {
            throw none();
        }

        @Override
        public int comply(ClusterTerms terms) {
            throw none();
        }

        @Override
        public ClusterRun.Result run(Caller caller, String name, ClusterRun command) {
            throw none();
        }

        @Override
        public Relayed relay(Caller caller, String name, String method, String path, String key, byte[] body) {
            throw none();
        }
    };
}
