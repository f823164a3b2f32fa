package org.spillway.director.directory;

import java.util.List;

/** How a server writes down users and groups. */
public enum DirectorySchema {
    /** posixAccount and posixGroup with memberUid (RFC 2307). */
    RFC2307("", List.of()),

    /** The same with members by name, {@code member} or {@code uniqueMember}, and groups within groups. */
    RFC2307BIS(
            "(|(objectClass=posixAccount)(objectClass=posixGroup)(objectClass=groupOfNames)"
                    + "(objectClass=groupOfUniqueNames)(objectClass=groupOfMembers))",
            List.of(
                    "objectClass",
                    "uid",
                    "cn",
                    "uidNumber",
                    "gidNumber",
                    "gecos",
                    "homeDirectory",
                    "loginShell",
                    "mail",
                    "memberUid",
                    "member",
                    "uniqueMember")),

    /** Active Directory with the attributes of its POSIX schema filled in. */
    AD(
            "(|(&(objectCategory=person)(objectClass=user)(uidNumber=*))(objectClass=group))",
            List.of(
                    "objectClass",
                    "sAMAccountName",
                    "uidNumber",
                    "gidNumber",
                    "gecos",
                    "unixHomeDirectory",
                    "loginShell",
                    "mail",
                    "userAccountControl",
                    "accountExpires",
                    "objectSid",
                    "primaryGroupID",
                    "memberUid",
                    "member"));

    private final String filter;
    private final List<String> attributes;

    DirectorySchema(String filter, List<String> attributes) {
        this.filter = filter;
        this.attributes = attributes;
    }

    /** Which entries are read. */
    String filter() {
        return filter;
    }

    /** Asked for by name, so that a secret is not even sent. */
    List<String> attributes() {
        return attributes;
    }
}
