package org.spillway.head.rest;

import java.util.List;
import java.util.Optional;
import org.spillway.api.ApiException;
import org.spillway.api.CheckView;
import org.spillway.api.ExplainView;
import org.spillway.api.HealthView;
import org.spillway.api.JobDetail;
import org.spillway.api.JobFilter;
import org.spillway.api.JobSubmission;
import org.spillway.api.JobView;
import org.spillway.api.LogView;
import org.spillway.api.ManySubmissions;
import org.spillway.api.ManySubmitted;
import org.spillway.api.NodeExplainView;
import org.spillway.api.NodeOrder;
import org.spillway.api.NodeTurnOrder;
import org.spillway.api.NodeView;
import org.spillway.api.PlanView;
import org.spillway.api.QueueView;
import org.spillway.api.SiteView;
import org.spillway.api.SpendPartsView;
import org.spillway.api.SpendView;
import org.spillway.api.Submitted;
import org.spillway.api.WebView;

/**
 * The head as the REST API needs it. Called by many threads at once. Every method answers from what is known now and
 * blocks only for the journal. A refusal is an {@link ApiException}; anything else that is thrown reads as a fault of
 * the head (500), whose text stays in the log.
 *
 * <p>Who may see or cancel what is decided in {@link RestServer}, before these methods are called.
 */
public interface HeadApi {
    /**
     * Accepts a job; returns after it is durable.
     *
     * @param submission already checked for bounds, but not against the configuration: queue, walltime limit, offerings
     * @param idempotencyKey of this caller: the same key with an equal submission answers the job that it made before
     * @throws ApiException UNKNOWN_QUEUE, NO_OFFERING, LIMIT_EXCEEDED, or KEY_REUSED for the same key with another
     *     submission
     */
    Submitted submit(Caller caller, JobSubmission submission, String idempotencyKey);

    /**
     * Accepts many jobs in one durable write, or says of each why not; returns after it is durable. To be repeated as
     * single submissions are: what was accepted under its key is answered as it was.
     *
     * @param submissions already checked for bounds; no key stands twice
     * @return an answer for each, in their order
     * @throws ApiException UNAVAILABLE when none can be taken now
     */
    List<ManySubmitted.SubmissionAnswer> submit(
            Caller caller,
            ManySubmissions.Mode mode,
            ManySubmissions.Ahead ahead,
            List<ManySubmissions.KeyedSubmission> submissions);

    /** The prospect of a submission; changes nothing, and refuses what {@link #submit} would. */
    CheckView check(Caller caller, JobSubmission submission);

    /** Jobs that the filter lets through, newest first. */
    List<JobView> jobs(JobFilter filter);

    Optional<JobDetail> job(String id);

    /** The tasks of an array by index; empty when there is no such array. */
    List<JobView> array(String id);

    Optional<ExplainView> explain(String id);

    /**
     * Text that a running job has written since {@code after}, as far as its director still has it.
     *
     * @param stream {@code stdout} or {@code stderr}
     * @param rank of the node in the job, from 0
     * @throws ApiException NOT_FOUND for a job or rank that is not there; UNAVAILABLE when its site does not answer
     */
    LogView log(String id, String stream, int rank, long after);

    /**
     * Asks for the end of a job. Idempotent: a job that has ended already is answered as it is.
     *
     * @throws ApiException NOT_FOUND
     */
    JobView cancel(Caller caller, String id);

    /** As {@link #cancel}, for all tasks of an array at once; by index. @throws ApiException NOT_FOUND */
    List<JobView> cancelArray(Caller caller, String id);

    /** Nodes and directors, those that ended too as long as the head remembers them. */
    List<NodeView> nodes();

    /**
     * Launches nodes by hand, within the same limits as the scaler.
     *
     * @throws ApiException NO_OFFERING, LIMIT_EXCEEDED
     */
    List<NodeView> addNodes(Caller caller, NodeOrder order);

    /**
     * @param action {@code remove}, {@code drain}, {@code resume}, {@code keep}, {@code unkeep}, {@code unfix},
     *     {@code power-off} or {@code power-on}
     * @throws ApiException NOT_FOUND, CONFLICT when it cannot be done in the node's state
     */
    NodeView changeNode(Caller caller, String id, String action);

    /**
     * Makes another of a node.
     *
     * @param action {@code repurpose}, {@code join} or {@code leave}
     * @throws ApiException NOT_FOUND, CONFLICT when it cannot be done in the node's state, LIMIT_EXCEEDED
     */
    NodeView turnNode(Caller caller, String id, String action, NodeTurnOrder order);

    List<QueueView> queues();

    List<SiteView> sites();

    /** The accounts behind the sites: for administrators only. */
    SiteApi accounts();

    /** The scaler's decisions: for administrators only. */
    DecisionsApi decisions();

    /** Who decides how many nodes there should be: for administrators only, but for the looking. */
    PolicyApi policies();

    /** Why a node is there, also one that has ended, as long as the head remembers it. */
    Optional<NodeExplainView> explainNode(String id);

    /** The breakers. */
    BreakersApi breakers();

    /** Users as each place knows them: for administrators, and for each of itself. */
    default AccountsApi users() {
        return AccountsApi.NONE;
    }

    /** Machines that the journal does not know. */
    default RecoveryApi recovery() {
        return RecoveryApi.NONE;
    }

    /** Requests that tenants of the head answer. */
    default List<RoutePart> parts() {
        return List.of();
    }

    /** Files that are brought to sites ahead of any job. */
    default StagesApi stages() {
        return StagesApi.NONE;
    }

    /** Versions of root file systems on the nodes of categories: for administrators only. */
    default RolloutsApi rollouts() {
        return RolloutsApi.NONE;
    }

    /** Copies of the journal: for administrators only. */
    default BackupsApi backups() {
        return BackupsApi.NONE;
    }

    /** Logs of nodes: for administrators only. */
    default NodeLogsApi nodeLogs() {
        return NodeLogsApi.NONE;
    }

    /** All that is known of nodes: for administrators only. */
    default NodePagesApi nodePages() {
        return NodePagesApi.NONE;
    }

    /** Sessions in running jobs. Who may have one is decided before. */
    default SessionsApi sessions() {
        return SessionsApi.NONE;
    }

    /** Clusters on demand. */
    default ClustersApi clusters() {
        return ClustersApi.NONE;
    }

    /** Whose jobs are shown to whom. */
    default JobSight sight() {
        return clusters().sight();
    }

    /** The plan of the next tick. Changes nothing. */
    PlanView plan();

    SpendView spend();

    /** Spent money in parts, each with its owner. */
    SpendPartsView spendParts();

    HealthView health();

    /**
     * The way into the web page, with its secret: for administrators to all of it, for others to their clusters.
     *
     * @throws ApiException UNAVAILABLE if the page is not served
     */
    WebView web(Caller caller);

    /**
     * Ends every node and director and launches nothing more until the head is started again. Returns at once; the
     * progress is seen in {@link #nodes()}. Idempotent. Jobs that run on the nodes are requeued.
     */
    void release(Caller caller);

    /** Stops the head, and its socket with it; nodes and jobs go on within their lease. Returns at once. Idempotent. */
    void shutdown(Caller caller);
}
