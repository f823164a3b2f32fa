package org.spillway.director.directory;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.listener.LDAPListenerClientConnection;
import com.unboundid.ldap.listener.LDAPListenerRequestHandler;
import com.unboundid.ldap.protocol.AbandonRequestProtocolOp;
import com.unboundid.ldap.protocol.AddRequestProtocolOp;
import com.unboundid.ldap.protocol.AddResponseProtocolOp;
import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.BindResponseProtocolOp;
import com.unboundid.ldap.protocol.CompareRequestProtocolOp;
import com.unboundid.ldap.protocol.CompareResponseProtocolOp;
import com.unboundid.ldap.protocol.DeleteRequestProtocolOp;
import com.unboundid.ldap.protocol.DeleteResponseProtocolOp;
import com.unboundid.ldap.protocol.ExtendedRequestProtocolOp;
import com.unboundid.ldap.protocol.ExtendedResponseProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.ModifyDNRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyDNResponseProtocolOp;
import com.unboundid.ldap.protocol.ModifyRequestProtocolOp;
import com.unboundid.ldap.protocol.ModifyResponseProtocolOp;
import com.unboundid.ldap.protocol.ProtocolOp;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.protocol.SearchResultDoneProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ReadOnlyEntry;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import java.net.Socket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A client's requests: bind, search, compare; every other one is refused, whoever asks. */
final class DirectoryRequestHandler extends LDAPListenerRequestHandler {
    private static final String READ_ONLY = "this directory is read-only: make the change in the directory at home";

    private final DirectoryStore store;
    private final DirectoryAccess access;
    private final @Nullable ContentSyncProvider provider;
    private final @Nullable LDAPListenerClientConnection connection;
    private final @Nullable Socket socket;
    private final Map<Integer, AutoCloseable> subscriptions = new ConcurrentHashMap<>();
    private boolean bound;

    DirectoryRequestHandler(DirectoryStore store, DirectoryAccess access, @Nullable ContentSyncProvider provider) {
        this(store, access, provider, null, null);
    }

    private DirectoryRequestHandler(
            DirectoryStore store,
            DirectoryAccess access,
            @Nullable ContentSyncProvider provider,
            @Nullable LDAPListenerClientConnection connection,
            @Nullable Socket socket) {
        this.store = store;
        this.access = access;
        this.provider = provider;
        this.connection = connection;
        this.socket = socket;
    }

    @Override
    public LDAPListenerRequestHandler newInstance(LDAPListenerClientConnection client) {
        return new DirectoryRequestHandler(store, access, provider, client, client.getSocket());
    }

    @Override
    public void closeInstance() {
        subscriptions.keySet().forEach(this::cancel);
    }

    @Override
    public void processAbandonRequest(int id, AbandonRequestProtocolOp request, List<Control> controls) {
        cancel(request.getIDToAbandon());
    }

    private void cancel(int id) {
        AutoCloseable subscription = subscriptions.remove(id);
        if (subscription != null) {
            try {
                subscription.close();
            } catch (Exception e) {
                throw new IllegalStateException("a subscription does not end", e);
            }
        }
    }

    @Override
    public LDAPMessage processBindRequest(int id, BindRequestProtocolOp request, List<Control> controls) {
        bound = false;
        if (request.getCredentialsType() != BindRequestProtocolOp.CRED_TYPE_SIMPLE) {
            return bindAnswer(id, ResultCode.AUTH_METHOD_NOT_SUPPORTED, "only simple binds");
        }
        ASN1OctetString password = request.getSimplePassword();
        boolean empty = password == null || password.getValueLength() == 0;
        if (request.getBindDN().isEmpty() && empty) {
            return bindAnswer(id, ResultCode.SUCCESS, null);
        }
        // RFC 4513, 5.1.2: a name without a password would pass for a bind and proves nothing.
        if (password == null || empty) {
            return bindAnswer(id, ResultCode.UNWILLING_TO_PERFORM, "a bind with a name needs a password");
        }
        bound = access.binds().allows(request.getBindDN(), password.getValue());
        return bindAnswer(id, bound ? ResultCode.SUCCESS : ResultCode.INVALID_CREDENTIALS, null);
    }

    private static LDAPMessage bindAnswer(int id, ResultCode code, @Nullable String text) {
        return new LDAPMessage(id, new BindResponseProtocolOp(code.intValue(), null, text, null, null));
    }

    /** Null, which the listener takes for "no final answer yet", when a synchronisation persists. */
    @Override
    @SuppressWarnings("NullAway")
    public @Nullable LDAPMessage processSearchRequest(int id, SearchRequestProtocolOp request, List<Control> controls) {
        try {
            for (Control control : controls) {
                if (control.getOID().equals(ContentSyncRequestControl.SYNC_REQUEST_OID) && provider != null) {
                    return startSync(id, request, new ContentSyncRequestControl(control));
                }
                if (control.isCritical()) {
                    return searchDone(
                            id, ResultCode.UNAVAILABLE_CRITICAL_EXTENSION, "unknown control " + control.getOID());
                }
            }
            return search(id, request);
        } catch (LDAPException e) {
            return searchDone(id, e.getResultCode(), e.getMessage());
        }
    }

    private @Nullable LDAPMessage startSync(int id, SearchRequestProtocolOp request, ContentSyncRequestControl control)
            throws LDAPException {
        if (!bound || provider == null || connection == null || socket == null) {
            return searchDone(id, ResultCode.INSUFFICIENT_ACCESS_RIGHTS, "content synchronisation needs a bind");
        }
        if (subscriptions.containsKey(id)) {
            return searchDone(id, ResultCode.PROTOCOL_ERROR, "this message id is in use");
        }
        return provider.answer(connection, socket, id, request, control, subscriptions);
    }

    private LDAPMessage search(int id, SearchRequestProtocolOp request) throws LDAPException {
        DN from = new DN(request.getBaseDN());
        EntryProjection projection = new EntryProjection(request.getAttributes(), request.typesOnly());
        Filter filter = request.getFilter();
        if (from.isNullDN() && request.getScope().equals(SearchScope.BASE)) {
            Entry root = rootDse();
            if (filter.matchesEntry(root)) {
                connected().sendSearchResultEntry(id, projection.of(root));
            }
            return searchDone(id, ResultCode.SUCCESS, null);
        }
        if (!bound && !access.anonymousRead()) {
            return searchDone(id, ResultCode.INSUFFICIENT_ACCESS_RIGHTS, "bind first");
        }
        List<ReadOnlyEntry> found = store.search(from, request.getScope(), filter);
        if (found == null) {
            return searchDone(id, ResultCode.NO_SUCH_OBJECT, null);
        }
        int sent = 0;
        for (ReadOnlyEntry entry : found) {
            if (request.getSizeLimit() > 0 && sent == request.getSizeLimit()) {
                return searchDone(id, ResultCode.SIZE_LIMIT_EXCEEDED, null);
            }
            connected().sendSearchResultEntry(id, projection.of(entry));
            sent++;
        }
        return searchDone(id, ResultCode.SUCCESS, null);
    }

    private LDAPListenerClientConnection connected() throws LDAPException {
        if (connection == null) {
            throw new LDAPException(ResultCode.OTHER, "no client");
        }
        return connection;
    }

    private Entry rootDse() {
        Entry root = new Entry(
                DN.NULL_DN,
                new Attribute("objectClass", "top"),
                new Attribute("namingContexts", store.base().toString()),
                new Attribute("supportedLDAPVersion", "3"),
                new Attribute("vendorName", "Spillway"));
        if (provider != null) {
            root.addAttribute("supportedControl", ContentSyncRequestControl.SYNC_REQUEST_OID);
        }
        return root;
    }

    @Override
    public LDAPMessage processCompareRequest(int id, CompareRequestProtocolOp request, List<Control> controls) {
        ResultCode code;
        try {
            Filter filter = Filter.createEqualityFilter(
                    request.getAttributeName(), request.getAssertionValue().getValue());
            List<ReadOnlyEntry> found = !bound && !access.anonymousRead()
                    ? null
                    : store.search(new DN(request.getDN()), SearchScope.BASE, Filter.createANDFilter());
            if (found == null || found.isEmpty()) {
                code = bound || access.anonymousRead()
                        ? ResultCode.NO_SUCH_OBJECT
                        : ResultCode.INSUFFICIENT_ACCESS_RIGHTS;
            } else {
                code = filter.matchesEntry(found.getFirst()) ? ResultCode.COMPARE_TRUE : ResultCode.COMPARE_FALSE;
            }
        } catch (LDAPException e) {
            code = e.getResultCode();
        }
        return new LDAPMessage(id, new CompareResponseProtocolOp(code.intValue(), null, null, null));
    }

    @Override
    public LDAPMessage processAddRequest(int id, AddRequestProtocolOp request, List<Control> controls) {
        return refused(id, new AddResponseProtocolOp(refusal(), null, READ_ONLY, null));
    }

    @Override
    public LDAPMessage processDeleteRequest(int id, DeleteRequestProtocolOp request, List<Control> controls) {
        return refused(id, new DeleteResponseProtocolOp(refusal(), null, READ_ONLY, null));
    }

    @Override
    public LDAPMessage processModifyRequest(int id, ModifyRequestProtocolOp request, List<Control> controls) {
        return refused(id, new ModifyResponseProtocolOp(refusal(), null, READ_ONLY, null));
    }

    @Override
    public LDAPMessage processModifyDNRequest(int id, ModifyDNRequestProtocolOp request, List<Control> controls) {
        return refused(id, new ModifyDNResponseProtocolOp(refusal(), null, READ_ONLY, null));
    }

    /** Password changes and StartTLS among them: TLS, where it is served, is there from the first byte. */
    @Override
    public LDAPMessage processExtendedRequest(int id, ExtendedRequestProtocolOp request, List<Control> controls) {
        return refused(id, new ExtendedResponseProtocolOp(refusal(), null, READ_ONLY, null, null, null));
    }

    private static int refusal() {
        return ResultCode.UNWILLING_TO_PERFORM_INT_VALUE;
    }

    private static LDAPMessage refused(int id, ProtocolOp answer) {
        return new LDAPMessage(id, answer);
    }

    static LDAPMessage searchDone(int id, ResultCode code, @Nullable String text, Control... controls) {
        return new LDAPMessage(id, new SearchResultDoneProtocolOp(code.intValue(), null, text, null), controls);
    }
}
