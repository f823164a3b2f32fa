package org.spillway.director;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.session.ForwardLines;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Forwards;
import org.spillway.director.wire.Forwards.Forward;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.SiteAccounts.Account;
import org.spillway.director.wire.SiteAccounts.Group;

/**
 * Services of home for jobs over HTTP (ADR 77). Who may is said here, and by the head once more.
 *
 * <pre>
 * GET /v1/forwards                           of a node: NAME HOST PORT,PORT of each service
 * POST /v1/forwards/JOB/ATTEMPT/NAME/ID      of a node: its end of a line; 403 for who may not, 504 when the head does not come
 * POST /v1/forwards/wanted                   of the head: lines whose node waits; waits a moment for one
 * POST /v1/forwards/NODE/ID                  of the head: its end; 504 when the node does not come
 * </pre>
 */
final class ForwardDesk {
    static final String LIST = "/v1/forwards";

    private static final Logger LOG = LoggerFactory.getLogger(ForwardDesk.class);
    private static final Pattern NODE_PATH =
            Pattern.compile("/v1/forwards/([A-Za-z0-9-]{1,64})/([1-9][0-9]{0,5})/([A-Za-z0-9-]{1,40})/([0-9a-f]{32})");
    private static final Pattern HEAD_PATH = Pattern.compile("/v1/forwards/([^/]{1,200})/([0-9a-f]{32})");
    /** All shorter than a small request may take. */
    private static final Duration POLL = Duration.ofSeconds(2);

    private static final Duration HEAD_WAITS = Duration.ofSeconds(20);
    private static final Duration NODE_WAITS = Duration.ofSeconds(25);

    private final SiteState state;
    private final IdentitySource identities;

    ForwardDesk(SiteState state, IdentitySource identities) {
        this.state = state;
        this.identities = identities;
    }

    static boolean isFor(Request request) {
        return request.path().startsWith(LIST + "/");
    }

    private Forwards forwards() {
        return state.directive().map(Directive::forwards).orElse(Forwards.NONE);
    }

    Answer list() {
        return Answer.ok(forwards().lines(""));
    }

    /** A line of the facts of an order for each service: the user is judged when one is used. */
    String facts() {
        return forwards().lines("forward ");
    }

    Answer ofHead(Request request) throws InterruptedException {
        if (!request.method().equals("POST")) {
            return Answer.error(405, "POST only");
        }
        if (request.path().equals(LIST + "/wanted")) {
            return Answer.ok(state.forwards.wanted(POLL));
        }
        Matcher path = HEAD_PATH.matcher(request.path());
        return path.matches()
                ? SessionDesk.answer(state.forwards.fromHead(path.group(1), path.group(2), HEAD_WAITS))
                : Answer.error(404, "no such line");
    }

    Answer ofNode(String node, Request request) throws InterruptedException {
        Matcher path = NODE_PATH.matcher(request.path());
        if (!path.matches() || !request.method().equals("POST")) {
            return Answer.error(404, "no such line");
        }
        var task = new SiteState.Task(path.group(1), Integer.parseInt(path.group(2)), node);
        Optional<JobOrder> order = state.order(task).filter(its -> !its.cancel());
        if (order.isEmpty()) {
            // A director that has just begun, or a job that has: the node sees when it is over.
            return Answer.error(503, "this attempt is not ordered for this node now");
        }
        if (identities.users() == 0) {
            return Answer.error(503, "no users yet");
        }
        Optional<String> refusal = refusal(
                forwards().named(path.group(3)),
                order.get(),
                identities.account(order.get().user()));
        if (refusal.isPresent()) {
            LOG.info("service {} is refused to job {} on node {}: {}", path.group(3), task.job(), node, refusal.get());
            return Answer.error(403, refusal.get());
        }
        var line = new ForwardLines.Line(node, task.job(), task.attempt(), path.group(3), path.group(4));
        return SessionDesk.answer(state.forwards.fromNode(line, NODE_WAITS));
    }

    /** Why a job may not use a service; empty where it may. */
    static Optional<String> refusal(Optional<Forward> forward, JobOrder order, Optional<Account> account) {
        if (forward.isEmpty()) {
            return Optional.of("there is no such service");
        }
        if (account.filter(found -> found.uid() == order.uid()).isEmpty()) {
            return Optional.of("user " + order.user() + " is not in the directory with uid " + order.uid());
        }
        return forward.get()
                        .isFor(account.get().groups().stream().map(Group::name).toList())
                ? Optional.empty()
                : Optional.of("user " + order.user() + " is in none of its groups ("
                        + String.join(", ", forward.get().groups()) + ")");
    }
}
