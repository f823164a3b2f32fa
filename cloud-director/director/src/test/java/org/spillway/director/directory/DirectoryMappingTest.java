package org.spillway.director.directory;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.Entry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.spillway.director.FuzzSeeds;

/** I5: member, uniqueMember, groups in groups, and Active Directory's attributes were dropped in silence. */
final class DirectoryMappingTest {
    private static final DN THEIRS = DirectoryStore.dn("dc=example,dc=org");
    private static final DN OURS = DirectoryStore.dn("dc=cluster");
    private static final Instant NOW = Instant.parse("2026-11-24T00:00:00Z");

    @Test
    void membersByNameAndThroughLoopsOfGroupsAreMembers() throws Exception {
        DirectoryStore store = store(
                DirectorySchema.RFC2307BIS,
                person("ann", 5001),
                person("ben", 5002),
                person("cat", 5003),
                new Entry(
                        "dn: cn=all,ou=g,dc=example,dc=org",
                        "objectClass: groupOfNames",
                        "objectClass: posixGroup",
                        "cn: all",
                        "gidNumber: 6000",
                        "memberUid: cat",
                        "member: cn=some,ou=g,dc=example,dc=org",
                        "member: not a name",
                        "member: uid=nobody,ou=p,dc=example,dc=org"),
                new Entry(
                        "dn: cn=some,ou=g,dc=example,dc=org",
                        "objectClass: groupOfUniqueNames",
                        "cn: some",
                        "uniqueMember: UID=Ann, ou=P, dc=example, dc=org",
                        "uniqueMember: uid=ben,ou=p,dc=example,dc=org#'0101'B",
                        "uniqueMember: cn=all,ou=g,dc=example,dc=org"));
        assertThat(store.members("all")).containsExactly("ann", "ben", "cat");
        assertThat(store.groupsOf("ben")).extracting(PosixGroup::name).containsExactly("all");
        // Not a group with a number: it carries members and is none itself.
        assertThat(store.members("some")).isEmpty();
        assertThat(store.user("ann")).contains(new PosixUser("ann", 5001, 5001, "", "/home/ann", "/bin/bash"));
    }

    @Test
    void twoOfOneLoginAreTwoHereToo() throws Exception {
        Entry other = person("ann", 5009);
        other.setDN("uid=ann,ou=guests,dc=example,dc=org");
        DirectoryStore store = store(DirectorySchema.RFC2307BIS, person("ann", 5001), other);
        assertThat(store.user("ann")).isEmpty();
        assertThat(store.sameAccounts("ann", 5001))
                .containsExactly("uid=ann,ou=guests,dc=cluster", "uid=ann,ou=p,dc=cluster");
    }

    @Test
    void activeDirectorySaysItInItsOwnWords() throws Exception {
        var read = new ArrayList<>(List.of(
                account("alice", 20001, 512, 0, 513, "gidNumber: 20000"),
                account("bob", 20002, 514, Long.MAX_VALUE, 513, "gidNumber: 20000"),
                account("dave", 20003, 512, Long.MAX_VALUE, 513, "description: x"),
                account("erin", 20004, 512, 131_000_000_000_000_000L, 513, "gidNumber: 20000"),
                adGroup("Domain Users", 513, "gidNumber: 20900"),
                adGroup("physics", 1104, "gidNumber: 20101", "member: CN=dave,OU=People,DC=example,DC=org"),
                adGroup(
                        "research",
                        1105,
                        "gidNumber: 20100",
                        "member: CN=physics,OU=Groups,DC=example,DC=org",
                        "member: CN=bob,OU=People,DC=example,DC=org"),
                adGroup("plain", 1106, "member: CN=alice,OU=People,DC=example,DC=org")));
        Entry machine = account("dc1$", 20005, 4096, 0, 513, "gidNumber: 1");
        machine.addAttribute("objectClass", "computer");
        read.add(machine);
        var mapped = DirectoryMapping.of(read, DirectorySchema.AD, THEIRS, OURS, NOW);
        var store = new DirectoryStore("dc=cluster");
        store.replaceAll(mapped.entries());
        assertThat(store.user("alice")).contains(new PosixUser("alice", 20001, 20000, "", "/home/alice", "/bin/bash"));
        assertThat(store.user("dave").map(PosixUser::gidNumber))
                .as("its primary group, which has a number")
                .isEqualTo(Optional.of(20900L));
        assertThat(store.groupsOf("dave"))
                .extracting(PosixGroup::name)
                .containsExactlyInAnyOrder("physics", "research", "Domain Users");
        assertThat(store.user("bob")).isEmpty();
        assertThat(store.user("erin")).isEmpty();
        assertThat(store.user("dc1$")).isEmpty();
        assertThat(store.members("research"))
                .as("one who is disabled is in no group")
                .containsExactly("dave");
        assertThat(store.members("Domain Users")).containsExactly("alice", "dave");
        assertThat(mapped.refused())
                .containsEntry("bob", "the account is disabled")
                .containsEntry("erin", "the account expired at 2016-02-15T08:53:20Z");
        // By time alone: the same account, a year before its end.
        var earlier =
                DirectoryMapping.of(read, DirectorySchema.AD, THEIRS, OURS, Instant.parse("2015-01-01T00:00:00Z"));
        assertThat(earlier.refused()).containsOnlyKeys("bob");
    }

    @Test
    void anyWebOfGroupsComesToAnEnd() throws Exception {
        for (long seed : FuzzSeeds.of("webs of groups", 200, 10_000)) {
            var random = new Random(seed);
            List<Entry> read = new ArrayList<>();
            int groups = 1 + random.nextInt(8);
            for (int n = 0; n < 5; n++) {
                read.add(person("u" + n, 5000 + n));
            }
            for (int n = 0; n < groups; n++) {
                var group = new Entry(
                        "dn: cn=g" + n + ",ou=g,dc=example,dc=org",
                        "objectClass: posixGroup",
                        "cn: g" + n,
                        "gidNumber: " + (6000 + n));
                for (int m = random.nextInt(4); m > 0; m--) {
                    group.addAttribute(
                            "member",
                            random.nextBoolean()
                                    ? "cn=g" + random.nextInt(groups) + ",ou=g,dc=example,dc=org"
                                    : "uid=u" + random.nextInt(5) + ",ou=p,dc=example,dc=org");
                }
                read.add(group);
            }
            var store = store(DirectorySchema.RFC2307BIS, read.toArray(Entry[]::new));
            for (Entry group : read.subList(5, read.size())) {
                // Whoever is in a group that is in this one is in this one.
                String[] members = group.getAttributeValues("member");
                for (String member : members == null ? new String[0] : members) {
                    String name = new DN(member).getRDN().getAttributeValues()[0];
                    if (name.startsWith("g")) {
                        assertThat(store.members(group.getAttributeValue("cn")))
                                .as("seed %d", seed)
                                .containsAll(store.members(name));
                    } else {
                        assertThat(store.members(group.getAttributeValue("cn")))
                                .as("seed %d", seed)
                                .contains(name);
                    }
                }
            }
        }
    }

    private static DirectoryStore store(DirectorySchema schema, Entry... read) {
        var store = new DirectoryStore("dc=cluster");
        store.replaceAll(
                DirectoryMapping.of(List.of(read), schema, THEIRS, OURS, NOW).entries());
        return store;
    }

    private static Entry person(String login, int uid) throws Exception {
        return new Entry(
                "dn: uid=" + login + ",ou=p,dc=example,dc=org",
                "objectClass: account",
                "objectClass: posixAccount",
                "uid: " + login,
                "uidNumber: " + uid,
                "gidNumber: " + uid,
                "homeDirectory: /home/" + login,
                "loginShell: /bin/bash",
                "userPassword: {SSHA}ForbiddenFruit");
    }

    private static Entry account(String login, int uid, int control, long expires, int primary, String more)
            throws Exception {
        return new Entry(
                "dn: CN=" + login + ",OU=People,DC=example,DC=org",
                "objectClass: top",
                "objectClass: user",
                "sAMAccountName: " + login,
                "uidNumber: " + uid,
                "unixHomeDirectory: /home/" + login,
                "loginShell: /bin/bash",
                "userAccountControl: " + control,
                "accountExpires: " + expires,
                "primaryGroupID: " + primary,
                more);
    }

    private static Entry adGroup(String name, int rid, String... more) throws Exception {
        var lines = new ArrayList<>(List.of(
                "dn: CN=" + name + ",OU=Groups,DC=example,DC=org", "objectClass: group", "sAMAccountName: " + name));
        lines.addAll(List.of(more));
        var entry = new Entry(lines.toArray(String[]::new));
        byte[] sid = ByteBuffer.allocate(24)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put((byte) 1)
                .put((byte) 5)
                .putShort((short) 0)
                .putInt(0x05000000)
                .putInt(21)
                .putInt(1)
                .putInt(2)
                .putInt(rid)
                .array();
        entry.addAttribute(new Attribute("objectSid", sid));
        return entry;
    }
}
