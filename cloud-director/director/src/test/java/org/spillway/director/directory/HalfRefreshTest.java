package org.spillway.director.directory;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.ResultCode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A directory that is followed (RFC 4533) and is late, or breaks off: nobody is gone for that, and it is told. */
final class HalfRefreshTest {
    private static final Backoff QUICK = new Backoff(Duration.ofMillis(5), Duration.ofMillis(50));
    private static final int USERS = 2_000;

    private HomeDirectory home = home(USERS);
    private final CuttableProxy link = link();
    private final DirectoryStore store = new DirectoryStore(People.BASE);
    private final ContentSyncConsumer consumer = new ContentSyncConsumer(
            store, ContentSyncConsumer.DEFAULT_FILTER, QUICK, Duration.ofMillis(400), Duration.ofMillis(1));

    @AfterEach
    void stop() throws IOException {
        consumer.close();
        link.close();
        home.close();
    }

    private void follow() throws InterruptedException {
        var grant = home.grant("west", link.port());
        consumer.follow(new LdapEndpoint(
                "127.0.0.1",
                grant.port(),
                LdapEndpoint.Security.PLAIN,
                Optional.empty(),
                grant.baseDn(),
                grant.bindDn(),
                grant::password));
    }

    private void whole(long refreshes) throws InterruptedException {
        assertThat(People.eventually(() -> consumer.refreshes() >= refreshes && consumer.connected()))
                .as(consumer.trouble())
                .isTrue();
    }

    /** Another head in the place of the first: no cookie of before is known to it, and it sends everything. */
    private void another(int users) throws IOException {
        link.cut();
        home.close();
        home = home(users);
        link.leadTo(new InetSocketAddress("127.0.0.1", home.port()));
    }

    @Test
    void aRefreshThatBreaksOffAnywhereTakesNobodyAway() throws Exception {
        follow();
        whole(1);
        another(USERS);
        for (int bytes = 500; bytes < 400_000; bytes = bytes * 3) {
            int before = link.seen().length;
            link.mend();
            link.cutAfter(bytes);
            int least = bytes / 2;
            assertThat(People.eventually(() -> link.seen().length - before > least && !consumer.connected()))
                    .isTrue();
            assertThat(store.users()).as("%d bytes", bytes).isEqualTo(USERS);
            assertThat(consumer.refreshes()).isEqualTo(1);
            assertThat(consumer.trouble()).isNotEmpty();
        }
        link.mend();
        whole(2);
        assertThat(store.users()).isEqualTo(USERS);
    }

    static Stream<ResultCode> endings() {
        return Stream.of(
                ResultCode.SIZE_LIMIT_EXCEEDED,
                ResultCode.ADMIN_LIMIT_EXCEEDED,
                ResultCode.TIME_LIMIT_EXCEEDED,
                ResultCode.REFERRAL,
                ResultCode.BUSY,
                ResultCode.SUCCESS);
    }

    @ParameterizedTest
    @MethodSource("endings")
    void aRefreshThatIsEndedInItsMidstTakesNobodyAway(ResultCode code) throws Exception {
        follow();
        whole(1);
        long refreshes;
        try (var ending = new EndedSync(50, code)) {
            consumer.follow(ending.endpoint());
            // A slow machine may have lost its first connection, and have read all once more.
            refreshes = consumer.refreshes();
            assertThat(People.eventually(() -> consumer.trouble().contains("half")))
                    .as(consumer.trouble())
                    .isTrue();
            assertThat(store.users()).isEqualTo(USERS);
            assertThat(consumer.refreshes()).isEqualTo(refreshes);
        }
        follow();
        whole(refreshes + 1);
        assertThat(store.users()).isEqualTo(USERS);
    }

    @Test
    void aFirstRefreshThatBreaksOffMakesNoWholeDirectory() throws Exception {
        link.cutAfter(100_000);
        follow();
        assertThat(store.await(here -> here.users() > 10, People.PATIENCE)).isTrue();
        assertThat(People.eventually(() -> !consumer.trouble().isEmpty())).isTrue();
        assertThat(store.complete()).isFalse();
        link.mend();
        whole(1);
        assertThat(store.complete()).isTrue();
        assertThat(store.users()).isEqualTo(USERS);
    }

    /** A server whose database is being filled, or whose rules hide a branch, ends a refresh in good order. */
    @Test
    void aWholeRefreshOfHalfTheUsersIsDoubted() throws Exception {
        follow();
        whole(1);
        another(USERS / 2);
        link.mend();
        assertThat(People.eventually(() -> consumer.trouble().contains("lacks 1000 of 2000 users at once")))
                .as(consumer.trouble())
                .isTrue();
        assertThat(store.users()).isEqualTo(USERS);
        assertThat(consumer.connected()).isFalse();
        for (int n = USERS / 2; n < USERS - 2; n++) {
            People.put(home.store(), "u" + n, 30_000 + n);
        }
        whole(2);
        // A refresh in the midst of the changes is whole, too: the last of them come behind it.
        assertThat(People.eventually(() -> store.users() == USERS - 2))
                .as("a few may go")
                .isTrue();
    }

    /** The provider answers a second question behind the refresh: who asked whether it lives had no patience with that. */
    @Test
    void aRefreshThatTakesLongIsWaitedForWhileItGoesOn() throws Exception {
        link.slow();
        follow();
        whole(1);
        assertThat(store.users()).isEqualTo(USERS);
    }

    private CuttableProxy link() {
        try {
            return new CuttableProxy(new InetSocketAddress("127.0.0.1", home.port()));
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Fed by the tests: its source waits for an address where nobody listens. */
    private static HomeDirectory home(int users) {
        LdapEndpoint nowhere = new LdapEndpoint(
                "127.0.0.1",
                1,
                LdapEndpoint.Security.PLAIN,
                Optional.empty(),
                People.BASE,
                "cn=nobody,dc=lab",
                () -> "x");
        try {
            HomeDirectory made = new HomeDirectory(
                    People.BASE,
                    new LdapSource(
                            nowhere, ContentSyncConsumer.DEFAULT_FILTER, new Backoff(People.PATIENCE, People.PATIENCE)),
                    site -> Optional.of("west-secret"),
                    People.UNSAVED);
            for (int n = 0; n < users; n++) {
                People.put(made.store(), "u" + n, 30_000 + n);
            }
            made.store().markComplete();
            return made;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
