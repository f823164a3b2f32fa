package org.spillway.director.directory;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.IntermediateResponse;
import com.unboundid.ldap.sdk.IntermediateResponseListener;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.controls.ContentSyncInfoIntermediateResponse;
import com.unboundid.ldap.sdk.controls.ContentSyncStateControl;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Applies one synchronisation to a store. The reader thread of the connection calls it, in the order of the messages.
 */
@SuppressWarnings("serial") // The SDK's listeners are serializable; nobody serializes this one.
final class SyncFollower implements AsyncSearchResultListener, IntermediateResponseListener {
    private final transient DirectoryStore store;
    private final transient DN theirBase;
    private final transient Progress progress;
    private final transient CompletableFuture<SearchResult> ended = new CompletableFuture<>();
    private final transient Set<UUID> present = new HashSet<>();
    private final transient Doubt doubt;
    private boolean refreshing = true;
    private volatile long heard;

    /** Told what has been reached. */
    interface Progress {
        /** Everything up to this cookie is in the store. */
        void reached(ASN1OctetString cookie);

        /** The store holds what the provider holds; from here on changes are pushed. */
        void refreshed();
    }

    /** @param doubt the same for all connections */
    SyncFollower(DirectoryStore store, DN theirBase, Doubt doubt, Progress progress) {
        this.store = store;
        this.doubt = doubt;
        this.theirBase = theirBase;
        this.progress = progress;
    }

    /** @return null while it goes on */
    @Nullable
    SearchResult awaitEnd(Duration patience) throws InterruptedException, LDAPException {
        try {
            return ended.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            return null;
        } catch (ExecutionException e) {
            throw new LDAPException(ResultCode.LOCAL_ERROR, String.valueOf(e.getCause()), e);
        }
    }

    /** Changes that still come are no longer applied. */
    void stop() {
        ended.cancel(false);
    }

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {
        applied(() -> {
            ContentSyncStateControl control = ContentSyncStateControl.get(entry);
            if (control == null) {
                throw new LDAPException(
                        ResultCode.NOT_SUPPORTED, "the server sends no sync state: it does not offer RFC 4533");
            }
            UUID id = control.getEntryUUID();
            switch (control.getState()) {
                case ADD, MODIFY -> {
                    put(id, entry);
                    present.add(id);
                }
                case PRESENT -> present.add(id);
                case DELETE -> store.remove(id);
            }
            reached(control.getCookie());
        });
    }

    private void put(UUID id, SearchResultEntry entry) throws LDAPException {
        DN theirs = entry.getParsedDN();
        // Each store has its own base entry; theirs may have another name.
        if (!theirs.equals(theirBase) && theirs.isDescendantOf(theirBase, false)) {
            store.put(id, DirectoryMapping.moved(theirs, theirBase, store.base()), entry.getAttributes());
        }
    }

    @Override
    public void intermediateResponseReturned(IntermediateResponse response) {
        applied(() -> {
            if (!ContentSyncInfoIntermediateResponse.SYNC_INFO_OID.equals(response.getOID())) {
                return;
            }
            ContentSyncInfoIntermediateResponse info = ContentSyncInfoIntermediateResponse.decode(response);
            switch (info.getType()) {
                case NEW_COOKIE -> {}
                case SYNC_ID_SET -> {
                    List<UUID> ids = info.getEntryUUIDs();
                    if (ids != null && info.refreshDeletes()) {
                        ids.forEach(store::remove);
                    } else if (ids != null) {
                        present.addAll(ids);
                    }
                }
                case REFRESH_PRESENT -> {
                    forgetAbsent();
                    finishRefresh(info.refreshDone());
                }
                case REFRESH_DELETE -> finishRefresh(info.refreshDone());
            }
            reached(info.getCookie());
        });
    }

    /** A provider whose access rules went wrong looks like one without users, and would empty every region. */
    private void forgetAbsent() throws LDAPException {
        if (!refreshing) {
            return;
        }
        Doubt.Lack users = lack("posixAccount");
        if (users.known() > 0 && users.missing() == users.known()) {
            throw new LDAPException(
                    ResultCode.LOCAL_ERROR, "the provider names no users at all any more; the last content is kept");
        }
        Optional<String> why = doubt.about(users, lack("posixGroup"), "", System.nanoTime());
        if (why.isPresent()) {
            throw new LDAPException(ResultCode.LOCAL_ERROR, "the provider " + why.get());
        }
        store.retain(present);
    }

    private Doubt.Lack lack(String objectClass) {
        int known = store.among(id -> true, objectClass);
        return new Doubt.Lack(known - store.among(present::contains, objectClass), known);
    }

    private void finishRefresh(boolean done) {
        present.clear();
        if (done && refreshing) {
            refreshing = false;
            store.markComplete();
            progress.refreshed();
        }
    }

    /** A cookie that comes before the end of the refresh would make a broken one pass for a whole one. */
    private void reached(@Nullable ASN1OctetString cookie) {
        if (cookie != null && !refreshing) {
            progress.reached(cookie);
        }
        if (!refreshing) {
            present.clear();
        }
    }

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {}

    @Override
    public void searchResultReceived(AsyncRequestID request, SearchResult result) {
        ended.complete(result);
    }

    /** How many messages have come; one more says that the other side lives. */
    long heard() {
        return heard;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // The reader thread alone writes it.
    private void applied(Step step) {
        heard++;
        if (ended.isDone()) {
            return;
        }
        try {
            step.run();
        } catch (LDAPException | RuntimeException e) {
            ended.completeExceptionally(e);
        }
    }

    private interface Step {
        void run() throws LDAPException;
    }
}
