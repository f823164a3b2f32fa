package org.spillway.director.directory;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.listener.LDAPListenerClientConnection;
import com.unboundid.ldap.protocol.IntermediateResponseProtocolOp;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ReadOnlyEntry;
import com.unboundid.ldap.sdk.controls.ContentSyncInfoIntermediateResponse;
import com.unboundid.ldap.sdk.controls.ContentSyncState;
import com.unboundid.ldap.sdk.controls.ContentSyncStateControl;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A consumer of a store: its refresh, and what is pushed to it after that. */
final class SyncSubscription implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SyncSubscription.class);
    private static final int BATCH_CHANGES = 500;
    private static final int IDS_PER_MESSAGE = 1_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final DirectoryStore store;
    private final LDAPListenerClientConnection connection;
    private final Socket socket;
    private final int id;
    private final SearchRequestProtocolOp request;
    private final DN from;
    private final EntryProjection projection;
    private final Runnable onClose;
    private final AtomicBoolean closed = new AtomicBoolean();
    private volatile SessionLog.@Nullable Reader reader;
    private long position;

    SyncSubscription(
            DirectoryStore store,
            LDAPListenerClientConnection connection,
            Socket socket,
            int id,
            SearchRequestProtocolOp request,
            Runnable onClose)
            throws LDAPException {
        this.store = store;
        this.connection = connection;
        this.socket = socket;
        this.id = id;
        this.request = request;
        this.from = new DN(request.getBaseDN());
        this.projection = new EntryProjection(request.getAttributes(), request.typesOnly());
        this.onClose = onClose;
    }

    ASN1OctetString cookie() {
        return new SyncCookie(store.epoch(), position).encoded();
    }

    /** @return true when everything was sent (present phase), false when only what changed since the cookie */
    boolean refresh(Optional<SyncCookie> cookie, boolean persists) throws LDAPException {
        Optional<List<SessionLog.Change>> missed = cookie.filter(
                        known -> known.epoch().equals(store.epoch()))
                .flatMap(known -> store.log().after(known.number()));
        if (missed.isPresent()) {
            position = cookie.get().number();
            if (!missed.get().isEmpty()) {
                position = missed.get().getLast().number();
            }
            follow();
            sendMissed(missed.get());
        } else {
            DirectoryStore.Snapshot all = store.snapshot();
            position = all.number();
            follow();
            for (Map.Entry<UUID, PackedEntry> each : all.entries().entrySet()) {
                ReadOnlyEntry entry = each.getValue().entry();
                if (matches(entry)) {
                    send(ContentSyncState.ADD, each.getKey(), projection.of(entry), null);
                }
            }
        }
        if (persists) {
            send(
                    missed.isPresent()
                            ? ContentSyncInfoIntermediateResponse.createRefreshDeleteResponse(cookie(), true)
                            : ContentSyncInfoIntermediateResponse.createRefreshPresentResponse(cookie(), true));
        }
        return missed.isEmpty();
    }

    private void follow() {
        SessionLog.Reader changes = store.log().reader(position, this::cutOff);
        reader = changes;
        if (closed.get()) {
            changes.stop();
        }
    }

    private void sendMissed(List<SessionLog.Change> missed) throws LDAPException {
        Map<UUID, SessionLog.Change> newest = new LinkedHashMap<>();
        missed.forEach(change -> newest.put(change.id(), change));
        List<UUID> gone = new ArrayList<>();
        Map<UUID, ReadOnlyEntry> there = new LinkedHashMap<>();
        for (SessionLog.Change change : newest.values()) {
            ReadOnlyEntry entry = change.entry();
            if (entry != null && matches(entry)) {
                there.put(change.id(), entry);
            } else {
                gone.add(change.id());
            }
        }
        // First what is gone: whose entry has another name now is never there twice.
        for (int start = 0; start < gone.size(); start += IDS_PER_MESSAGE) {
            List<UUID> part = gone.subList(start, Math.min(gone.size(), start + IDS_PER_MESSAGE));
            send(ContentSyncInfoIntermediateResponse.createSyncIDSetResponse(null, part, true));
        }
        for (Map.Entry<UUID, ReadOnlyEntry> each : there.entrySet()) {
            send(ContentSyncState.ADD, each.getKey(), projection.of(each.getValue()), null);
        }
    }

    void persist() {
        Thread.ofVirtual()
                .name("directory-sync-" + connection.getConnectionID())
                .start(this::push);
    }

    private void push() {
        SessionLog.Reader changes = reader;
        try {
            while (!closed.get() && changes != null) {
                Optional<List<SessionLog.Change>> batch = changes.next(BATCH_CHANGES, PATIENCE);
                if (batch.isEmpty()) {
                    break;
                }
                for (SessionLog.Change change : batch.get()) {
                    position = change.number();
                    push(change);
                    changes.advance(position);
                }
            }
        } catch (LDAPException e) {
            LOG.debug("directory consumer {} is gone: {}", connection.getConnectionID(), e.getMessage());
            cutOff();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close();
        }
    }

    private void push(SessionLog.Change change) throws LDAPException {
        ReadOnlyEntry entry = change.entry();
        if (entry != null && matches(entry)) {
            send(ContentSyncState.MODIFY, change.id(), projection.of(entry), cookie());
        } else {
            // The entry may never have matched; a consumer does not mind to be told that what it has not is gone.
            SearchResultEntryProtocolOp name = new SearchResultEntryProtocolOp(change.before(), List.of());
            send(ContentSyncState.DELETE, change.id(), name, cookie());
        }
    }

    private boolean matches(ReadOnlyEntry entry) throws LDAPException {
        return entry.matchesBaseAndScope(from, request.getScope())
                && request.getFilter().matchesEntry(entry);
    }

    private void send(
            ContentSyncState state, UUID entry, SearchResultEntryProtocolOp content, @Nullable ASN1OctetString cookie)
            throws LDAPException {
        connection.sendSearchResultEntry(id, content, new ContentSyncStateControl(state, entry, cookie));
    }

    private void send(ContentSyncInfoIntermediateResponse info) throws LDAPException {
        connection.sendIntermediateResponse(id, new IntermediateResponseProtocolOp(info.getOID(), info.getValue()));
    }

    /** The socket and not the connection: the latter's lock is held by whoever is stuck in a write. */
    private void cutOff() {
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("directory consumer {} was closed already", connection.getConnectionID(), e);
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            SessionLog.Reader changes = reader;
            if (changes != null) {
                changes.stop();
            }
            onClose.run();
        }
    }
}
