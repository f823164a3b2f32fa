package org.spillway.director.directory;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.RDN;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Turns the lines of {@code getent passwd} and {@code getent group} into entries. System accounts stay at home: in the
 * cloud the same number or name may mean somebody else, and a group like docker or sudo may give more than it should.
 */
final class NssAccounts {
    private static final long NOBODY = 65_534;
    private static final long LARGEST_ID = 4_294_967_294L;

    private final DN people;
    private final DN groups;
    private final long minUid;
    private final String ownUser;

    /** @param ownUser taken even when its uid is below {@code minUid} */
    NssAccounts(DN base, long minUid, String ownUser) {
        this.people = new DN(new RDN("ou", "people"), base);
        this.groups = new DN(new RDN("ou", "groups"), base);
        this.minUid = minUid;
        this.ownUser = ownUser;
    }

    /** Lines that are not well-formed are passed over: one bad line must not hide everybody else. */
    List<Entry> entries(List<String> passwd, List<String> group) {
        Map<String, Entry> users = new LinkedHashMap<>();
        Set<Long> primary = new HashSet<>();
        List<Entry> result = new ArrayList<>();
        for (String line : passwd) {
            String[] field = line.split(":", -1);
            if (field.length == 7 && !field[0].isEmpty() && taken(field[0], id(field[2])) && id(field[3]) >= 0) {
                Entry first = users.putIfAbsent(field[0], user(field, people));
                if (first != null && !field[2].equals(first.getAttributeValue("uidNumber"))) {
                    // Another person of the same login: kept beside the first, so that neither is taken for the other.
                    result.add(user(field, new DN(new RDN("ou", "uid " + field[2]), people)));
                }
                primary.add(id(field[3]));
            }
        }
        result.add(unit(people, "people"));
        result.add(unit(groups, "groups"));
        result.addAll(users.values());
        Set<String> seen = new HashSet<>();
        for (String line : group) {
            group(line.split(":", -1), users.keySet(), primary)
                    .filter(entry -> seen.add(entry.getDN()))
                    .ifPresent(result::add);
        }
        return result;
    }

    private boolean taken(String name, long uid) {
        return uid >= 0 && (name.equals(ownUser) || (uid >= minUid && uid != NOBODY));
    }

    private static Entry user(String[] field, DN above) {
        List<Attribute> attributes = new ArrayList<>(List.of(
                new Attribute("objectClass", "top", "account", "posixAccount"),
                new Attribute("uid", field[0]),
                new Attribute("cn", field[0]),
                new Attribute("uidNumber", field[2]),
                new Attribute("gidNumber", field[3]),
                new Attribute("homeDirectory", field[5])));
        if (!field[4].isEmpty()) {
            attributes.add(new Attribute("gecos", field[4]));
        }
        if (!field[6].isEmpty()) {
            attributes.add(new Attribute("loginShell", field[6]));
        }
        return new Entry(new DN(new RDN("uid", field[0]), above), attributes);
    }

    private Optional<Entry> group(String[] field, Set<String> users, Set<Long> primary) {
        long gid = field.length == 4 ? id(field[2]) : -1;
        boolean wanted = primary.contains(gid) || (gid >= minUid && gid != NOBODY);
        if (gid < 0 || field[0].isEmpty() || !wanted) {
            return Optional.empty();
        }
        List<String> members = new ArrayList<>(List.of(field[3].split(",", -1)));
        members.retainAll(users);
        List<Attribute> attributes = new ArrayList<>(List.of(
                new Attribute("objectClass", "top", "posixGroup"),
                new Attribute("cn", field[0]),
                new Attribute("gidNumber", field[2])));
        if (!members.isEmpty()) {
            attributes.add(new Attribute("memberUid", members));
        }
        return Optional.of(new Entry(new DN(new RDN("cn", field[0]), groups), attributes));
    }

    private static Entry unit(DN dn, String name) {
        return new Entry(dn, new Attribute("objectClass", "top", "organizationalUnit"), new Attribute("ou", name));
    }

    /** The number, or -1 for what is no id. */
    static long id(String text) {
        if (!text.matches("[0-9]{1,10}")) {
            return -1;
        }
        long value = Long.parseLong(text);
        return value > LARGEST_ID ? -1 : value;
    }
}
