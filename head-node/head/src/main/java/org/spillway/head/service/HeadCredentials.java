package org.spillway.head.service;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.function.Function;
import org.spillway.cloud.LaunchRequest;
import org.spillway.director.node.NodeUserData;
import org.spillway.head.loop.port.Credentials;
import org.spillway.head.trust.CsrRefused;
import org.spillway.head.trust.SiteAuthority;

/** The site authority as the loop wants it. */
final class HeadCredentials implements Credentials {
    /** Longer than any node should live; a node is cut off by its lease and not by its certificate. */
    private static final Duration NODE_CERTIFICATE = Duration.ofDays(90);

    private final SiteAuthority authority;
    private final Duration registration;
    private final Function<String, Duration> abandonedAfter;

    /** @param abandonedAfter of a site: how long its director stays on without a word from this head */
    HeadCredentials(SiteAuthority authority, Duration registration, Function<String, Duration> abandonedAfter) {
        this.authority = authority;
        this.registration = registration;
        this.abandonedAfter = abandonedAfter;
    }

    @Override
    public String nodeUserData(String site, String intent, String directorAddress) {
        // The settings want a token's shape, so the placeholder is put in afterwards.
        String shape = "0000000000000000placeholder0000000000000000";
        String text = NodeUserData.render(new NodeUserData.Settings(
                directorAddress,
                HeadProcess.HTTPS_PORT,
                authority.certificatePem(),
                shape,
                intent,
                authority.imagePublicKeyPem(),
                (int) Math.max(60, registration.toSeconds())));
        return text.replace(shape, "@@SPILLWAY:join:" + intent + "@@");
    }

    @Override
    public boolean leadsTo(String nodeUserData, String directorAddress) {
        return NodeUserData.leadsTo(nodeUserData, directorAddress);
    }

    @Override
    public String directorUserData(String site, String node) {
        try {
            return authority.directorUserData(node, abandonedAfter.apply(site));
        } catch (IOException e) {
            throw new UncheckedIOException("the host key of " + node + " cannot be kept", e);
        }
    }

    @Override
    public void givenDirector(String node, String hostKey) throws IOException {
        authority.hostKeys().given(node, hostKey);
    }

    @Override
    public boolean hasDirectorKey(String node) {
        try {
            return authority.hostKeys().isKnown(node);
        } catch (IOException e) {
            throw new UncheckedIOException("the host key of " + node + " cannot be read", e);
        }
    }

    @Override
    public LaunchRequest render(LaunchRequest request) throws IOException {
        return request.withUserData(authority.renderSecrets(request.userData()));
    }

    @Override
    public String tokenSha256(String intent) {
        return authority.tokenSha256(intent);
    }

    @Override
    public String signNode(String csr, String node) throws IOException {
        try {
            return authority.signNode(csr, node, NODE_CERTIFICATE);
        } catch (CsrRefused refused) {
            throw new IOException(refused.getMessage(), refused);
        }
    }
}
