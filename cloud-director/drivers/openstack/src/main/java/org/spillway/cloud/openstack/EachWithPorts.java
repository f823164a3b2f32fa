package org.spillway.cloud.openstack;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.IntStream;
import org.spillway.cloud.CloudException;
import org.spillway.cloud.LaunchAnswer;
import org.spillway.cloud.LaunchRequest;
import org.spillway.policy.LaunchOutcome;
import org.spillway.policy.LaunchOutcome.Reason;

/**
 * A launch of servers that have ports of their own, each by a request: Nova refuses several servers with one list of ports
 * (nova, exception.MultiplePortsNotApplicable).
 */
final class EachWithPorts {
    private final Account account;
    private final Following following;
    private final Ports ports;
    private final ServerBody form;

    EachWithPorts(Account account, Following following, Ports ports, ServerBody form) {
        this.account = account;
        this.following = following;
        this.ports = ports;
        this.form = form;
    }

    /** @param name of a single one; of several NAME-1, NAME-2 and so on, as Nova itself would call them */
    LaunchAnswer launch(LaunchRequest request, ServerBody.Seat seat, String name, int count) {
        Map<Integer, Api.Result> results = new ConcurrentSkipListMap<>();
        try {
            SideBySide.forEach(IntStream.rangeClosed(1, count).boxed().toList(), index -> {
                String server = count == 1 ? name : name + "-" + index;
                results.put(index, one(request, seat, server));
            });
        } catch (CloudException stopped) {
            return Launcher.unknown(String.valueOf(stopped.getMessage()));
        }
        return judge(results, name);
    }

    private Api.Result one(LaunchRequest request, ServerBody.Seat seat, String server) {
        Map<String, String> made;
        try {
            made = ports.make(request, form, server);
        } catch (CloudException failed) {
            return new Api.Result.Refused(0, failed.reason(), String.valueOf(failed.getMessage()), "");
        }
        ObjectNode body = form.of(account, request, seat, server, 1, made);
        Api.Result result = account.api().launch(ServerBody.feature(account.settings()), body);
        if (result instanceof Api.Result.Refused || result instanceof Api.Result.Unsent) {
            ports.tidy(server);
        }
        return result;
    }

    private LaunchAnswer judge(Map<Integer, Api.Result> results, String name) {
        List<String> accepted = new ArrayList<>();
        Reason reason = Reason.CAPACITY;
        String message = "";
        for (Api.Result each : results.values()) {
            switch (each) {
                case Api.Result.Done done -> {
                    String id = done.body().path("server").path("id").asText();
                    if (id.isEmpty()) {
                        return Launcher.unknown("accepted, but the answer names no server");
                    }
                    accepted.add(id);
                }
                case Api.Result.Unclear unclear -> {
                    return Launcher.unknown(unclear.message());
                }
                case Api.Result.Refused no -> {
                    reason = no.reason();
                    message = no.message();
                }
                case Api.Result.Unsent unsent -> {
                    reason = Reason.THROTTLED;
                    message = unsent.message();
                }
            }
        }
        if (accepted.isEmpty()) {
            return Launcher.refused(reason, message);
        }
        LaunchAnswer answer = following.follow(accepted.getFirst(), name, accepted.size());
        return accepted.size() < results.size() && answer.outcome() instanceof LaunchOutcome.Launched some
                ? new LaunchAnswer(new LaunchOutcome.Partial(some.count(), reason, message), answer.instances())
                : answer;
    }
}
