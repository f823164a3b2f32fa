package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.unboundid.ldap.sdk.Entry;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.spillway.director.directory.DirectoryStore;
import org.spillway.director.directory.PosixUser;
import org.spillway.head.journal.JobSpec;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.Identity;

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

    private static JobSpec spec(String user, int uid) {
        return Submissions.spec(uid, 1, null, List.of())
                .with(draft -> draft.owner = new JobSpec.Owner(user, uid, 7_100));
    }

    /** Results go to the number with which the job was submitted, while that is not another's. */
    @Test
    void aJobIsOfWhoItWasSubmittedAsOrOfNobody() throws Exception {
        put("ann", 7_001, 7_100, "dc=spillway");
        assertThat(groups.identity(spec("ann", 7_001))).isEqualTo(new Identity("ann", 7_001, 7_100, List.of()));

        put("ann", 7_009, 7_100, "dc=spillway");
        assertThat(groups.identity(spec("ann", 7_001)).uid())
                .as("another number, and nobody has the old one")
                .isEqualTo(7_001);

        put("bob", 7_001, 7_200, "dc=spillway");
        assertThatThrownBy(() -> groups.identity(spec("ann", 7_001)))
                .isInstanceOf(FileRefused.class)
                .hasMessage(
                        "uid 7001 is another's by now (uid=bob,dc=spillway), and ann, who submitted the job with it,"
                                + " has uid 7009: nothing of it is read or written until the directory says otherwise");
        assertThat(groups.identity(spec("bob", 7_001)).uid()).isEqualTo(7_001);
    }

    @Test
    void whoIsRenamedHasTheResultsOfBefore() throws Exception {
        put("anna", 7_001, 7_100, "dc=spillway");
        assertThat(groups.identity(spec("ann", 7_001))).isEqualTo(new Identity("ann", 7_001, 7_100, List.of()));
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
