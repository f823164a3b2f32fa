package org.spillway.director;

import java.io.IOException;
import java.time.InstantSource;
import java.util.Map;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Directive.NodeProfile;

/** Questions about whether a node's root is still its version: the head asks, the node answers. */
final class DriftDesk {
    static final String PATH = "/v1/drift";
    private static final String LOOK = "[0-9a-f]{16}";

    private final SiteState state;
    private final InstantSource steady;

    DriftDesk(SiteState state, InstantSource steady) {
        this.state = state;
        this.steady = steady;
    }

    /** A node asks what is wanted of it, and tells what it found. */
    Answer ofNode(String node, Request request) throws IOException {
        String look = request.queryFields().getOrDefault("look", "");
        if (request.method().equals("POST")) {
            return state.drifts.heard(node, look, request.body(DriftLooks.MAX_BYTES), steady.instant())
                    ? Answer.ok("")
                    : Answer.error(404, "nobody waits for that");
        }
        Directive.Drift wanted = state.profile(node)
                .map(NodeProfile::category)
                .map(Directive.Category::drift)
                .orElse(null);
        String how = state.drifts.how(node, look);
        return Answer.ok(
                (wanted == null ? "" : "policy " + wanted.policy() + "\nperiod " + wanted.periodSeconds() + "\n")
                        + (how.isEmpty() ? "" : "look " + how + "\n"));
    }

    /** The head asks for a look, and again until it is over. */
    Answer ofHead(Request request) {
        Map<String, String> asked = request.queryFields();
        String node = asked.getOrDefault("node", "");
        String look = asked.getOrDefault("look", "");
        if (!look.matches(LOOK)) {
            return Answer.error(400, "look is none");
        }
        if (!state.isNamed(node)) {
            return Answer.error(409, "the head does not name this node");
        }
        return new Answer.Text(
                200,
                WireJson.write(state.drifts.ask(
                        node, look, asked.getOrDefault("whole", "").equals("true"), steady.instant())));
    }
}
