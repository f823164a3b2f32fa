package org.spillway.director.directory;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchEntry;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchResult;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that offers pages, in whatever mood a test puts it, behind a link that can be cut. */
final class PagedLdap extends InMemoryOperationInterceptor implements AutoCloseable {
    private static final String BASE = "dc=example,dc=org";

    private final InMemoryDirectoryServer server;
    private final CuttableProxy link;
    private final AtomicInteger page = new AtomicInteger();
    private volatile Mood mood = Mood.GOOD;

    /** The answers to pages, counted from 1 in each reading. */
    interface Mood {
        Mood GOOD = new Mood() {};

        /** Before a page is looked up. */
        default void asked(int page) throws LDAPException {}

        /** @return whether an entry of this page is sent */
        default boolean sends(int page, Entry entry) {
            return true;
        }

        /** The end of a page. */
        default LDAPResult end(int page, LDAPResult good) {
            return good;
        }
    }

    PagedLdap(int users) throws Exception {
        var config = new InMemoryDirectoryServerConfig(BASE);
        config.setSchema(null);
        config.setListenerConfigs(
                InMemoryListenerConfig.createLDAPConfig("plain", InetAddress.getLoopbackAddress(), 0, null));
        config.addInMemoryOperationInterceptor(this);
        server = new InMemoryDirectoryServer(config);
        List<Entry> entries = new ArrayList<>();
        entries.add(new Entry("dn: " + BASE, "objectClass: domain", "dc: example"));
        entries.add(new Entry("dn: ou=p," + BASE, "objectClass: organizationalUnit", "ou: p"));
        entries.add(new Entry("dn: ou=q," + BASE, "objectClass: organizationalUnit", "ou: q"));
        for (int n = 0; n < users; n++) {
            entries.add(user(n, "p"));
        }
        for (Entry entry : entries) {
            server.add(entry);
        }
        server.startListening();
        link = new CuttableProxy(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getListenPort()));
    }

    private static Entry user(int n, String unit) {
        Entry entry = People.user("u" + n, 5_000 + n);
        entry.setDN("uid=u" + n + ",ou=" + unit + "," + BASE);
        return entry;
    }

    void mood(Mood next) {
        mood = next;
    }

    void move(int n, String unit) throws LDAPException {
        server.modifyDN("uid=u" + n + ",ou=p," + BASE, "uid=u" + n, true, "ou=" + unit + "," + BASE);
    }

    void remove(int n) throws LDAPException {
        server.delete("uid=u" + n + ",ou=p," + BASE);
    }

    /** Groups of which user 1 is a member. */
    void addGroups(int count) throws Exception {
        for (int n = 0; n < count; n++) {
            server.add(
                    "dn: cn=g" + n + "," + BASE,
                    "objectClass: posixGroup",
                    "cn: g" + n,
                    "gidNumber: " + (9_000 + n),
                    "memberUid: u1");
        }
    }

    /** A unit in which only this user is becomes one of another server. */
    void refer(String unit, int n) throws Exception {
        server.delete("uid=u" + n + ",ou=" + unit + "," + BASE);
        server.delete("ou=" + unit + "," + BASE);
        String dn = "ou=" + unit + "," + BASE;
        server.add(
                "dn: " + dn,
                "objectClass: referral",
                "objectClass: extensibleObject",
                "ou: " + unit,
                "ref: ldap://elsewhere/" + dn);
    }

    /** The link is cut and mended. */
    void cutOnce() {
        link.cut();
        link.mend();
    }

    LdapEndpoint endpoint() {
        return new LdapEndpoint(
                "127.0.0.1", link.port(), LdapEndpoint.Security.PLAIN, Optional.empty(), BASE, "", () -> "");
    }

    @Override
    public void processSearchRequest(InMemoryInterceptedSearchRequest asked) throws LDAPException {
        if (!asked.getRequest().hasControl(SimplePagedResultsControl.PAGED_RESULTS_OID)) {
            return;
        }
        var control = new SimplePagedResultsControl(
                SimplePagedResultsControl.PAGED_RESULTS_OID,
                true,
                asked.getRequest()
                        .getControl(SimplePagedResultsControl.PAGED_RESULTS_OID)
                        .getValue());
        int number = control.getCookie() == null || control.getCookie().getValueLength() == 0 ? 1 : page.get() + 1;
        page.set(number);
        mood.asked(number);
    }

    @Override
    public void processSearchEntry(InMemoryInterceptedSearchEntry found) {
        if (!mood.sends(page.get(), found.getSearchEntry())) {
            found.setSearchEntry(null);
        }
    }

    @Override
    public void processSearchResult(InMemoryInterceptedSearchResult ended) {
        ended.setResult(mood.end(page.get(), ended.getResult()));
    }

    @Override
    public void close() throws Exception {
        link.close();
        server.shutDown(true);
    }
}
