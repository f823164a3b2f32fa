package org.spillway.director;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Directive.JoinAnswer;
import org.spillway.director.wire.Directive.LaunchGrant;
import org.spillway.director.wire.Report.JoinRequest;

/** Where nodes without a certificate ask for one. It checks the join token and passes the request on to the head. */
final class JoinDesk {
    static final int MAX_PENDING = 2048;
    /** Whoever has the token, such as a job that reads its instance's user data, cannot fill the desk alone. */
    static final int MAX_PENDING_PER_ADDRESS = 4;

    static final int MAX_CSR_CHARACTERS = 8 * 1024;

    private final SiteState state;
    private final Map<String, JoinRequest> pending = new LinkedHashMap<>();

    JoinDesk(SiteState state) {
        this.state = state;
    }

    /** An answer to a node. */
    sealed interface Answer {
        record Wait() implements Answer {}

        record Certificate(String pem) implements Answer {}

        /** Final. */
        record Refused(String reason) implements Answer {}

        /** No directive names this token; one that does may be on its way. */
        record UnknownToken() implements Answer {}

        record Full() implements Answer {}

        record Malformed(String reason) implements Answer {}
    }

    /** @param address of the connection; @param now by the clock that never jumps */
    synchronized Answer ask(String token, String intent, String instance, String csr, String address, Instant now) {
        if (!intent.matches("[A-Za-z0-9-]{1,40}") || !instance.matches("[A-Za-z0-9./_-]{1,200}")) {
            return new Answer.Malformed("intent or instance is malformed");
        }
        if (csr.length() > MAX_CSR_CHARACTERS || !csr.startsWith("-----BEGIN CERTIFICATE REQUEST-----")) {
            return new Answer.Malformed("csr must be a PEM certificate request");
        }
        List<LaunchGrant> grants = state.directive().map(Directive::launches).orElse(List.of());
        byte[] offered = Digests.hex(token).getBytes(StandardCharsets.US_ASCII);
        Optional<LaunchGrant> named = Optional.empty();
        for (LaunchGrant grant : grants) {
            byte[] expected = grant.tokenSha256().getBytes(StandardCharsets.US_ASCII);
            if (MessageDigest.isEqual(offered, expected) && grant.intent().equals(intent)) {
                named = Optional.of(grant);
            }
        }
        if (named.isEmpty()) {
            return new Answer.UnknownToken();
        }
        if (now.isAfter(state.directiveAt().plusSeconds(named.get().secondsLeft()))) {
            return new Answer.Refused("the join token is past its deadline");
        }
        return file(new JoinRequest(Digests.hex(csr), intent, instance, address, csr));
    }

    /** Requests that the head has not answered yet and whose token is still known. */
    synchronized List<JoinRequest> requests() {
        forgetAnswered();
        return List.copyOf(pending.values());
    }

    private Answer file(JoinRequest request) {
        var answer = state.joinAnswer(request.request());
        if (answer.isPresent()) {
            JoinAnswer word = answer.get();
            return word.accepted() ? new Answer.Certificate(word.certificate()) : new Answer.Refused(word.reason());
        }
        if (!pending.containsKey(request.request())) {
            forgetAnswered();
            long fromThere = pending.values().stream()
                    .filter(other -> other.address().equals(request.address()))
                    .count();
            if (pending.size() >= MAX_PENDING || fromThere >= MAX_PENDING_PER_ADDRESS) {
                return new Answer.Full();
            }
            pending.put(request.request(), request);
        }
        return new Answer.Wait();
    }

    private void forgetAnswered() {
        List<String> intents = state.directive().map(Directive::launches).orElse(List.of()).stream()
                .map(LaunchGrant::intent)
                .toList();
        pending.values()
                .removeIf(request -> !intents.contains(request.intent())
                        || state.joinAnswer(request.request()).isPresent());
    }
}
