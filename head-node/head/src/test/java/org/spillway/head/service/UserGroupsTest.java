package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.spillway.director.directory.DirectoryStore;
import org.spillway.director.directory.PosixUser;

/** Users as the directory says them, and nothing that it does not say. */
final class UserGroupsTest {
    private final DirectoryStore store = new DirectoryStore("dc=spillway");
    private final UserGroups groups = new UserGroups(store, login -> Optional.empty(), login -> {});

    private void put(String name, long uid, long gid, String above) throws Exception {
        var user = new Entry(
                "dn: uid=" + name + "," + above,
                "objectClass: posixAccount",
                "uid: " + name,
                "cn: " + name,
                "homeDirectory: /home/" + name,
                "uidNumber: " + uid,
                "gidNumber: " + gid);
        store.put(UUID.randomUUID(), user.getParsedDN(), user.getAttributes());
    }

    @Test
    void theGroupIsTheDirectorysOrNone() throws Exception {
        put("ann", 7_001, 7_100, "dc=spillway");
        put("far", 7_002, 4_000_000_000L, "dc=spillway");
        assertThat(groups.gidOf("ann")).hasValue(7_100);
        assertThat(groups.gidOf("far")).isEmpty();
        assertThat(groups.gidOf("nobody")).isEmpty();
    }

    @Test
    void twoOfOneLoginAreBothNamed() throws Exception {
        put("ann", 7_001, 7_100, "dc=spillway");
        put("bob", 7_002, 7_100, "ou=a,dc=spillway");
        put("bob", 7_003, 7_100, "ou=b,dc=spillway");
        assertThat(groups.confusedWith("bob", 7_002))
                .containsExactly("uid=bob,ou=a,dc=spillway", "uid=bob,ou=b,dc=spillway");
        assertThat(groups.knows("bob", 7_002)).isFalse();
        assertThat(groups.confusedWith("ann", 7_001)).isEmpty();
        assertThat(groups.knows("ann", 7_001)).isTrue();
    }

    /** A user is renamed, or gets another number, while a job of the old one runs. */
    @Test
    void whoHasTheLoginNowLendsNoGroupsToTheJobsOfWhoHadIt() throws Exception {
        put("ann", 7_001, 7_100, "dc=spillway");
        var group = new Entry(
                "dn: cn=secret,dc=spillway",
                "objectClass: posixGroup",
                "cn: secret",
                "gidNumber: 7200",
                "memberUid: ann");
        store.put(UUID.randomUUID(), group.getParsedDN(), group.getAttributes());
        assertThat(groups.of("ann", 7_001)).contains(7_200);
        put("ann", 7_009, 7_100, "dc=spillway");
        assertThat(groups.of("ann", 7_001)).isEmpty();
        assertThat(groups.of("ann", 7_009)).contains(7_200);
        assertThat(groups.loginName(7_001)).isEmpty();
        assertThat(groups.of("gone", 7_001)).isEmpty();
    }

    @Test
    void oneRuleForLoginsAtHomeAndAtTheDirector() {
        assertThat(PosixUser.isLogin("svc@realm")).isTrue();
        assertThat(PosixUser.isLogin("with$dollar")).isTrue();
        assertThat(PosixUser.isLogin("two words")).isFalse();
        assertThat(PosixUser.isLogin("-rf")).isFalse();
        assertThat(PosixUser.isLogin("a\nb")).isFalse();
    }
}
