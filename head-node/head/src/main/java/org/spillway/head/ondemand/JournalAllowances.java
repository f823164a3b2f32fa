package org.spillway.head.ondemand;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.ClusterState;
import org.spillway.api.ClusterState.Stage;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.journal.Journal;
import org.spillway.head.trust.SiteAuthority;

/**
 * Allowances of the clusters in the journal: from the start of a child's head until its removal begins. One that is being
 * stopped may look and end, and buys nothing.
 */
public final class JournalAllowances implements Allowances {
    private static final Logger LOG = LoggerFactory.getLogger(JournalAllowances.class);
    /** Of its head's price, kept back from what it may spend on nodes. */
    private static final Duration AHEAD = Duration.ofMinutes(1);

    private final Journal journal;
    private final SiteAuthority authority;
    private final InstantSource clock;
    private final Map<String, Proof> proofs = new ConcurrentHashMap<>();

    public JournalAllowances(Journal journal, SiteAuthority authority, InstantSource clock) {
        this.journal = journal;
        this.authority = authority;
        this.clock = clock;
    }

    /** A child's proof, as digests. */
    private record Proof(String token, String certificate) {}

    @Override
    public Optional<Allowance> find(String tokenSha256, String certificateSha256) {
        for (ClusterRecord child : journal.clusters()) {
            if (mayBuy(child)) {
                Optional<Proof> proof = proof(child.id());
                if (proof.isPresent()
                        && Allowances.same(proof.get().token(), tokenSha256)
                        && Allowances.same(proof.get().certificate(), certificateSha256)) {
                    return Optional.of(allowance(child));
                }
            }
        }
        proofs.keySet()
                .removeIf(
                        id -> journal.cluster(id).filter(ClusterRecord::isLive).isEmpty());
        return Optional.empty();
    }

    static boolean mayBuy(ClusterRecord child) {
        return switch (child.clusterState()) {
            case CREATING, STARTING -> child.stage().compareTo(Stage.HEAD_START) >= 0;
            case RUNNING, STOPPING -> true;
            case WAITING_FOR_APPROVAL, REQUESTED, STOPPED, DELETING, DELETED, FAILED, REJECTED -> false;
        };
    }

    /** The allowance for nodes that are bought while a child's head is made, which may not ask for them yet. */
    public Optional<Allowance> ahead(String id) {
        return journal.cluster(id)
                .filter(child -> child.clusterState() == ClusterState.CREATING
                        && child.stage().compareTo(Stage.HEAD_INSTALL) >= 0)
                .map(this::allowance);
    }

    private Allowance allowance(ClusterRecord child) {
        var spec = child.spec();
        return new Allowance(
                child.id(),
                spec.site(),
                child.clusterState() == ClusterState.STOPPING ? 0 : spec.nodes(),
                spec.budget().minus(child.head().cost(clock.instant().plus(AHEAD))),
                spec.expires(),
                Set.of());
    }

    private Optional<Proof> proof(String id) {
        Proof known = proofs.get(id);
        if (known != null) {
            return Optional.of(known);
        }
        try {
            byte[] chain = authority.clusterCredential(id).certificatePem().getBytes(StandardCharsets.US_ASCII);
            byte[] certificate = CertificateFactory.getInstance("X.509")
                    .generateCertificate(new ByteArrayInputStream(chain))
                    .getEncoded();
            Proof proof = new Proof(
                    sha256(authority.clusterToken(id).getBytes(StandardCharsets.US_ASCII)), sha256(certificate));
            proofs.put(id, proof);
            return Optional.of(proof);
        } catch (IOException | GeneralSecurityException damaged) {
            LOG.error("the secrets of cluster {} cannot be read: {}", id, damaged.getMessage());
            return Optional.empty();
        }
    }

    private static String sha256(byte[] bytes) throws GeneralSecurityException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    }
}
