package org.spillway.head.web;

import java.util.List;
import org.spillway.api.CheckView;
import org.spillway.api.JobSubmission;
import org.spillway.api.JobView;
import org.spillway.api.LogView;
import org.spillway.api.ManySubmissions;
import org.spillway.api.ManySubmitted;
import org.spillway.api.NodeOrder;
import org.spillway.api.NodeTurnOrder;
import org.spillway.api.NodeView;
import org.spillway.api.Submitted;
import org.spillway.api.WebView;
import org.spillway.head.rest.BreakersApi;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.DecisionsApi;
import org.spillway.head.rest.HeadApi;
import org.spillway.head.rest.PolicyApi;
import org.spillway.head.rest.SiteApi;

/** A head of which the page asks what it shows, and nothing else. */
abstract class PageHead implements HeadApi {

    @Override
    public LogView log(String id, String stream, int rank, long after) {
        throw new AssertionError("the page shows no logs");
    }

    @Override
    public CheckView check(Caller caller, JobSubmission submission) {
        throw new AssertionError("the page checks nothing");
    }

    @Override
    public List<NodeView> addNodes(Caller caller, NodeOrder order) {
        throw new AssertionError("the page adds nothing");
    }

    @Override
    public NodeView changeNode(Caller caller, String id, String action) {
        throw new AssertionError("the page changes nothing");
    }

    @Override
    public NodeView turnNode(Caller caller, String id, String action, NodeTurnOrder order) {
        throw new AssertionError("the page changes nothing");
    }

    @Override
    public DecisionsApi decisions() {
        throw new UnsupportedOperationException("the page shows no decisions");
    }

    @Override
    public BreakersApi breakers() {
        throw new UnsupportedOperationException("the page shows breakers as steps of the plan");
    }

    @Override
    public PolicyApi policies() {
        throw new UnsupportedOperationException("the page shows no policies");
    }

    @Override
    public SiteApi accounts() {
        throw new UnsupportedOperationException("the page shows no accounts");
    }

    @Override
    public Submitted submit(Caller caller, JobSubmission submission, String idempotencyKey) {
        throw new AssertionError("the page submits nothing");
    }

    @Override
    public List<ManySubmitted.SubmissionAnswer> submit(
            Caller caller,
            ManySubmissions.Mode mode,
            ManySubmissions.Ahead ahead,
            List<ManySubmissions.KeyedSubmission> submissions) {
        throw new AssertionError("the page submits nothing");
    }

    @Override
    public JobView cancel(Caller caller, String id) {
        throw new AssertionError("the page cancels nothing");
    }

    @Override
    public List<JobView> cancelArray(Caller caller, String id) {
        throw new AssertionError("the page cancels nothing");
    }

    @Override
    public void release(Caller caller) {
        throw new AssertionError("the page releases nothing");
    }

    @Override
    public void shutdown(Caller caller) {
        throw new AssertionError("the page stops nothing");
    }

    @Override
    public WebView web(Caller caller) {
        throw new AssertionError("the page does not show its own link");
    }
}
