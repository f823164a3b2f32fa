package org.spillway.director;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.director.node.NodeUserData;
import org.spillway.director.session.Sessions;
import org.spillway.director.session.Sessions.Outcome;

/**
 * Sessions of running jobs over HTTP (ADR 68). Answers to both POSTs are streams both ways for as long as there are two ends.
 *
 * <pre>
 * POST /v1/sessions/JOB/ATTEMPT/NODE/ID?away=S&amp;idle=S&amp;most=N   of the head: its end; 504 when the node does not come, 409 why it will not
 * POST /v1/sessions/ID                                  of a node: its end; 504 when nobody is there
 * GET /v1/sessions/ID/facts                             JOB ATTEMPT AWAY MOST IDLE
 * POST /v1/sessions/ID/refused                          why not
 * GET /v1/sessions/program                              what carries it
 * </pre>
 */
final class SessionDesk {
    static final String PREFIX = "/v1/sessions/";

    private static final Pattern HEAD_PATH =
            Pattern.compile("/v1/sessions/([A-Za-z0-9-]{1,64})/([1-9][0-9]{0,5})/([^/]{1,200})/([0-9a-f]{32})");
    private static final Pattern NODE_PATH = Pattern.compile("/v1/sessions/([0-9a-f]{32})(|/facts|/refused)");
    private static final Pattern NUMBER = Pattern.compile("[1-9][0-9]{0,6}");
    /** Both shorter than a small request may take. */
    private static final Duration HEAD_WAITS = Duration.ofSeconds(20);

    private static final Duration NODE_WAITS = Duration.ofSeconds(25);
    private static final int MAX_REFUSAL_BYTES = 500;

    private final Sessions sessions;
    private final SiteState state;

    SessionDesk(Sessions sessions, SiteState state) {
        this.sessions = sessions;
        this.state = state;
    }

    static boolean isFor(Request request) {
        return request.path().startsWith(PREFIX);
    }

    Answer ofHead(Request request) throws InterruptedException {
        Matcher path = HEAD_PATH.matcher(request.path());
        Map<String, String> asked = request.queryFields();
        String away = asked.getOrDefault("away", "");
        String idle = asked.getOrDefault("idle", "0");
        String most = asked.getOrDefault("most", "");
        if (!path.matches() || !request.method().equals("POST")) {
            return Answer.error(404, "no such session");
        }
        if (!NUMBER.matcher(away).matches()
                || !(idle.equals("0") || NUMBER.matcher(idle).matches())
                || !NUMBER.matcher(most).matches()) {
            return Answer.error(400, "away, idle and most must be numbers");
        }
        int attempt = Integer.parseInt(path.group(2));
        var task = new SiteState.Task(path.group(1), attempt, path.group(3));
        if (state.order(task).filter(order -> !order.cancel()).isEmpty()) {
            // A director that has just begun, or a job that has: the head knows when it is over.
            return Answer.error(503, "this attempt is not ordered for this node now");
        }
        var terms = new Sessions.Terms(
                path.group(1), attempt, Integer.parseInt(away), Integer.parseInt(idle), Integer.parseInt(most));
        return answer(sessions.fromHead(path.group(3), path.group(4), terms, HEAD_WAITS));
    }

    Answer ofNode(String node, Request request) throws IOException, InterruptedException {
        if (request.path().equals(PREFIX + "program")) {
            return Answer.ok(NodeUserData.sessionProgram());
        }
        Matcher path = NODE_PATH.matcher(request.path());
        if (!path.matches()) {
            return Answer.error(404, "no such session");
        }
        String id = path.group(1);
        return switch (request.method() + path.group(2)) {
            case "POST" -> answer(sessions.fromNode(node, id, NODE_WAITS));
            case "GET/facts" ->
                sessions.terms(node, id)
                        .map(terms -> Answer.ok(terms.job() + " " + terms.attempt() + " " + terms.awaySeconds() + " "
                                + terms.most() + " " + terms.idleSeconds() + "\n"))
                        .orElseGet(() -> Answer.error(404, "nobody waits for it"));
            case "POST/refused" -> {
                sessions.refuse(
                        node,
                        id,
                        new String(request.body(MAX_REFUSAL_BYTES), StandardCharsets.UTF_8)
                                .replaceAll("[^\\x20-\\x7e]", "?"));
                yield Answer.ok("");
            }
            default -> Answer.error(405, "not for this");
        };
    }

    static Answer answer(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Met(Sessions.End end) -> new Answer.TwoWay(end::carry);
            case Outcome.Refused(String why) -> Answer.error(409, why);
            case Outcome.Nobody ignored -> Answer.error(504, "the other end is not there");
            case Outcome.Full ignored -> Answer.error(429, "there are too many of its kind here");
        };
    }
}
