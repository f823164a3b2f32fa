package org.spillway.director;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.Directive.JoinAnswer;
import org.spillway.director.wire.Report.Renewal;

/**
 * Nodes whose certificates come to an end, and what they ask for. The director's clock says when, since it is this
 * clock that lets a node in or keeps it out. In memory: a node that is told again asks again for the same.
 */
final class Renewals {
    private final Map<String, Boolean> due = new ConcurrentHashMap<>();
    private final Map<String, Renewal> asked = new ConcurrentHashMap<>();

    /** A node came with a certificate. @param now by the clock of certificates @return whether it is to be told of it */
    boolean heard(String node, CertificateLife life, Instant now) {
        if (life.isDue(now)) {
            return due.put(node, true) == null;
        }
        due.remove(node);
        asked.remove(node);
        return false;
    }

    boolean isDue(String node) {
        return due.containsKey(node);
    }

    /** @param answers the head's word on a request, if it has one */
    Answer ask(String node, byte[] body, Predicate<String> named, Map<String, JoinAnswer> answers) {
        String csr = Request.form(body).getOrDefault("csr", "");
        if (csr.length() > JoinDesk.MAX_CSR_CHARACTERS || !csr.startsWith("-----BEGIN CERTIFICATE REQUEST-----")) {
            return Answer.error(400, "csr must be a PEM certificate request");
        }
        if (!isDue(node) || !named.test(node)) {
            return Answer.error(409, "this certificate is good for long enough");
        }
        Renewal wanted = new Renewal(Digests.hex(csr), csr);
        asked.put(node, wanted);
        JoinAnswer answer = answers.get(wanted.request());
        if (answer == null || !answer.node().equals(node)) {
            return Answer.text(202, "wait\n");
        }
        return answer.accepted() ? Answer.ok(answer.certificate()) : Answer.error(403, answer.reason());
    }

    /** The request of a node; null for none. */
    @Nullable
    Renewal of(String node) {
        return asked.get(node);
    }

    /** The line of its orders that tells a node; empty for one whose certificate is young. */
    Optional<String> line(String node) {
        return isDue(node) ? Optional.of("certificate due") : Optional.empty();
    }

    void keep(Predicate<String> named) {
        due.keySet().removeIf(named.negate());
        asked.keySet().removeIf(named.negate());
    }
}
