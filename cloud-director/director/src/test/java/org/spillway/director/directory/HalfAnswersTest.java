package org.spillway.director.directory;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPResult;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A directory that is read by pages and answers late, or by halves: nobody is gone for that, and it is told. */
final class HalfAnswersTest {
    private static final Instant NOW = Instant.parse("2026-11-24T00:00:00Z");

    /** A page and a half. */
    private static final int USERS = 750;

    private final DirectoryStore store = new DirectoryStore("dc=cluster");
    private final AtomicLong nanos = new AtomicLong(1);

    @SuppressWarnings("NullAway.Init")
    private PagedLdap server;

    @SuppressWarnings("NullAway.Init")
    private PagedSource source;

    @BeforeEach
    void start() throws Exception {
        server = new PagedLdap(USERS);
        source = new PagedSource(
                server.endpoint(), DirectorySchema.RFC2307BIS, Duration.ofMillis(20), () -> NOW, nanos::get);
    }

    @AfterEach
    void stop() throws Exception {
        source.close();
        server.close();
    }

    private void read() throws InterruptedException {
        source.start(store);
        assertThat(store.await(DirectoryStore::complete, People.PATIENCE))
                .as(source.trouble())
                .isTrue();
        assertThat(store.users()).isEqualTo(USERS);
    }

    private void told(String words) throws InterruptedException {
        assertThat(People.eventually(() -> source.trouble().contains(words)))
                .as("%s in: %s", words, source.trouble())
                .isTrue();
    }

    private void wellAgain() throws InterruptedException {
        server.mood(PagedLdap.Mood.GOOD);
        assertThat(People.eventually(() -> source.trouble().isEmpty()))
                .as(source.trouble())
                .isTrue();
    }

    private static LDAPResult as(LDAPResult good, ResultCode code, Control... controls) {
        return new LDAPResult(good.getMessageID(), code, "half", null, List.of("ldap://elsewhere/"), List.of(controls));
    }

    private static final class SecondPage implements PagedLdap.Mood {
        private final ResultCode code;

        SecondPage(ResultCode code) {
            this.code = code;
        }

        @Override
        public LDAPResult end(int page, LDAPResult good) {
            return page == 2 ? as(good, code) : good;
        }

        @Override
        public String toString() {
            return code.getName();
        }
    }

    static Stream<SecondPage> endings() {
        return Stream.of(
                        ResultCode.SIZE_LIMIT_EXCEEDED,
                        ResultCode.ADMIN_LIMIT_EXCEEDED,
                        ResultCode.TIME_LIMIT_EXCEEDED,
                        ResultCode.REFERRAL,
                        ResultCode.BUSY,
                        ResultCode.UNWILLING_TO_PERFORM)
                .map(SecondPage::new);
    }

    @ParameterizedTest
    @MethodSource("endings")
    void aPageThatEndsBeforeItsEndChangesNothing(SecondPage mood) throws Exception {
        read();
        server.mood(mood);
        told(mood.code.equals(ResultCode.SIZE_LIMIT_EXCEEDED) ? "size limit" : "half");
        assertThat(store.users()).isEqualTo(USERS);
        wellAgain();
        assertThat(store.users()).isEqualTo(USERS);
    }

    @Test
    void aHeadThatHasOnlyEverHeardHalfHasReadNothing() throws Exception {
        server.mood(new SecondPage(ResultCode.ADMIN_LIMIT_EXCEEDED));
        source.start(store);
        told("half");
        assertThat(store.complete()).isFalse();
        assertThat(store.users()).isZero();
        wellAgain();
        assertThat(store.users()).isEqualTo(USERS);
    }

    @Test
    void aConnectionThatIsCutInsideAPageChangesNothing() throws Exception {
        read();
        server.mood(new PagedLdap.Mood() {
            @Override
            public boolean sends(int page, Entry entry) {
                if (page == 2 && "u600".equals(entry.getAttributeValue("uid"))) {
                    server.cutOnce();
                }
                return true;
            }
        });
        assertThat(People.eventually(() -> !source.trouble().isEmpty())).isTrue();
        assertThat(store.users()).isEqualTo(USERS);
        wellAgain();
    }

    /** A balancer that leads to a server without pages: the answer has no cookie, and looks like the last. */
    @Test
    void aPageThatDoesNotSayWhetherItIsTheLastIsNot() throws Exception {
        read();
        server.mood(new PagedLdap.Mood() {
            @Override
            public boolean sends(int page, Entry entry) {
                return page < 2;
            }

            @Override
            public LDAPResult end(int page, LDAPResult good) {
                return page == 2 ? as(good, ResultCode.SUCCESS) : good;
            }
        });
        told("does not say");
        assertThat(store.users()).isEqualTo(USERS);
        wellAgain();
    }

    /** Active Directory sends pages without entries when it has looked for long; one server sent nothing else. */
    @Test
    void emptyPagesAreGoneOnWithButNotForEver() throws Exception {
        read();
        server.mood(new PagedLdap.Mood() {
            @Override
            public boolean sends(int page, Entry entry) {
                return page == 1;
            }

            @Override
            public LDAPResult end(int page, LDAPResult good) {
                return as(
                        good,
                        ResultCode.SUCCESS,
                        new SimplePagedResultsControl(0, new ASN1OctetString("go on"), false));
            }
        });
        told("pages without");
        assertThat(store.users()).isEqualTo(USERS);
        wellAgain();
    }

    /** A controller that is being filled, rights that were taken away: a whole answer, of half the users. */
    @Test
    void aWholeAnswerThatLacksManyAtOnceIsDoubtedForMinutes() throws Exception {
        read();
        server.mood(new PagedLdap.Mood() {
            @Override
            public boolean sends(int page, Entry entry) {
                return page == 1;
            }
        });
        told("of 750 users at once");
        assertThat(store.users()).isEqualTo(USERS);
        wellAgain();
        server.remove(7);
        assertThat(store.await(here -> here.user("u7").isEmpty(), People.PATIENCE))
                .as("one may go at once")
                .isTrue();
    }

    /** Users without their groups would run without what these may read. */
    @Test
    void aWholeAnswerThatLacksTheGroupsIsDoubtedToo() throws Exception {
        server.addGroups(5);
        read();
        assertThat(store.groupsOf("u1")).hasSize(5);
        server.mood(new PagedLdap.Mood() {
            @Override
            public boolean sends(int page, Entry entry) {
                return entry.hasAttribute("uid");
            }
        });
        told("lacks 5 of 5 groups at once");
        assertThat(store.groupsOf("u1")).hasSize(5);
        wellAgain();
    }

    @Test
    void whatGoesOnForMinutesIsBelieved() throws Exception {
        read();
        server.mood(new PagedLdap.Mood() {
            @Override
            public boolean sends(int page, Entry entry) {
                return page == 1;
            }
        });
        told("of 750 users at once");
        nanos.addAndGet(Doubt.LENGTH.toNanos());
        assertThat(store.await(here -> here.users() == 500, People.PATIENCE)).isTrue();
    }

    @Test
    void aPartThatIsElsewhereNowTakesNobodyWithIt() throws Exception {
        server.move(9, "q");
        read();
        server.refer("q", 9);
        told("lacks 1 of 750 users at once, and leads to ldap://elsewhere/");
        assertThat(store.user("u9")).isPresent();
        nanos.addAndGet(Doubt.LENGTH.toNanos());
        assertThat(store.await(here -> here.user("u9").isEmpty(), People.PATIENCE))
                .isTrue();
    }

    /** Ten seconds a page are waited for, and after minutes it is told that the last content grows old. */
    @Test
    void aServerThatAnswersLateIsWaitedForAndTold() throws Exception {
        assertThat(LdapDialer.ANSWER).isGreaterThan(Duration.ofSeconds(10));
        read();
        var answer = new CountDownLatch(1);
        server.mood(new PagedLdap.Mood() {
            @Override
            public void asked(int page) throws LDAPException {
                try {
                    answer.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        });
        nanos.addAndGet(PagedSource.OLD.toNanos() + 1);
        told("has not been read whole since 2026-11-24T00:00:00Z");
        assertThat(store.users()).isEqualTo(USERS);
        answer.countDown();
        wellAgain();
    }
}
