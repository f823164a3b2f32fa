package org.spillway.director.directory;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PackedEntryTest {
    private static final UUID ID = UUID.fromString("00000000-0000-0000-0000-000000000017");

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 199, 200, 201, 254, 255, 256, 4_096})
    void aValueOfAnyLengthComesBack(int length) {
        String value = "ä" + "x".repeat(length);
        var entry = new Entry("uid=" + value + ",dc=spillway", new Attribute("uid", value, "x".repeat(length)));
        same(entry);
    }

    @Test
    void wordsThatMostEntriesHaveComeBackAsTheyWereWritten() {
        var entry = new Entry(
                "uid=ann,dc=spillway",
                new Attribute("objectClass", "top", "posixAccount", "POSIXACCOUNT", "inetOrgPerson"),
                new Attribute("uid", "ann", "uid", "1", "4", "5", "top"),
                new Attribute("loginShell", "/bin/bash"));
        same(entry);
        assertThat(PackedEntry.of(ID, entry).entry().getAttributeValues("objectClass"))
                .containsExactly("top", "posixAccount", "POSIXACCOUNT", "inetOrgPerson");
    }

    @Test
    void asManyValuesAsThereAreComeBack() {
        List<String> members = new ArrayList<>();
        for (int i = 0; i < 3_000; i++) {
            members.add("user" + i);
        }
        same(new Entry("cn=all,dc=spillway", new Attribute("cn", "all"), new Attribute("memberUid", members)));
    }

    private static void same(Entry entry) {
        var packed = PackedEntry.of(ID, entry);
        var withId = entry.duplicate();
        withId.addAttribute("entryUUID", ID.toString());
        assertThat(packed.entry()).isEqualTo(withId);
        assertThat(packed.dn()).isEqualTo(entry.getDN());
    }
}
