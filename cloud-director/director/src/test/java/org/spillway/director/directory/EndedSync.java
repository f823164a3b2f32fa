package org.spillway.director.directory;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchEntry;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchResult;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.controls.ContentSyncState;
import com.unboundid.ldap.sdk.controls.ContentSyncStateControl;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A provider of content synchronisation that sends some entries and ends with a result of the test's choice. */
final class EndedSync extends InMemoryOperationInterceptor implements AutoCloseable {
    private final InMemoryDirectoryServer server;
    private final ResultCode code;

    EndedSync(int users, ResultCode code) throws Exception {
        this.code = code;
        var config = new InMemoryDirectoryServerConfig(People.BASE);
        config.setSchema(null);
        config.setListenerConfigs(
                InMemoryListenerConfig.createLDAPConfig("plain", InetAddress.getLoopbackAddress(), 0, null));
        config.addInMemoryOperationInterceptor(this);
        server = new InMemoryDirectoryServer(config);
        server.add("dn: " + People.BASE, "objectClass: domain", "dc: lab");
        server.add("dn: ou=people," + People.BASE, "objectClass: organizationalUnit", "ou: people");
        for (int n = 0; n < users; n++) {
            server.add(People.user("u" + n, 30_000 + n));
        }
        server.startListening();
    }

    LdapEndpoint endpoint() {
        return new LdapEndpoint(
                "127.0.0.1",
                server.getListenPort(),
                LdapEndpoint.Security.PLAIN,
                Optional.empty(),
                People.BASE,
                "",
                () -> "");
    }

    /** The in-memory server knows nothing of the control. */
    @Override
    public void processSearchRequest(InMemoryInterceptedSearchRequest asked) {
        SearchRequest bare = asked.getRequest().duplicate();
        bare.clearControls();
        asked.setRequest(bare);
    }

    @Override
    public void processSearchEntry(InMemoryInterceptedSearchEntry found) {
        UUID id = UUID.nameUUIDFromBytes(found.getSearchEntry().getDN().getBytes(StandardCharsets.UTF_8));
        found.setSearchEntry(new SearchResultEntry(
                found.getSearchEntry(), new ContentSyncStateControl(ContentSyncState.ADD, id, null)));
    }

    @Override
    public void processSearchResult(InMemoryInterceptedSearchResult ended) {
        ended.setResult(
                new LDAPResult(ended.getMessageID(), code, "half", null, List.of("ldap://elsewhere/"), List.of()));
    }

    @Override
    public void close() {
        server.shutDown(true);
    }
}
