package org.spillway.director.directory;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a store equal to what a provider of RFC 4533 offers (our own, or OpenLDAP with syncprov), by refresh and
 * persist. While the provider is away the store keeps its last content. The cookie lives as long as this object, like
 * the content that it stands for: a cookie that outlived the content would hide what is missing.
 */
public final class ContentSyncConsumer implements AutoCloseable {
    /** The entries that make a name service: users, groups, and what stands above them. */
    public static final String DEFAULT_FILTER = "(|(objectClass=posixAccount)(objectClass=posixGroup)"
            + "(objectClass=organizationalUnit)(objectClass=organization)(objectClass=domain))";

    private static final Logger LOG = LoggerFactory.getLogger(ContentSyncConsumer.class);
    private static final Set<ResultCode> AWAY = Set.of(
            ResultCode.SERVER_DOWN,
            ResultCode.CONNECT_ERROR,
            ResultCode.BUSY,
            ResultCode.UNAVAILABLE,
            ResultCode.TIMEOUT);
    private static final String NOBODY = "no provider is known yet";
    private static final Duration HEARTBEAT = Duration.ofSeconds(20);
    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);

    private final DirectoryStore store;
    private final Filter filter;
    private final Backoff backoff;
    private final Duration heartbeat;
    private final Duration answer;
    private final Doubt doubt = new Doubt();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition targetChanged = lock.newCondition();
    private final Thread thread;
    private @Nullable LdapEndpoint target;
    private @Nullable LDAPConnection connection;
    private @Nullable ASN1OctetString cookie;
    private long targetNumber;
    private long refreshes;
    private boolean connected;
    private boolean closed;
    private boolean failed;
    private String trouble = NOBODY;

    /** @throws IllegalArgumentException when the filter is none */
    public ContentSyncConsumer(DirectoryStore store, String filter, Backoff backoff) {
        this(store, filter, backoff, HEARTBEAT, LdapDialer.ANSWER);
    }

    /**
     * @param heartbeat after so long without a word the provider is asked for one
     * @param answer so long it may take to say it
     */
    ContentSyncConsumer(DirectoryStore store, String filter, Backoff backoff, Duration heartbeat, Duration answer) {
        this.store = store;
        this.backoff = backoff;
        this.heartbeat = heartbeat;
        this.answer = answer;
        try {
            this.filter = Filter.create(filter);
        } catch (LDAPException e) {
            throw new IllegalArgumentException(filter + " is not an LDAP filter: " + e.getMessage(), e);
        }
        this.thread = Thread.ofVirtual().name("directory-consumer").start(this::run);
    }

    /** Follows this provider from now on, or none (null); an open connection to another one is closed. */
    public void follow(@Nullable LdapEndpoint endpoint) {
        lock.lock();
        try {
            target = endpoint;
            trouble = endpoint == null ? NOBODY : DirectorySource.UNREAD;
            targetNumber++;
            connected = false;
            dropConnection();
            targetChanged.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Whether the store holds what the provider holds, and changes are being pushed. */
    public boolean connected() {
        return locked(() -> connected);
    }

    /** The newest cookie as printable text (OpenLDAP's are binary in part: then in hexadecimal); empty before one. */
    public String cookie() {
        return locked(() -> {
            ASN1OctetString newest = cookie;
            if (newest == null) {
                return "";
            }
            String text = newest.stringValue();
            return text.chars().allMatch(c -> c >= ' ' && c <= '~')
                    ? text
                    : HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
        });
    }

    /** Why it is not connected; empty while it is. */
    public String trouble() {
        return locked(() -> connected ? "" : trouble);
    }

    /** Whether an attempt to follow has ended. */
    boolean hasFailed() {
        return locked(() -> failed);
    }

    /** How many refreshes were completed; grows by one with each connection that worked. */
    public long refreshes() {
        return locked(() -> refreshes);
    }

    private void run() {
        int failures = 0;
        try {
            while (true) {
                Attempt attempt = nextTarget();
                if (attempt == null) {
                    return;
                }
                long before = refreshes();
                String reason = attempt(attempt);
                failures = refreshes() > before ? 1 : failures + 1;
                LOG.debug("directory provider {}: {}", attempt.endpoint(), reason);
                if (pause(attempt, reason, backoff.after(failures, ThreadLocalRandom.current()))) {
                    failures = 0;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            locked(() -> {
                dropConnection();
                return true;
            });
        }
    }

    private record Attempt(
            long number, LdapEndpoint endpoint, @Nullable ASN1OctetString cookie) {}

    private @Nullable Attempt nextTarget() throws InterruptedException {
        lock.lock();
        try {
            while (!closed && target == null) {
                targetChanged.await();
            }
            LdapEndpoint endpoint = target;
            return closed || endpoint == null ? null : new Attempt(targetNumber, endpoint, cookie);
        } finally {
            lock.unlock();
        }
    }

    /** @return whether the target changed meanwhile */
    private boolean pause(Attempt attempt, String reason, Duration length) throws InterruptedException {
        lock.lock();
        try {
            if (connected) {
                LOG.info("directory: {} was lost: {}", attempt.endpoint(), reason);
            } else if (!reason.equals(trouble)) {
                LOG.warn("directory: {} cannot be followed, the last content goes on: {}", attempt.endpoint(), reason);
            }
            connected = false;
            failed = true;
            trouble = reason;
            dropConnection();
            long nanos = length.toNanos();
            while (!closed && attempt.number == targetNumber && nanos > 0) {
                nanos = targetChanged.awaitNanos(nanos);
            }
            return attempt.number != targetNumber;
        } finally {
            lock.unlock();
        }
    }

    private String attempt(Attempt attempt) throws InterruptedException {
        try {
            LDAPConnection opened = LdapDialer.dial(attempt.endpoint());
            if (!adopt(attempt, opened)) {
                opened.close();
                return "another provider is to be followed";
            }
            SearchResult end = synchronise(attempt, opened);
            // A provider that refuses a cookie says so in several ways; without one the next attempt reads everything.
            if (!AWAY.contains(end.getResultCode())) {
                forgetCookie(attempt);
            }
            return explained(end.getResultCode()) + ": " + end.getDiagnosticMessage();
        } catch (LDAPException e) {
            if (e.getResultCode().equals(ResultCode.LOCAL_ERROR)) {
                forgetCookie(attempt);
            }
            return e.getResultCode() + ": " + e.getMessage();
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static String explained(ResultCode code) {
        if (code.equals(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION)) {
            return "the server does not offer RFC 4533 (OpenLDAP: load syncprov on this database)";
        }
        if (code.equals(ResultCode.SIZE_LIMIT_EXCEEDED)) {
            return "the server's size limit is too small for a copy (OpenLDAP: limits for the bind DN)";
        }
        if (code.equals(ResultCode.SUCCESS)) {
            return "the server ended a synchronisation that goes on";
        }
        return code.toString();
    }

    private SearchResult synchronise(Attempt attempt, LDAPConnection opened)
            throws LDAPException, InterruptedException {
        SyncFollower follower =
                new SyncFollower(store, DirectoryStore.dn(attempt.endpoint().baseDn()), doubt, new Reached(attempt));
        SearchRequest request = new SearchRequest(
                follower,
                attempt.endpoint().baseDn(),
                SearchScope.SUB,
                DereferencePolicy.NEVER,
                0,
                0,
                false,
                filter,
                EntryWhitelist.ATTRIBUTES.toArray(String[]::new));
        request.addControl(new ContentSyncRequestControl(
                true, ContentSyncRequestMode.REFRESH_AND_PERSIST, attempt.cookie(), false));
        request.setIntermediateResponseListener(follower);
        request.setResponseTimeoutMillis(0);
        try {
            AsyncRequestID running = opened.asyncSearch(request);
            LOG.debug("synchronisation {} with {}", running.getMessageID(), attempt.endpoint());
            return watched(follower, opened);
        } finally {
            follower.stop();
        }
    }

    private SearchResult watched(SyncFollower follower, LDAPConnection opened)
            throws LDAPException, InterruptedException {
        while (true) {
            long before = follower.heard();
            SearchResult end = follower.awaitEnd(heartbeat);
            if (end != null) {
                return end;
            }
            // A peer that vanished without a word is only found by asking it something. One that is in the midst of a
            // long refresh may answer behind it, and was heard.
            if (follower.heard() == before) {
                opened.getConnectionOptions().setResponseTimeoutMillis(answer.toMillis());
                opened.getRootDSE();
            }
        }
    }

    private final class Reached implements SyncFollower.Progress {
        private final Attempt attempt;

        Reached(Attempt attempt) {
            this.attempt = attempt;
        }

        @Override
        public void reached(ASN1OctetString newest) {
            lock.lock();
            try {
                if (attempt.number == targetNumber) {
                    cookie = newest;
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void refreshed() {
            lock.lock();
            try {
                if (attempt.number == targetNumber && !closed) {
                    connected = true;
                    refreshes++;
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private boolean adopt(Attempt attempt, LDAPConnection opened) {
        lock.lock();
        try {
            boolean wanted = !closed && attempt.number == targetNumber;
            if (wanted) {
                connection = opened;
            }
            return wanted;
        } finally {
            lock.unlock();
        }
    }

    private void forgetCookie(Attempt attempt) {
        lock.lock();
        try {
            if (attempt.number == targetNumber) {
                cookie = null;
            }
        } finally {
            lock.unlock();
        }
    }

    private void dropConnection() {
        LDAPConnection open = connection;
        connection = null;
        if (open != null) {
            // Closing waits for the reader thread's lock at times; nobody here needs to wait for it.
            Thread.startVirtualThread(open::close);
        }
    }

    private <T> T locked(Supplier<T> read) {
        lock.lock();
        try {
            return read.get();
        } finally {
            lock.unlock();
        }
    }

    /** Ends it; the store keeps its content. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            connected = false;
            dropConnection();
            targetChanged.signalAll();
        } finally {
            lock.unlock();
        }
        thread.interrupt();
        try {
            if (!thread.join(CLOSE_PATIENCE)) {
                LOG.warn("a directory consumer does not end within {} s", CLOSE_PATIENCE.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
