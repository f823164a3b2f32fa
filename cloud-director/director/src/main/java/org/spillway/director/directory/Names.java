package org.spillway.director.directory;

import com.unboundid.ldap.sdk.Entry;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

/** Logins of all accounts and names of all groups of some entries. */
record Names(Set<String> users, Set<String> groups) {
    static Names of(Stream<? extends Entry> entries) {
        var names = new Names(new HashSet<>(), new HashSet<>());
        entries.forEach(entry -> {
            PosixUser.of(entry).ifPresent(user -> names.users.add(user.name()));
            String group = entry.getAttributeValue("cn");
            if (group != null && entry.hasObjectClass("posixGroup")) {
                names.groups.add(group);
            }
        });
        return names;
    }

    /** How many of these others lack, and how many there are. */
    Doubt.Lack ofUsers(Set<String> others) {
        return new Doubt.Lack(
                (int) users.stream().filter(name -> !others.contains(name)).count(), users.size());
    }

    Doubt.Lack ofGroups(Set<String> others) {
        return new Doubt.Lack(
                (int) groups.stream().filter(name -> !others.contains(name)).count(), groups.size());
    }
}
