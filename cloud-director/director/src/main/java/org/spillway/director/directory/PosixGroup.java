package org.spillway.director.directory;

import com.unboundid.ldap.sdk.Entry;
import java.util.List;
import java.util.Optional;

/**
 * A group as the name service of a node needs it.
 *
 * @param members names; users whose primary group it is need not be among them
 */
public record PosixGroup(String name, long gidNumber, List<String> members) {
    public PosixGroup {
        members = List.copyOf(members);
    }

    /** Empty unless the entry is a posixGroup with a name and a number. */
    static Optional<PosixGroup> of(Entry entry) {
        String name = entry.getAttributeValue("cn");
        long gid = PosixUser.id(entry, "gidNumber");
        if (!entry.hasObjectClass("posixGroup") || name == null || gid < 0) {
            return Optional.empty();
        }
        String[] members = entry.getAttributeValues("memberUid");
        return Optional.of(new PosixGroup(name, gid, members == null ? List.of() : List.of(members)));
    }
}
