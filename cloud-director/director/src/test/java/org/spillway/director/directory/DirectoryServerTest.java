package org.spillway.director.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.listener.SelfSignedCertificateGenerator;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import com.unboundid.util.ObjectPair;
import java.io.File;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryServerTest {
    private static final DirectoryAccess WITH_BIND = new DirectoryAccess(
            false, (dn, password) -> dn.equals("cn=node") && new String(password, StandardCharsets.UTF_8).equals("ok"));

    private final DirectoryStore store = new DirectoryStore(People.BASE);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path directory;

    @BeforeEach
    void fill() {
        People.put(store, "alice", 20_001);
        People.put(store, "bob", 20_002);
        store.markComplete();
    }

    @Test
    void everyWriteIsRefusedWhoeverAsks() throws Exception {
        try (DirectoryServer server = serve(WITH_BIND, null);
                LDAPConnection client = connect(server)) {
            client.bind("cn=node", "ok");
            refused(() -> client.add(People.user("eve", 20_009)));
            refused(() -> client.delete(People.dn("alice").toString()));
            refused(() -> client.modify(
                    People.dn("alice").toString(), new Modification(ModificationType.REPLACE, "uidNumber", "0")));
            refused(() -> client.modifyDN(People.dn("alice").toString(), "uid=mallory", true));
            assertThat(client.processExtendedOperation(new PasswordModifyExtendedRequest(
                                    People.dn("alice").toString(), "a", "b"))
                            .getResultCode())
                    .isEqualTo(ResultCode.UNWILLING_TO_PERFORM);
        }
        assertThat(store.user("alice")).map(PosixUser::uidNumber).contains(20_001L);
        assertThat(store.size()).isEqualTo(3);
    }

    @Test
    void withoutABindThereIsOnlyTheRootEntryUnlessAnonymousReadingIsAllowed() throws Exception {
        try (DirectoryServer server = serve(WITH_BIND, null);
                LDAPConnection client = connect(server)) {
            assertThat(client.getRootDSE().getNamingContextDNs()).containsExactly("dc=lab");
            assertThat(search(client, "(uid=alice)")).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
            assertThatThrownBy(() -> client.compare(People.dn("alice").toString(), "uid", "alice"))
                    .isInstanceOfSatisfying(
                            LDAPException.class,
                            e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS));
            assertThatThrownBy(() -> client.bind("cn=node", "wrong")).isInstanceOf(LDAPException.class);
            assertThat(search(client, "(uid=alice)")).isEqualTo(ResultCode.INSUFFICIENT_ACCESS_RIGHTS);
            client.bind("cn=node", "ok");
            assertThat(search(client, "(uid=alice)")).isEqualTo(ResultCode.SUCCESS);
        }
        try (DirectoryServer server = serve(DirectoryAccess.ANONYMOUS_READ, null);
                LDAPConnection client = connect(server)) {
            assertThat(search(client, "(uid=alice)")).isEqualTo(ResultCode.SUCCESS);
        }
    }

    @Test
    void searchesAnswerWhatANameServiceAsks() throws Exception {
        try (DirectoryServer server = serve(DirectoryAccess.ANONYMOUS_READ, null);
                LDAPConnection client = connect(server)) {
            SearchResultEntry alice = client.searchForEntry(
                    "dc=lab", SearchScope.SUB, "(&(objectClass=posixAccount)(uid=alice))", "uidNumber", "gecos");
            assertThat(alice.getAttributeValue("uidNumber")).isEqualTo("20001");
            assertThat(alice.getAttributes()).hasSize(2);
            assertThat(client.getEntry(People.dn("alice").toString(), "1.1").getAttributes())
                    .isEmpty();
            assertThat(client.getEntry(People.dn("alice").toString()).hasAttribute("entryUUID"))
                    .isFalse();
            assertThat(client.getEntry(People.dn("alice").toString(), "+").hasAttribute("entryUUID"))
                    .isTrue();
            assertThat(client.compare(People.dn("alice").toString(), "uidNumber", "20001")
                            .compareMatched())
                    .isTrue();
            assertThat(client.compare(People.dn("alice").toString(), "uidNumber", "0")
                            .compareMatched())
                    .isFalse();
            SearchRequest one = new SearchRequest("dc=lab", SearchScope.SUB, "(objectClass=posixAccount)");
            one.setSizeLimit(1);
            assertThatThrownBy(() -> client.search(one))
                    .isInstanceOfSatisfying(
                            LDAPSearchException.class,
                            e -> assertThat(e.getEntryCount()).isEqualTo(1));
            SearchRequest strange = new SearchRequest("dc=lab", SearchScope.SUB, "(uid=alice)");
            strange.addControl(new Control("1.2.3.4", true));
            assertThatThrownBy(() -> client.search(strange))
                    .isInstanceOfSatisfying(
                            LDAPSearchException.class,
                            e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.UNAVAILABLE_CRITICAL_EXTENSION));
        }
    }

    @Test
    void inTheClearOnlyOnLoopback() {
        assertThatThrownBy(() -> DirectoryServer.start(
                        store, new InetSocketAddress("0.0.0.0", 0), null, DirectoryAccess.ANONYMOUS_READ, null))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("loopback");
    }

    @Test
    void overTlsAConsumerThatTrustsTheAuthorityCopiesAndOneThatDoesNotIsTold() throws Exception {
        ContentSyncProvider provider = new ContentSyncProvider(store, 4);
        DirectoryServer.Tls tls = selfSigned();
        DirectoryStore copy = new DirectoryStore(People.BASE);
        try (DirectoryServer server = DirectoryServer.start(store, loopback(), tls, WITH_BIND, provider);
                ContentSyncConsumer consumer =
                        new ContentSyncConsumer(copy, ContentSyncConsumer.DEFAULT_FILTER, Backoff.DEFAULT)) {
            consumer.follow(ldaps(server, Optional.empty()));
            assertThat(People.eventually(() -> consumer.trouble().contains("certif")
                            || consumer.trouble().contains("PKIX")))
                    .as(consumer.trouble())
                    .isTrue();
            assertThat(copy.user("alice")).isEmpty();

            consumer.follow(ldaps(server, Optional.of(directory.resolve("ca.pem"))));
            assertThat(copy.await(there -> there.user("alice").isPresent(), People.PATIENCE))
                    .as(consumer.trouble())
                    .isTrue();
        }
    }

    @Test
    void aConsumerThatDoesNotReadIsCutOffAndHoldsNobodyUp() throws Exception {
        ContentSyncProvider provider = new ContentSyncProvider(store, 1);
        try (DirectoryServer server = DirectoryServer.start(store, loopback(), null, WITH_BIND, provider);
                LDAPConnection stuck = connect(server);
                LDAPConnection second = connect(server)) {
            stuck.bind("cn=node", "ok");
            second.bind("cn=node", "ok");
            StuckProgress progress = new StuckProgress(new CountDownLatch(1), new CountDownLatch(1));
            SyncFollower follower =
                    new SyncFollower(new DirectoryStore(People.BASE), store.base(), new Doubt(), progress);
            SearchRequest request = new SearchRequest(follower, "dc=lab", SearchScope.SUB, "(objectClass=*)");
            request.addControl(new ContentSyncRequestControl(ContentSyncRequestMode.REFRESH_AND_PERSIST));
            request.setIntermediateResponseListener(follower);
            try {
                assertThat(stuck.asyncSearch(request)).isNotNull();
                assertThat(progress.arrived.await(180, TimeUnit.SECONDS)).isTrue();
                assertThat(search(second, "(uid=alice)", true))
                        .as("the only place is taken")
                        .isEqualTo(ResultCode.BUSY);
                for (int i = 0; i < 3 * DirectoryStore.SESSION_LOG_CHANGES; i++) {
                    People.put(store, "bob", 30_000 + i);
                }
                assertThat(People.eventually(
                                () -> search(second, "(uid=alice)", true).equals(ResultCode.SUCCESS)))
                        .as("its place is free again")
                        .isTrue();
            } finally {
                progress.release.countDown();
            }
        }
    }

    /** Blocks the connection's reader at the end of the refresh for as long as the test likes. */
    private record StuckProgress(CountDownLatch arrived, CountDownLatch release) implements SyncFollower.Progress {
        @Override
        public void reached(ASN1OctetString cookie) {}

        @Override
        public void refreshed() {
            arrived.countDown();
            try {
                assertThat(release.await(1, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void rubbishDoesNotEndTheServer() throws Exception {
        try (DirectoryServer server = serve(DirectoryAccess.ANONYMOUS_READ, null)) {
            try (Socket socket =
                    new Socket(server.address().getAddress(), server.address().getPort())) {
                socket.getOutputStream().write("GET / HTTP/1.1\r\n".repeat(20).getBytes(StandardCharsets.UTF_8));
                socket.setSoTimeout((int) People.PATIENCE.toMillis());
                assertThat(socket.getInputStream().readAllBytes()).isNotNull();
            }
            try (LDAPConnection client = connect(server)) {
                assertThat(search(client, "(uid=alice)")).isEqualTo(ResultCode.SUCCESS);
            }
        }
    }

    private LdapEndpoint ldaps(DirectoryServer server, Optional<Path> caFile) {
        return new LdapEndpoint(
                "127.0.0.1",
                server.address().getPort(),
                LdapEndpoint.Security.LDAPS,
                caFile,
                People.BASE,
                "cn=node",
                () -> "ok");
    }

    private DirectoryServer.Tls selfSigned() throws Exception {
        ObjectPair<File, char[]> made =
                SelfSignedCertificateGenerator.generateTemporarySelfSignedCertificate("test", "PKCS12");
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(made.getFirst().toPath())) {
            keys.load(in, made.getSecond());
        } finally {
            Files.delete(made.getFirst().toPath());
        }
        byte[] certificate = keys.getCertificate(keys.aliases().nextElement()).getEncoded();
        Files.writeString(
                directory.resolve("ca.pem"),
                "-----BEGIN CERTIFICATE-----\n" + Base64.getMimeEncoder().encodeToString(certificate)
                        + "\n-----END CERTIFICATE-----\n");
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(keys, made.getSecond());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(factory.getKeyManagers(), null, null);
        return new DirectoryServer.Tls(context, false);
    }

    private DirectoryServer serve(DirectoryAccess access, @Nullable ContentSyncProvider provider) throws Exception {
        return DirectoryServer.start(store, loopback(), null, access, provider);
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress("127.0.0.1", 0);
    }

    private static LDAPConnection connect(DirectoryServer server) throws LDAPException {
        return new LDAPConnection("127.0.0.1", server.address().getPort());
    }

    private static ResultCode search(LDAPConnection client, String filter) {
        return search(client, filter, false);
    }

    private static ResultCode search(LDAPConnection client, String filter, boolean synchronise) {
        try {
            SearchRequest request = new SearchRequest("dc=lab", SearchScope.SUB, filter);
            if (synchronise) {
                request.addControl(new ContentSyncRequestControl(ContentSyncRequestMode.REFRESH_ONLY));
            }
            return client.search(request).getResultCode();
        } catch (LDAPException e) {
            return e.getResultCode();
        }
    }

    private static void refused(ThrowingCallable write) {
        assertThatThrownBy(write)
                .isInstanceOfSatisfying(
                        LDAPException.class,
                        e -> assertThat(e.getResultCode()).isEqualTo(ResultCode.UNWILLING_TO_PERFORM));
    }
}
