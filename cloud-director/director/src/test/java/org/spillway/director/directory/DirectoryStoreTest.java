package org.spillway.director.directory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.ReadOnlyEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class DirectoryStoreTest {
    private final DirectoryStore store = new DirectoryStore(People.BASE);

    @Test
    void aUserIsFoundByExactlyItsName() {
        People.put(store, "alice", 20_001);

        assertThat(store.user("alice"))
                .contains(new PosixUser("alice", 20_001, 20_000, "Dr alice", "/home/alice", "/bin/bash"));
        assertThat(store.user("Alice")).isEmpty();
        assertThat(store.user("bob")).isEmpty();
        assertThat(store.size()).isEqualTo(2);
    }

    /** I2, I8: of two entries of one login or one number neither is anybody, and nobody else notices. */
    @Test
    void aLoginOrANumberOfTwoEntriesIsNobodysAndBothAreNamed() {
        People.put(store, "alice", 20_001);
        People.put(store, "bob", 20_002);
        store.put(UUID.randomUUID(), DirectoryStore.dn("uid=bob,ou=old," + People.BASE), account("bob", 20_003));
        People.put(store, "carol", 20_004);
        People.put(store, "dave", 20_004);

        assertThat(store.user("bob")).isEmpty();
        assertThat(store.user(20_002)).isEmpty();
        assertThat(store.user(20_003)).isEmpty();
        assertThat(store.user("carol")).isEmpty();
        assertThat(store.user(20_004)).isEmpty();
        assertThat(store.user("alice")).isPresent();
        assertThat(store.sameAccounts("alice", 20_001)).hasSize(1);
        assertThat(store.sameAccounts("bob", 20_002)).hasSize(2).anyMatch(dn -> dn.contains("ou=old"));
        assertThat(store.confusions(10)).hasSize(2).allMatch(names -> names.size() == 2);
    }

    /** Copies see one who was moved gone for a moment, and wait; two of one login are refused at once. */
    @Test
    void whoseEntryHasAnotherNameIsNeverThereTwice() {
        People.put(store, "alice", 20_001);
        long before = store.log().last();
        store.replaceAll(
                List.of(new Entry(DirectoryStore.dn("uid=alice,ou=moved," + People.BASE), account("alice", 20_001))));
        assertThat(store.log().after(before).orElseThrow())
                .extracting(change -> change.packed() == null)
                .containsExactly(true, false);
        assertThat(store.user("alice")).isPresent();
    }

    private static List<Attribute> account(String name, int uid) {
        return List.of(
                new Attribute("objectClass", "posixAccount"),
                new Attribute("uid", name),
                new Attribute("cn", name),
                new Attribute("uidNumber", Integer.toString(uid)),
                new Attribute("gidNumber", "20000"),
                new Attribute("homeDirectory", "/home/" + name));
    }

    @Test
    void groupsOfAUserAreThoseThatNameItAndItsPrimaryOne() {
        People.put(store, "alice", 20_001);
        People.putGroup(store, "science", 20_000);
        People.putGroup(store, "gpu", 20_010, "bob", "alice");
        People.putGroup(store, "other", 20_011, "bob");

        assertThat(store.groupsOf("alice")).extracting(PosixGroup::name).containsExactlyInAnyOrder("science", "gpu");
        assertThat(store.groupsOf("nobody-knows")).isEmpty();
    }

    @Test
    void whatIsNotOnTheListCannotEnter() throws Exception {
        People.put(store, "alice", 20_001);

        List<ReadOnlyEntry> found = store.search(People.dn("alice"), SearchScope.BASE, Filter.createANDFilter());

        assertThat(found).hasSize(1);
        assertThat(found.getFirst().getAttributes())
                .extracting(Attribute::getName)
                .containsExactlyInAnyOrder(
                        "objectClass",
                        "uid",
                        "cn",
                        "uidNumber",
                        "gidNumber",
                        "homeDirectory",
                        "loginShell",
                        "gecos",
                        "entryUUID");
        assertThat(found.getFirst().toLDIFString()).doesNotContain("ForbiddenFruit", "shadow");
    }

    @Test
    void aHashInAPublicFieldCannotEnterEither() {
        for (String hash : List.of("{SSHA}abcdef", "$6$salt$hash", "{CRYPT}$6$x$y", "a\nb")) {
            store.put(
                    UUID.randomUUID(),
                    People.dn("eve"),
                    List.of(
                            new Attribute("objectClass", "posixAccount"),
                            new Attribute("uid", "eve"),
                            new Attribute("uidNumber", "20007"),
                            new Attribute("gidNumber", "20000"),
                            new Attribute("homeDirectory", "/home/eve"),
                            new Attribute("gecos", hash)));

            assertThat(store.user("eve")).map(PosixUser::gecos).contains("");
        }
    }

    @Test
    void anEntryThatIsNamedByASecretIsRefused() {
        assertThat(store.put(
                        UUID.randomUUID(),
                        DirectoryStore.dn("userPassword=secret,dc=lab"),
                        List.of(new Attribute("objectClass", "posixAccount"))))
                .isFalse();
        assertThat(store.size()).isEqualTo(1);
    }

    @Test
    void anEntryOutsideTheBaseIsRefused() {
        assertThat(store.put(
                        UUID.randomUUID(),
                        DirectoryStore.dn("uid=alice,dc=elsewhere"),
                        List.of(new Attribute("objectClass", "posixAccount"))))
                .isFalse();
        assertThat(store.size()).isEqualTo(1);
    }

    @Test
    void theSameAgainIsNoChange() {
        People.put(store, "alice", 20_001);
        long number = store.log().last();

        People.put(store, "alice", 20_001);
        assertThat(store.log().last()).isEqualTo(number);

        People.put(store, "alice", 20_002);
        assertThat(store.log().last()).isEqualTo(number + 1);
    }

    @Test
    void aNameThatComesBackWithAnotherIdReplacesTheOldEntry() {
        People.put(store, "alice", 20_001);
        UUID again = UUID.randomUUID();
        store.put(again, People.dn("alice"), People.user("alice", 20_005).getAttributes());
        People.remove(store, "alice");

        assertThat(store.user("alice")).map(PosixUser::uidNumber).contains(20_005L);
        assertThat(store.size()).isEqualTo(2);
    }

    @Test
    void aRenamedEntryLeavesItsOldName() throws Exception {
        UUID id = UUID.randomUUID();
        store.put(id, People.dn("alice"), People.user("alice", 20_001).getAttributes());
        store.put(id, People.dn("alicia"), People.user("alicia", 20_001).getAttributes());

        assertThat(store.user("alice")).isEmpty();
        assertThat(store.user("alicia")).isPresent();
        assertThat(store.search(People.dn("alice"), SearchScope.BASE, Filter.createANDFilter()))
                .isNull();
    }

    @Test
    void replaceAllRemovesWhatIsNotNamed() {
        store.replaceAll(List.of(People.user("alice", 20_001), People.user("bob", 20_002)));
        store.replaceAll(List.of(People.user("bob", 20_002)));

        assertThat(store.user("alice")).isEmpty();
        assertThat(store.user("bob")).isPresent();
    }

    @Test
    void indexedAndUnindexedSearchesAgree() throws Exception {
        for (int i = 0; i < 50; i++) {
            People.put(store, "user" + i, 30_000 + i);
        }
        for (String filter : List.of(
                "(&(objectClass=posixAccount)(uid=user7))",
                "(|(uid=user7)(uidNumber=30007))",
                "(uid=USER7)",
                "(&(uid=user*)(uidNumber=30007))",
                "(homeDirectory=/home/user7)")) {
            assertThat(store.search(store.base(), SearchScope.SUB, Filter.create(filter)))
                    .as(filter)
                    .extracting(entry -> entry.getAttributeValue("uid"))
                    .containsExactly("user7");
        }
        assertThat(store.search(store.base(), SearchScope.SUB, Filter.create("(!(uid=user7))")))
                .hasSize(50);
    }

    @Test
    void aBaseMustBeOneThatCanHaveAnEntry() {
        assertThatThrownBy(() -> new DirectoryStore("cn=x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new DirectoryStore("nonsense")).isInstanceOf(IllegalArgumentException.class);
    }
}
