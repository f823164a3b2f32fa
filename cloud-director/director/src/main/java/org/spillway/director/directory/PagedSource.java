package org.spillway.director.directory;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server of another schema, read whole by pages (RFC 2696) again and again: Active Directory tells nobody but its
 * administrators what was deleted, and a member may be one through a group that changed elsewhere. What cannot be read
 * whole changes nothing.
 */
public final class PagedSource implements DirectorySource {
    public static final Duration USUAL_PAUSE = Duration.ofSeconds(30);

    /** The age of the last whole reading from which on it is told, though nothing has failed. */
    static final Duration OLD = Duration.ofMinutes(5);

    private static final Logger LOG = LoggerFactory.getLogger(PagedSource.class);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);
    private static final int MOST_LOOKED_UP = 1_000;

    private final LdapEndpoint endpoint;
    private final DirectorySchema schema;
    private final Duration pause;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Doubt doubt = new Doubt();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition closing = lock.newCondition();
    private @Nullable Thread thread;
    private @Nullable LDAPConnection open;
    private boolean closed;
    private volatile String trouble = UNREAD;
    private volatile boolean failed;
    private volatile @Nullable Whole whole;
    private volatile Map<String, String> refused = Map.of();

    /** When all was read last. */
    private record Whole(Instant at, long nanos) {}

    /**
     * @param pause between two readings
     * @param clock which accounts have expired
     */
    public PagedSource(LdapEndpoint endpoint, DirectorySchema schema, Duration pause, InstantSource clock) {
        this(endpoint, schema, pause, clock, System::nanoTime);
    }

    /** @param nanos how much time has passed, whatever is done to the clock */
    PagedSource(
            LdapEndpoint endpoint, DirectorySchema schema, Duration pause, InstantSource clock, LongSupplier nanos) {
        if (schema == DirectorySchema.RFC2307) {
            throw new IllegalArgumentException("a directory of RFC 2307 is followed, not read by pages");
        }
        this.endpoint = endpoint;
        this.schema = schema;
        this.pause = pause;
        this.clock = clock;
        this.nanos = nanos;
    }

    @Override
    public void start(DirectoryStore store) {
        lock.lock();
        try {
            if (thread != null || closed) {
                throw new IllegalStateException("this source was started already");
            }
            thread = Thread.ofVirtual().name("directory-pages").start(() -> run(store));
        } finally {
            lock.unlock();
        }
    }

    private void run(DirectoryStore store) {
        try {
            Duration rest;
            boolean failing = false;
            do {
                try {
                    read(store);
                    failing = false;
                    rest = pause;
                } catch (LDAPException | IOException | GeneralSecurityException | RuntimeException e) {
                    if (!failing) {
                        LOG.warn("directory: {} cannot be read: {}", endpoint, explained(e));
                    }
                    failing = true;
                    trouble = explained(e);
                    failed = true;
                    rest = pause.compareTo(AFTER_FAILURE) < 0 ? pause : AFTER_FAILURE;
                }
            } while (!isClosedAfter(rest));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static String explained(Exception e) {
        boolean limited =
                e instanceof LDAPException ldap && ldap.getResultCode().equals(ResultCode.SIZE_LIMIT_EXCEEDED);
        return limited
                ? "the server's size limit is too small for a copy: it offers no pages (RFC 2696), or limits their sum"
                : String.valueOf(e.getMessage());
    }

    private void read(DirectoryStore store) throws LDAPException, IOException, GeneralSecurityException {
        var begun = new Whole(clock.instant(), nanos.getAsLong());
        PagedAnswer answer;
        LDAPConnection connection = adopted(LdapDialer.dial(endpoint));
        try (connection) {
            answer = PagedAnswer.of(connection, endpoint.baseDn(), schema);
        }
        DN base = DirectoryStore.dn(endpoint.baseDn());
        var mapped = DirectoryMapping.of(answer.entries(), schema, base, store.base(), begun.at());
        Names named = Names.of(mapped.entries().stream());
        if (named.users().isEmpty() && store.hasUsers()) {
            throw new IOException("the server names no users at all any more; the last content is kept");
        }
        // Who may not work was named.
        named.users().addAll(mapped.refused().keySet());
        Names known = store.names();
        String elsewhere = answer.references().isEmpty() ? "" : answer.elsewhere(lost(known, named, store, base), base);
        Optional<String> why =
                doubt.about(known.ofUsers(named.users()), known.ofGroups(named.groups()), elsewhere, nanos.getAsLong());
        if (why.isPresent()) {
            throw new IOException("the server " + why.get());
        }
        refused = mapped.refused();
        store.replaceAll(mapped.entries());
        whole = begun;
        trouble = "";
        store.markComplete();
    }

    /** Where those who are missing were in the server's own tree. */
    private static List<DN> lost(Names known, Names named, DirectoryStore store, DN base) {
        return known.users().stream()
                .filter(login -> !named.users().contains(login))
                .limit(MOST_LOOKED_UP)
                .flatMap(login -> store.sameAccounts(login, -1).stream())
                .map(dn -> DirectoryMapping.moved(DirectoryStore.dn(dn), store.base(), base))
                .toList();
    }

    private LDAPConnection adopted(LDAPConnection connection) {
        lock.lock();
        try {
            open = connection;
            if (closed) {
                connection.close();
            }
            return connection;
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosedAfter(Duration rest) throws InterruptedException {
        lock.lock();
        try {
            long nanos = rest.toNanos();
            while (!closed && nanos > 0) {
                nanos = closing.awaitNanos(nanos);
            }
            return closed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String trouble() {
        Whole last = whole;
        return trouble.isEmpty() && last != null && nanos.getAsLong() - last.nanos() > OLD.toNanos()
                ? "it answers slowly, and has not been read whole since "
                        + last.at().truncatedTo(ChronoUnit.SECONDS)
                : trouble;
    }

    @Override
    public boolean hasFailed() {
        return failed;
    }

    @Override
    public Optional<String> refusal(String login) {
        return Optional.ofNullable(refused.get(login));
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            closing.signalAll();
            LDAPConnection connection = open;
            if (connection != null) {
                // Closing may wait for the reader's lock; nobody here needs to wait for it.
                Thread.startVirtualThread(connection::close);
            }
        } finally {
            lock.unlock();
        }
    }
}
