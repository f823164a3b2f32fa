package org.spillway.director.directory;

import com.unboundid.ldap.listener.LDAPListenerClientConnection;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.controls.ContentSyncDoneControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import java.net.Socket;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * The provider's side of RFC 4533 on a {@link DirectoryStore}. A consumer whose cookie is within the session log gets
 * what changed since; any other gets everything, as a present phase that tells it what to forget. A consumer that falls
 * behind by more than the log is cut off and starts again.
 */
public final class ContentSyncProvider {
    private final DirectoryStore store;
    private final Semaphore places;

    /** @param mostConsumers at once; one more is told that the server is busy */
    public ContentSyncProvider(DirectoryStore store, int mostConsumers) {
        this.store = store;
        this.places = new Semaphore(mostConsumers);
    }

    /** @return the final answer, or null when the search persists; it is then among {@code subscriptions} */
    @Nullable
    LDAPMessage answer(
            LDAPListenerClientConnection connection,
            Socket socket,
            int id,
            SearchRequestProtocolOp request,
            ContentSyncRequestControl control,
            Map<Integer, AutoCloseable> subscriptions)
            throws LDAPException {
        if (!store.complete()) {
            return DirectoryRequestHandler.searchDone(
                    id, ResultCode.UNAVAILABLE, "the directory has not been read from its source yet");
        }
        if (!new DN(request.getBaseDN()).isDescendantOf(store.base(), true)) {
            return DirectoryRequestHandler.searchDone(id, ResultCode.NO_SUCH_OBJECT, null);
        }
        if (!places.tryAcquire()) {
            return DirectoryRequestHandler.searchDone(id, ResultCode.BUSY, "too many consumers");
        }
        boolean persists = control.getMode() == ContentSyncRequestMode.REFRESH_AND_PERSIST;
        SyncSubscription subscription = new SyncSubscription(store, connection, socket, id, request, places::release);
        try {
            subscriptions.put(id, subscription);
            Optional<SyncCookie> cookie =
                    Optional.ofNullable(control.getCookie()).flatMap(SyncCookie::parse);
            boolean present = subscription.refresh(cookie, persists);
            if (persists) {
                subscription.persist();
                return null;
            }
            subscriptions.remove(id);
            subscription.close();
            return DirectoryRequestHandler.searchDone(
                    id, ResultCode.SUCCESS, null, new ContentSyncDoneControl(subscription.cookie(), !present));
        } catch (LDAPException | RuntimeException e) {
            subscriptions.remove(id);
            subscription.close();
            throw e;
        }
    }
}
