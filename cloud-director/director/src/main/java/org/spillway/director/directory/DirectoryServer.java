package org.spillway.director.directory;

import com.unboundid.ldap.listener.LDAPListener;
import com.unboundid.ldap.listener.LDAPListenerConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** Serves a {@link DirectoryStore} over LDAP, for reading only. */
public final class DirectoryServer implements AutoCloseable {
    private static final int MOST_CONNECTIONS = 4_096;
    private static final int LARGEST_REQUEST_BYTES = 1 << 20;

    private final LDAPListener listener;
    private final InetSocketAddress address;

    /**
     * @param requireClientCertificate whether a client has to show one that the context's trust manager accepts
     */
    public record Tls(SSLContext context, boolean requireClientCertificate) {}

    private DirectoryServer(LDAPListener listener, InetSocketAddress address) {
        this.listener = listener;
        this.address = address;
    }

    /**
     * @param listen port 0 takes a free one
     * @param tls null to serve in the clear, which only loopback addresses allow
     * @param provider null when nobody may copy this store
     * @throws IOException when the address cannot be listened on
     */
    public static DirectoryServer start(
            DirectoryStore store,
            InetSocketAddress listen,
            @Nullable Tls tls,
            DirectoryAccess access,
            @Nullable ContentSyncProvider provider)
            throws IOException {
        if (tls == null && !listen.getAddress().isLoopbackAddress()) {
            throw new IllegalArgumentException(
                    "LDAP without TLS is served on loopback only, not on " + listen.getHostString());
        }
        LDAPListenerConfig config =
                new LDAPListenerConfig(listen.getPort(), new DirectoryRequestHandler(store, access, provider));
        config.setListenAddress(listen.getAddress());
        config.setMaxConnections(MOST_CONNECTIONS);
        config.setMaxMessageSizeBytes(LARGEST_REQUEST_BYTES);
        config.setUseLinger(false);
        config.setUseReuseAddress(true);
        if (tls != null) {
            config.setServerSocketFactory(tls.context().getServerSocketFactory());
            config.setRequestClientCertificate(tls.requireClientCertificate());
            config.setRequireClientCertificate(tls.requireClientCertificate());
        }
        LDAPListener listener = new LDAPListener(config);
        listener.setDaemon(true);
        listener.setName("directory-server");
        listener.startListening();
        return new DirectoryServer(listener, new InetSocketAddress(listen.getAddress(), listener.getListenPort()));
    }

    public InetSocketAddress address() {
        return address;
    }

    /** Closes the port and every connection. */
    @Override
    public void close() {
        listener.shutDown(true);
    }
}
