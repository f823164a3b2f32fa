package org.spillway.director;

import java.util.Optional;
import java.util.TreeMap;
import org.spillway.director.node.NodeUserData;
import org.spillway.director.wire.ManagerGrant;

/**
 * Requests of a node on which a workload manager has a daemon, once its own gate has passed.
 *
 * <pre>
 * GET /v1/manager             lines: manager NAME, slot NAME, NAME VALUE for each parameter, file NAME MODE
 * GET /v1/manager/file/NAME   the bytes of a file
 * GET /v1/manager/program     the part of the node's program that is too long for user data
 * </pre>
 */
final class ManagerSide {
    static final String PREFIX = "/v1/manager";
    private static final String FILE = PREFIX + "/file/";

    private final SiteState state;

    ManagerSide(SiteState state) {
        this.state = state;
    }

    Answer answer(String node, Request request) {
        Optional<ManagerGrant> grant = state.manager(node);
        if (grant.isEmpty() || !request.method().equals("GET")) {
            return Answer.error(404, "no workload manager is granted to this node, or its gate has not passed");
        }
        return switch (request.path()) {
            case PREFIX -> Answer.ok(facts(grant.get()));
            case PREFIX + "/program" ->
                state.program(grant.get().manager())
                        .map(text -> Answer.ok(NodeUserData.managerProgram(text)))
                        .orElseGet(() -> Answer.error(503, "its program is not here yet"));
            default -> file(grant.get(), request.path());
        };
    }

    private static Answer file(ManagerGrant grant, String path) {
        return grant.files().stream()
                .filter(file -> path.equals(FILE + file.name()))
                .findFirst()
                .map(file -> (Answer) new Answer.Text(200, ManagerCheck.bytes(file)))
                .orElseGet(() -> Answer.error(404, "no such thing"));
    }

    private static String facts(ManagerGrant grant) {
        var text = new StringBuilder("manager " + grant.manager() + "\nslot " + grant.slot() + "\n");
        new TreeMap<>(grant.parameters())
                .forEach((name, value) ->
                        text.append(name).append(' ').append(value).append('\n'));
        grant.files()
                .forEach(file -> text.append("file ")
                        .append(file.name())
                        .append(' ')
                        .append(file.mode())
                        .append('\n'));
        return text.toString();
    }
}
