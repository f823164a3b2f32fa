package org.spillway.head.loop.sites;

import java.io.IOException;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.wire.Directive.JoinAnswer;
import org.spillway.director.wire.Report;
import org.spillway.head.loop.port.Credentials;
import org.spillway.head.loop.state.RenewedCertificates;

/**
 * Certificates for nodes whose own come to an end. Nothing of it is journalled: a director repeats the request until
 * the node shows what it asked for, and a certificate that was made twice does no harm.
 */
final class Renewing {
    private static final Logger LOG = LoggerFactory.getLogger(Renewing.class);
    /** A signature takes a millisecond, and a report comes every second or two: all of a large site in a minute. */
    static final int MOST_AT_ONCE = 16;

    private Renewing() {}

    /**
     * @param answers those whose node asks no longer are taken away
     * @param joined whether a node is one of this site's, lives, and has joined by a token
     */
    static void heard(Report report, RenewedCertificates answers, Predicate<String> joined, Credentials credentials) {
        answers.keep(
                node -> report.nodes().stream().anyMatch(told -> told.node().equals(node) && told.renewal() != null));
        int signed = 0;
        for (Report.NodeReport node : report.nodes()) {
            Report.Renewal wanted = node.renewal();
            if (wanted == null || !joined.test(node.node())) {
                continue;
            }
            JoinAnswer known = answers.of(node.node());
            boolean isNew = known == null || !known.request().equals(wanted.request());
            if (isNew && signed < MOST_AT_ONCE) {
                answers.put(answer(node.node(), wanted, credentials));
                signed++;
            }
        }
    }

    private static JoinAnswer answer(String node, Report.Renewal wanted, Credentials credentials) {
        try {
            String certificate = credentials.signNode(wanted.csr(), node);
            LOG.info("{}: its certificate is renewed", node);
            return new JoinAnswer(wanted.request(), node, true, certificate, "");
        } catch (IOException notOne) {
            LOG.warn("{}: its certificate cannot be renewed: {}", node, notOne.getMessage());
            return new JoinAnswer(wanted.request(), node, false, "", String.valueOf(notOne.getMessage()));
        }
    }
}
