package org.spillway.head.rest;

import java.util.List;
import java.util.Optional;

/**
 * What the REST API needs of the head. Called by many threads at once. Every method answers from what is known now and
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
    JobView submit(Caller caller, JobSubmission submission, String idempotencyKey);

    /** Jobs that the filter lets through, newest first. */
    List<JobView> jobs(JobFilter filter);

    Optional<JobDetail> job(String id);

    /**
     * Asks for the end of a job. Idempotent: a job that has ended already is answered as it is.
     *
     * @throws ApiException NOT_FOUND
     */
    JobView cancel(Caller caller, String id);

    /** Nodes and directors, those that ended too as long as the head remembers them. */
    List<NodeView> nodes();

    List<SiteView> sites();

    /** What the next tick would do. Changes nothing. */
    PlanView plan();

    SpendView spend();

    HealthView health();

    /**
     * The way into the web page, with its secret: for administrators only.
     *
     * @throws ApiException UNAVAILABLE if the page is not served
     */
    WebView web();

    /**
     * Ends every node and director and launches nothing more until the head is started again. Returns at once; the
     * progress is seen in {@link #nodes()}. Idempotent. Jobs that run on the nodes are requeued.
     */
    void release(Caller caller);

    /** Stops the head soon after returning; nodes and jobs go on within their lease. Idempotent. */
    void shutdown(Caller caller);
}
