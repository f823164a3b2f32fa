package org.spillway.director.directory;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.spillway.director.wire.Directive.DirectoryGrant;
import org.spillway.director.wire.Report.DirectoryReport;
import org.spillway.director.wire.SiteAccounts.Account;

/**
 * A director's copy of the head's directory, which the nodes of its site read. It serves from the start, first empty,
 * and goes on with its last content while the head is away.
 */
public final class DirectoryReplica implements AutoCloseable {
    private static final String FORWARD_HOST = "127.0.0.1";

    private final DirectoryStore store;
    private final DirectoryServer server;
    private final ContentSyncConsumer consumer;
    private DirectoryGrant followed = DirectoryGrant.NONE;

    /**
     * @param listen where nodes reach it; port 0 takes a free one
     * @param tls null to serve in the clear, on loopback only
     * @param baseDn the name under which the copy is served; the head's may be another
     * @throws IOException when the address cannot be listened on
     */
    public DirectoryReplica(
            InetSocketAddress listen, DirectoryServer.@Nullable Tls tls, String baseDn, DirectoryAccess access)
            throws IOException {
        this(listen, tls, baseDn, access, Backoff.DEFAULT);
    }

    DirectoryReplica(
            InetSocketAddress listen,
            DirectoryServer.@Nullable Tls tls,
            String baseDn,
            DirectoryAccess access,
            Backoff backoff)
            throws IOException {
        this.store = new DirectoryStore(baseDn, 0);
        this.server = DirectoryServer.start(store, listen, tls, access, null);
        this.consumer = new ContentSyncConsumer(store, ContentSyncConsumer.DEFAULT_FILTER, backoff);
    }

    /** Follows what the head grants. Idempotent: the same grant again changes nothing, another one reconnects. */
    public synchronized void follow(DirectoryGrant grant) {
        if (grant.equals(followed)) {
            return;
        }
        followed = grant;
        if (grant.port() == 0) {
            consumer.follow(null);
            return;
        }
        consumer.follow(new LdapEndpoint(
                FORWARD_HOST,
                grant.port(),
                LdapEndpoint.Security.PLAIN,
                Optional.empty(),
                grant.baseDn(),
                grant.bindDn(),
                grant::password));
    }

    /**
     * Entries that a search finds, as LDIF.
     *
     * @throws IllegalArgumentException if the filter is malformed
     */
    public String entries(String filter, List<String> attributes) {
        return DirectoryText.of(store, filter, attributes);
    }

    /** Number of accounts. */
    public int users() {
        return store.users();
    }

    /** A user with all groups; empty for a login that is not there, or that several accounts claim. */
    public Optional<Account> account(String login) {
        return PosixAccount.of(store, login);
    }

    /** For the head. */
    public DirectoryReport report() {
        return new DirectoryReport(store.size(), consumer.connected(), consumer.cookie());
    }

    /** Why the sync with the head is not up; empty while it is. */
    public String trouble() {
        return consumer.trouble();
    }

    public InetSocketAddress address() {
        return server.address();
    }

    public Optional<PosixUser> user(String name) {
        return store.user(name);
    }

    public List<PosixGroup> groupsOf(String name) {
        return store.groupsOf(name);
    }

    /** Waits for a user to appear, for admission gates and measurements. */
    public Optional<PosixUser> awaitUser(String name, Duration patience) throws InterruptedException {
        store.await(here -> here.user(name).isPresent(), patience);
        return store.user(name);
    }

    DirectoryStore store() {
        return store;
    }

    ContentSyncConsumer consumer() {
        return consumer;
    }

    @Override
    public void close() {
        consumer.close();
        server.close();
    }
}
