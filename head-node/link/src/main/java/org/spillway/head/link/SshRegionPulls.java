package org.spillway.head.link;

import java.util.Optional;
import org.spillway.director.WireJson;
import org.spillway.director.wire.PullOrder;
import org.spillway.director.wire.PullState;

/** Over the director's HTTPS. */
record SshRegionPulls(SiteLine line) implements RegionPulls {
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;

    private static String path(Name name) {
        return "/v1/pulls/" + name.job() + "/" + name.uid() + "/" + name.name();
    }

    @Override
    public void begin(Name name, PullOrder order) throws LinkDownException {
        var answer = line.call("POST", path(name), WireJson.write(order));
        if (answer.status() != OK) {
            throw malformed(answer);
        }
    }

    @Override
    public Optional<PullState> state(Name name, int from) throws LinkDownException {
        var answer = line.call("GET", path(name) + "?from=" + from, new byte[0]);
        if (answer.status() == NOT_FOUND) {
            return Optional.empty();
        }
        if (answer.status() != OK) {
            throw malformed(answer);
        }
        try {
            return Optional.of(WireJson.readPullState(answer.body()));
        } catch (WireJson.Malformed e) {
            throw malformed(answer);
        }
    }

    @Override
    public void end(Name name) throws LinkDownException {
        line.call("DELETE", path(name), new byte[0]);
    }

    private LinkDownException malformed(SiteLine.Answer answer) {
        return new LinkDownException("the director of " + line.director().site() + " answered " + answer.status()
                + " to an order to pull inputs");
    }
}
