package org.spillway.head.link;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.PublicKey;
import java.util.List;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.auth.pubkey.UserAuthPublicKeyFactory;
import org.apache.sshd.client.config.hosts.HostConfigEntryResolver;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.AttributeRepository;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.keyprovider.KeyIdentityProvider;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.util.net.SshdSocketAddress;
import org.apache.sshd.core.CoreModuleProperties;
import org.apache.sshd.server.forward.ForwardingFilter;
import org.apache.sshd.server.forward.RejectAllForwardingFilter;
import org.apache.sshd.server.forward.TcpForwardingFilter;
import org.jspecify.annotations.Nullable;
import org.spillway.head.trust.HostKeys;
import org.spillway.head.trust.SiteAuthority;

/**
 * SSH sessions to directors, each of which must prove to hold the host key that the head made for it. Nothing of the
 * service user's own SSH configuration, keys or agent is used.
 */
public final class DirectorSessions implements AutoCloseable {
    private static final int NIO_WORKERS = 2;
    private static final int HEARTBEATS_OWED = 3;
    /** Results on their way home fill 1 Gbit/s over 60 ms; MINA's usual 2 MiB would be a quarter of that. */
    private static final long WINDOW_BYTES = 8L << 20;

    private static final AttributeRepository.AttributeKey<Attempt> ATTEMPT = new AttributeRepository.AttributeKey<>();

    private final HostKeys hostKeys;
    private final String user;
    private final LinkTimes times;
    private final SshClient client;

    /** Starts the client's threads. @param user login name on every director */
    public DirectorSessions(SiteAuthority authority, String user, LinkTimes times) {
        this.hostKeys = authority.hostKeys();
        this.user = user;
        this.times = times;
        client = SshClient.setUpDefaultClient();
        client.setHostConfigEntryResolver(HostConfigEntryResolver.EMPTY);
        client.setKeyIdentityProvider(KeyIdentityProvider.wrapKeyPairs(authority.sshClient()));
        client.setUserAuthFactories(List.of(UserAuthPublicKeyFactory.INSTANCE));
        client.setCipherFactories(
                SshCiphers.order(client.getCipherFactories(), System.getProperty("java.vm.info", "")));
        client.setServerKeyVerifier((session, address, key) -> isOurs(session, key));
        client.setForwardingFilter(ForwardingFilter.asForwardingFilter(
                RejectAllForwardingFilter.INSTANCE, RejectAllForwardingFilter.INSTANCE, new LoopbackOnly()));
        CoreModuleProperties.WINDOW_SIZE.set(client, WINDOW_BYTES);
        CoreModuleProperties.NIO_WORKERS.set(client, NIO_WORKERS);
        CoreModuleProperties.IO_CONNECT_TIMEOUT.set(client, times.connect());
        CoreModuleProperties.HEARTBEAT_REQUEST.set(client, "keepalive@openssh.com");
        CoreModuleProperties.HEARTBEAT_INTERVAL.set(client, times.heartbeat());
        CoreModuleProperties.HEARTBEAT_NO_REPLY_MAX.set(client, HEARTBEATS_OWED);
        CoreModuleProperties.FORWARD_REQUEST_TIMEOUT.set(client, times.answer());
        CoreModuleProperties.CHANNEL_OPEN_TIMEOUT.set(client, times.answer());
        CoreModuleProperties.NIO2_MIN_WRITE_TIMEOUT.set(client, times.answer());
        client.start();
    }

    /**
     * A new session, logged in. The caller closes it.
     *
     * @throws HostKeyRefused if another machine answers
     * @throws IOException if nothing answers in time, or the login is refused
     */
    public ClientSession open(DirectorTarget director) throws IOException {
        List<PublicKey> accepted = hostKeys.accepted(director.node());
        var attempt = new Attempt(accepted);
        // The address is a literal from the provider: no name is looked up.
        var address = new InetSocketAddress(InetAddress.ofLiteral(director.address()), director.sshPort());
        ClientSession session = null;
        try {
            session = client.connect(user, address, AttributeRepository.ofKeyValuePair(ATTEMPT, attempt), null)
                    .verify(times.connect())
                    .getSession();
            session.auth().verify(times.answer());
            PublicKey proven = attempt.proven;
            if (proven == null) {
                throw new HostKeyRefused(director.address() + " was not asked for its key");
            }
            hostKeys.seen(director.node(), proven);
            return session;
        } catch (IOException | IllegalArgumentException | IllegalStateException e) {
            if (session != null) {
                session.close(true);
            }
            if (attempt.refused) {
                throw new HostKeyRefused("what answers on " + director.address() + ":" + director.sshPort()
                        + " does not hold the host key that was made for " + director.node());
            }
            throw new IOException(
                    "no SSH session to " + director.node() + " on " + director.address() + ":" + director.sshPort()
                            + " as " + user + ": " + e.getMessage(),
                    e);
        }
    }

    @Override
    public void close() {
        client.stop();
    }

    private static boolean isOurs(ClientSession session, PublicKey key) {
        var context = session.getConnectionContext();
        Attempt attempt = context == null ? null : context.getAttribute(ATTEMPT);
        if (attempt == null) {
            return false;
        }
        boolean ours = attempt.accepted.stream().anyMatch(known -> KeyUtils.compareKeys(known, key));
        if (ours) {
            attempt.proven = key;
        } else {
            attempt.refused = true;
        }
        return ours;
    }

    /** An attempt to connect: what is accepted, and what came. */
    private static final class Attempt {
        private final List<PublicKey> accepted;
        private volatile boolean refused;
        private volatile @Nullable PublicKey proven;

        Attempt(List<PublicKey> accepted) {
            this.accepted = accepted;
        }
    }

    /** A director may only come through a forward that was asked for, and it ends on this machine. */
    private static final class LoopbackOnly implements TcpForwardingFilter {
        @Override
        public boolean canListen(SshdSocketAddress address, Session session) {
            return isLoopback(address);
        }

        @Override
        public boolean canConnect(Type type, SshdSocketAddress address, Session session) {
            return isLoopback(address);
        }

        private static boolean isLoopback(SshdSocketAddress address) {
            return address.getHostName().equals("127.0.0.1");
        }
    }
}
