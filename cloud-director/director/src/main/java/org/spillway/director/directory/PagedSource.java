package org.spillway.director.directory;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    private static final Logger LOG = LoggerFactory.getLogger(PagedSource.class);
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(5);
    private static final int PAGE_ENTRIES = 500;
    private static final int MOST_RANGES = 2_000;
    private static final Pattern RANGE = Pattern.compile("range=[0-9]+-([0-9]+)");

    private final LdapEndpoint endpoint;
    private final DirectorySchema schema;
    private final Duration pause;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition closing = lock.newCondition();
    private @Nullable Thread thread;
    private @Nullable LDAPConnection open;
    private boolean closed;
    private volatile String trouble = "not read yet";
    private volatile Map<String, String> refused = Map.of();

    /**
     * @param pause between two readings
     * @param clock which accounts have expired
     */
    public PagedSource(LdapEndpoint endpoint, DirectorySchema schema, Duration pause, InstantSource clock) {
        if (schema == DirectorySchema.RFC2307) {
            throw new IllegalArgumentException("a directory of RFC 2307 is followed, not read by pages");
        }
        this.endpoint = endpoint;
        this.schema = schema;
        this.pause = pause;
        this.clock = clock;
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
                ? "the server's size limit is too small for a copy, and it offers no pages (RFC 2696)"
                : String.valueOf(e.getMessage());
    }

    private void read(DirectoryStore store) throws LDAPException, IOException, GeneralSecurityException {
        List<Entry> all;
        LDAPConnection connection = adopted(LdapDialer.dial(endpoint));
        try (connection) {
            all = all(connection);
        }
        DN base = DirectoryStore.dn(endpoint.baseDn());
        var mapped = DirectoryMapping.of(all, schema, base, store.base(), clock.instant());
        boolean anybody =
                mapped.entries().stream().anyMatch(entry -> PosixUser.of(entry).isPresent());
        if (!anybody && store.hasUsers()) {
            throw new IOException("the server names no users at all any more; the last content is kept");
        }
        refused = mapped.refused();
        store.replaceAll(mapped.entries());
        trouble = "";
        store.markComplete();
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

    private List<Entry> all(LDAPConnection connection) throws LDAPException {
        List<Entry> all = new ArrayList<>();
        ASN1OctetString cookie = null;
        do {
            var request = new SearchRequest(
                    endpoint.baseDn(),
                    SearchScope.SUB,
                    schema.filter(),
                    schema.attributes().toArray(String[]::new));
            request.addControl(new SimplePagedResultsControl(PAGE_ENTRIES, cookie, false));
            SearchResult page = connection.search(request);
            for (Entry entry : Objects.requireNonNull(page.getSearchEntries())) {
                all.add(whole(entry, connection));
            }
            if (all.size() > DirectoryStore.MOST_ENTRIES) {
                throw new LDAPException(
                        ResultCode.LOCAL_ERROR, "it has more than " + DirectoryStore.MOST_ENTRIES + " entries");
            }
            var answer = SimplePagedResultsControl.get(page);
            cookie = answer != null && answer.moreResultsToReturn() ? answer.getCookie() : null;
        } while (cookie != null);
        return all;
    }

    /** Active Directory gives 1500 members at a time: {@code member;range=0-1499}. */
    private static Entry whole(Entry entry, LDAPConnection connection) throws LDAPException {
        Optional<Attribute> part = ranged(entry);
        if (part.isEmpty()) {
            return entry;
        }
        Entry whole = entry.duplicate();
        Attribute piece = part.get();
        for (int n = 0; n < MOST_RANGES; n++) {
            whole.removeAttribute(piece.getName());
            whole.addAttribute(new Attribute("member", piece.getValues()));
            Matcher end = RANGE.matcher(String.join(";", piece.getOptions()));
            if (!end.find()) {
                return whole;
            }
            String next = "member;range=" + (Long.parseLong(end.group(1)) + 1) + "-*";
            Entry more = connection.getEntry(entry.getDN(), next);
            Optional<Attribute> following = more == null ? Optional.empty() : ranged(more);
            if (following.isEmpty()) {
                throw new LDAPException(
                        ResultCode.LOCAL_ERROR, "the members of " + entry.getDN() + " changed meanwhile");
            }
            piece = following.get();
        }
        throw new LDAPException(ResultCode.LOCAL_ERROR, entry.getDN() + " has too many members");
    }

    private static Optional<Attribute> ranged(Entry entry) {
        return entry.getAttributes().stream()
                .filter(attribute -> attribute.getBaseName().equalsIgnoreCase("member") && attribute.hasOptions())
                .findFirst();
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
        return trouble;
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
