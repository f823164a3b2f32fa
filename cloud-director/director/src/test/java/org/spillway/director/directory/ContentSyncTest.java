package org.spillway.director.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.spillway.director.directory.People.PATIENCE;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncDoneControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Directive.DirectoryGrant;

/** Provider and consumer over real sockets, with a link between them that can be cut. */
class ContentSyncTest {
    private static final Backoff QUICK = new Backoff(Duration.ofMillis(5), Duration.ofMillis(50));
    private static final String SITE_DN = "cn=west,ou=directors,dc=lab";

    private HomeDirectory home = home();
    private final CuttableProxy link = proxy(home.port());
    private final DirectoryReplica replica = replica();

    @BeforeEach
    void start() {
        People.put(home.store(), "alice", 20_001);
        home.store().markComplete();
    }

    @AfterEach
    void stop() throws IOException {
        replica.close();
        link.close();
        home.close();
    }

    @Test
    void addsModificationsAndDeletesArrive() throws Exception {
        follow();
        assertThat(replica.awaitUser("alice", PATIENCE))
                .map(PosixUser::uidNumber)
                .contains(20_001L);

        People.put(home.store(), "bob", 20_002);
        assertThat(replica.awaitUser("bob", PATIENCE)).isPresent();

        People.put(home.store(), "bob", 20_003);
        assertThat(arrives(there -> there.user("bob").map(PosixUser::uidNumber).equals(Optional.of(20_003L))))
                .isTrue();

        People.remove(home.store(), "bob");
        assertThat(arrives(there -> there.user("bob").isEmpty())).isTrue();
        assertThat(replica.report().connected()).isTrue();
        assertThat(replica.report().entries()).isEqualTo(2);
        assertThat(replica.trouble()).isEmpty();
    }

    @Test
    void afterACutOnlyWhatWasMissedIsSent() throws Exception {
        for (int i = 0; i < 200; i++) {
            People.put(home.store(), "user" + i, 30_000 + i);
        }
        follow();
        connected(1);
        link.cut();
        assertThat(People.eventually(() -> !replica.report().connected())).isTrue();
        assertThat(replica.user("alice")).as("served while the link is away").isPresent();
        People.remove(home.store(), "user7");
        People.put(home.store(), "bob", 20_002);
        int before = link.seen().length;

        link.mend();
        connected(2);

        assertThat(replica.user("user7")).isEmpty();
        assertThat(replica.user("bob")).isPresent();
        assertThat(replica.user("user8")).isPresent();
        String sent = new String(link.seen(), StandardCharsets.ISO_8859_1).substring(before);
        assertThat(sent).contains("uid=bob").doesNotContain("uid=user8");
    }

    @Test
    void aProviderThatDoesNotKnowTheCookieSendsEverything() throws Exception {
        People.put(home.store(), "bob", 20_002);
        follow();
        connected(1);
        assertThat(replica.user("bob")).isPresent();
        link.cut();
        home.close();
        home = home();
        People.put(home.store(), "alice", 20_001);
        People.put(home.store(), "carol", 20_003);
        home.store().markComplete();
        link.leadTo(address(home.port()));
        link.mend();
        connected(2);

        assertThat(replica.user("bob")).as("was removed while nobody looked").isEmpty();
        assertThat(replica.user("alice")).isPresent();
        assertThat(replica.user("carol")).isPresent();
    }

    @Test
    void aConsumerThatIsBehindTheLogReadsEverything() throws Exception {
        try (CuttableProxy shortLink = proxy(home.port())) {
            follow(shortLink.port());
            connected(1);
            shortLink.cut();
            People.remove(home.store(), "alice");
            for (int i = 0; i <= DirectoryStore.SESSION_LOG_CHANGES; i++) {
                People.put(home.store(), "bob", 20_000 + i);
            }
            shortLink.mend();
            connected(2);
        }
        assertThat(replica.user("alice")).isEmpty();
        assertThat(replica.user("bob")).isPresent();
    }

    @Test
    void aHeadThatHasNotReadItsSourceEmptiesNoReplica() throws Exception {
        follow();
        connected(1);
        link.cut();
        home.close();
        home = home();
        link.leadTo(address(home.port()));
        link.mend();

        assertThat(People.eventually(() -> replica.trouble().contains("not been read")))
                .isTrue();
        assertThat(replica.user("alice")).isPresent();
        assertThat(replica.report().connected()).isFalse();
    }

    @Test
    void aProviderThatSuddenlyNamesNobodyIsNotBelieved() throws Exception {
        follow();
        connected(1);
        link.cut();
        home.close();
        home = home();
        home.store().markComplete();
        link.leadTo(address(home.port()));
        link.mend();

        assertThat(People.eventually(() -> replica.trouble().contains("no users at all")))
                .isTrue();
        assertThat(replica.user("alice")).isPresent();
        assertThat(replica.report().connected()).isFalse();

        People.put(home.store(), "bob", 20_002);
        connected(2);
        assertThat(replica.user("alice")).isEmpty();
    }

    @Test
    void anotherPortIsFollowedAndTheSameGrantIsNoReconnect() throws Exception {
        follow();
        connected(1);
        follow();
        try (CuttableProxy other = proxy(home.port())) {
            follow(other.port());
            connected(2);
            People.put(home.store(), "bob", 20_002);
            assertThat(replica.awaitUser("bob", PATIENCE)).isPresent();
            assertThat(new String(other.seen(), StandardCharsets.ISO_8859_1)).contains("uid=bob");
            assertThat(replica.consumer().refreshes()).isEqualTo(2);

            replica.follow(DirectoryGrant.NONE);
            assertThat(replica.report().connected()).isFalse();
            assertThat(replica.user("bob")).isPresent();
        }
    }

    @Test
    void noHashIsEverOnTheWire() throws Exception {
        follow();
        connected(1);
        People.put(home.store(), "bob", 20_002);
        assertThat(replica.awaitUser("bob", PATIENCE)).isPresent();

        String all = new String(link.seen(), StandardCharsets.ISO_8859_1);
        assertThat(all).contains("homeDirectory").doesNotContain("ForbiddenFruit");
        assertThat(all.toLowerCase(Locale.ROOT)).doesNotContain("userpassword");
    }

    @Test
    void aWrongPasswordIsSaidAndThePasswordIsNot() throws Exception {
        replica.follow(new DirectoryGrant(link.port(), "dc=lab", SITE_DN, "open sesame"));

        assertThat(People.eventually(() -> replica.trouble().contains("invalid credentials")))
                .as(replica.trouble())
                .isTrue();
        assertThat(replica.trouble()).doesNotContain("open sesame");
    }

    @Test
    void nobodyCopiesWithoutABindAndNoOtherSiteGetsIn() throws Exception {
        try (LDAPConnection client = new LDAPConnection("127.0.0.1", home.port())) {
            assertThat(refreshOnly(client, null)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
            for (List<String> wrong : List.of(
                    List.of("cn=east,ou=directors,dc=lab", "west-secret"),
                    List.of("cn=west,dc=lab", "west-secret"),
                    List.of(SITE_DN, "west-secre"))) {
                assertThat(bind(client, wrong.get(0), wrong.get(1))).isEqualTo(ResultCode.INVALID_CREDENTIALS);
            }
            assertThat(refreshOnly(client, null)).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
            assertThat(bind(client, SITE_DN, "west-secret")).isEqualTo(ResultCode.SUCCESS);
            assertThat(refreshOnly(client, null)).isEqualTo(ResultCode.SUCCESS);
        }
    }

    @Test
    void refreshOnlyAnswersWithACookieThatSavesTheNextOne() throws Exception {
        try (LDAPConnection client = new LDAPConnection("127.0.0.1", home.port())) {
            client.bind(SITE_DN, "west-secret");
            SearchResult first = client.search(refreshRequest(null));
            assertThat(first.getEntryCount()).isEqualTo(2);
            ContentSyncDoneControl done = ContentSyncDoneControl.get(first);
            assertThat(done.refreshDeletes()).isFalse();

            People.put(home.store(), "bob", 20_002);
            SearchResult second = client.search(refreshRequest(done.getCookie()));
            assertThat(second.getEntryCount()).isEqualTo(1);
            assertThat(ContentSyncDoneControl.get(second).refreshDeletes()).isTrue();

            SearchResult unknown = client.search(refreshRequest(new ASN1OctetString("rid=000,csn=nonsense")));
            assertThat(unknown.getEntryCount()).isEqualTo(3);
        }
    }

    @Test
    void theLoadOfTenThousandUsersAndTheLagOfOneAreMeasured() throws Exception {
        for (int i = 0; i < 10_000; i++) {
            People.put(home.store(), "user" + i, 30_000 + i);
        }
        long start = System.nanoTime();
        follow();
        connected(1);
        long loaded = System.nanoTime();
        List<Duration> lags = DirectoryLag.measure(home, replica, 20, PATIENCE);

        System.out.printf(
                "directory: 10,000 users copied in %d ms; one add appears after %d us (median of %d)%n",
                (loaded - start) / 1_000_000, lags.get(lags.size() / 2).toNanos() / 1_000, lags.size());
        assertThat(replica.report().entries()).isEqualTo(10_002);
        assertThat(lags).hasSize(20).isSorted();
    }

    private static ResultCode bind(LDAPConnection client, String dn, String password) {
        try {
            return client.bind(dn, password).getResultCode();
        } catch (LDAPException e) {
            return e.getResultCode();
        }
    }

    private static SearchRequest refreshRequest(@Nullable ASN1OctetString cookie) throws LDAPException {
        SearchRequest request = new SearchRequest("dc=lab", SearchScope.SUB, "(objectClass=*)");
        request.addControl(new ContentSyncRequestControl(true, ContentSyncRequestMode.REFRESH_ONLY, cookie, false));
        return request;
    }

    private static ResultCode refreshOnly(LDAPConnection client, @Nullable ASN1OctetString cookie)
            throws LDAPException {
        try {
            return client.search(refreshRequest(cookie)).getResultCode();
        } catch (LDAPSearchException e) {
            return e.getResultCode();
        }
    }

    private boolean arrives(Predicate<DirectoryStore> condition) throws InterruptedException {
        return replica.store().await(condition, PATIENCE);
    }

    private void connected(int refreshes) throws InterruptedException {
        assertThat(People.eventually(() -> replica.consumer().refreshes() >= refreshes))
                .as("refresh %s: %s", refreshes, replica.trouble())
                .isTrue();
    }

    private void follow() {
        follow(link.port());
    }

    private void follow(int port) {
        replica.follow(home.grant("west", port));
    }

    private static InetSocketAddress address(int port) {
        return new InetSocketAddress("127.0.0.1", port);
    }

    private static CuttableProxy proxy(int port) {
        try {
            return new CuttableProxy(address(port));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static DirectoryReplica replica() {
        try {
            return new DirectoryReplica(address(0), null, People.BASE, DirectoryAccess.ANONYMOUS_READ, QUICK);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Fed by the tests themselves: its source waits for an address where nobody listens. */
    private static HomeDirectory home() {
        LdapEndpoint nowhere = new LdapEndpoint(
                "127.0.0.1",
                1,
                LdapEndpoint.Security.PLAIN,
                Optional.empty(),
                People.BASE,
                "cn=nobody,dc=lab",
                () -> "x");
        try {
            return new HomeDirectory(
                    People.BASE,
                    new LdapSource(nowhere, ContentSyncConsumer.DEFAULT_FILTER, new Backoff(PATIENCE, PATIENCE)),
                    site -> site.equals("west") ? Optional.of("west-secret") : Optional.empty(),
                    People.UNSAVED);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
