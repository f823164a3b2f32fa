package org.spillway.director.directory;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.Entry;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Who is in a group: by login, by name, by primary group, and through groups in it; a loop of groups ends by itself. */
final class GroupMembers {
    private final Map<DN, Entry> all;
    private final Map<DN, String> logins;
    private @Nullable Map<Long, List<String>> byPrimaryRid;
    private @Nullable Map<Long, String> gidByRid;
    private final Map<DN, Members> direct = new HashMap<>();

    private record Members(Set<String> logins, List<DN> groups) {}

    /** @param logins of accounts that may work, by name; read when the first question is asked */
    GroupMembers(Map<DN, Entry> all, Map<DN, String> logins) {
        this.all = all;
        this.logins = logins;
    }

    /** Logins, sorted. */
    Set<String> of(DN group) {
        Set<String> found = new TreeSet<>();
        Set<DN> seen = new HashSet<>(Set.of(group));
        Deque<DN> open = new ArrayDeque<>(seen);
        while (!open.isEmpty()) {
            Members members = direct.computeIfAbsent(open.pop(), this::direct);
            found.addAll(members.logins());
            members.groups().stream().filter(seen::add).forEach(open::push);
        }
        return found;
    }

    private Members direct(DN group) {
        Set<String> found = new HashSet<>();
        List<DN> groups = new ArrayList<>();
        Entry entry = all.get(group);
        if (entry == null) {
            return new Members(found, groups);
        }
        found.addAll(List.of(values(entry, "memberUid")));
        for (String attribute : List.of("member", "uniqueMember")) {
            for (String value : values(entry, attribute)) {
                DN name = DirectoryMapping.member(value);
                if (name == null) {
                    continue;
                }
                String login = logins.get(name);
                if (login != null) {
                    found.add(login);
                } else if (all.containsKey(name)) {
                    groups.add(name);
                }
            }
        }
        found.addAll(byPrimaryRid().getOrDefault(rid(entry), List.of()));
        return new Members(found, groups);
    }

    /** The gidNumber of the group that Active Directory calls primary; null when it has none. */
    @Nullable
    String primaryGid(Entry user) {
        Map<Long, String> known = gidByRid;
        if (known == null) {
            Map<Long, String> made = new HashMap<>();
            all.values().forEach(entry -> {
                String gid = entry.hasObjectClass("group") ? entry.getAttributeValue("gidNumber") : null;
                if (gid != null && rid(entry) >= 0) {
                    made.put(rid(entry), gid);
                }
            });
            gidByRid = made;
            known = made;
        }
        Long primary = user.getAttributeValueAsLong("primaryGroupID");
        return primary == null ? null : known.get(primary);
    }

    private Map<Long, List<String>> byPrimaryRid() {
        Map<Long, List<String>> known = byPrimaryRid;
        if (known == null) {
            Map<Long, List<String>> made = new HashMap<>();
            logins.forEach((dn, login) -> {
                Entry user = all.get(dn);
                Long primary = user == null ? null : user.getAttributeValueAsLong("primaryGroupID");
                if (primary != null) {
                    made.computeIfAbsent(primary, any -> new ArrayList<>()).add(login);
                }
            });
            byPrimaryRid = made;
            known = made;
        }
        return known;
    }

    /** The last number of an objectSid, little-endian; -1 without one. Source: [MS-DTYP] 2.4.2.2. */
    static long rid(Entry entry) {
        byte[] sid = entry.getAttributeValueBytes("objectSid");
        return sid == null || sid.length < 12
                ? -1
                : Integer.toUnsignedLong(
                        ByteBuffer.wrap(sid).order(ByteOrder.LITTLE_ENDIAN).getInt(sid.length - 4));
    }

    private static String[] values(Entry entry, String name) {
        String[] values = entry.getAttributeValues(name);
        return values == null ? new String[0] : values;
    }
}
