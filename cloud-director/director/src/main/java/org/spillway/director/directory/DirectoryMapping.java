package org.spillway.director.directory;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.RDN;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Entries of another schema as those of RFC 2307, which is all that a region reads. Pure. Attributes and meanings of
 * Active Directory: [MS-ADTS] 2.2.16 (userAccountControl) and [MS-ADA1] 2.3 (accountExpires).
 */
final class DirectoryMapping {
    private static final long ACCOUNT_DISABLED = 0x2;
    /** From 1601, where Active Directory's clock begins, to 1970. */
    private static final long SECONDS_TO_EPOCH = 11_644_473_600L;

    private static final long TICKS_PER_SECOND = 10_000_000;

    private final DirectorySchema schema;
    private final DN theirBase;
    private final DN ourBase;
    private final Instant now;

    private DirectoryMapping(DirectorySchema schema, DN theirBase, DN ourBase, Instant now) {
        this.schema = schema;
        this.theirBase = theirBase;
        this.ourBase = ourBase;
        this.now = now;
    }

    /**
     * @param entries posixAccount and posixGroup
     * @param refused why the account of a login is nobody's here, by login
     */
    record Mapped(List<Entry> entries, Map<String, String> refused) {
        Mapped {
            entries = List.copyOf(entries);
            refused = Map.copyOf(refused);
        }
    }

    /** @param now accounts that have expired by then are left out */
    static Mapped of(Collection<? extends Entry> read, DirectorySchema schema, DN theirBase, DN ourBase, Instant now) {
        return new DirectoryMapping(schema, theirBase, ourBase, now).mapped(read);
    }

    private Mapped mapped(Collection<? extends Entry> read) {
        Map<DN, Entry> all = new HashMap<>();
        read.forEach(entry -> all.put(DirectoryStore.parsed(entry), entry));
        Map<String, String> refused = new TreeMap<>();
        Map<DN, String> logins = new HashMap<>();
        var membership = new GroupMembers(all, logins);
        List<Entry> mapped = new ArrayList<>();
        for (Map.Entry<DN, Entry> each : all.entrySet()) {
            Entry entry = each.getValue();
            String login = isUser(entry)
                    ? entry.getAttributeValue(schema == DirectorySchema.AD ? "sAMAccountName" : "uid")
                    : null;
            if (login == null) {
                continue;
            }
            Optional<String> why = refusal(entry);
            if (why.isPresent()) {
                refused.put(login, why.get());
                continue;
            }
            logins.put(each.getKey(), login);
        }
        logins.forEach((dn, login) -> {
            Entry user = all.get(dn);
            if (user != null) {
                mapped.add(user(dn, login, user, membership));
            }
        });
        all.forEach((dn, entry) -> {
            if (isGroup(entry) && entry.hasAttribute("gidNumber")) {
                mapped.add(group(dn, entry, membership.of(dn)));
            }
        });
        return new Mapped(mapped, refused);
    }

    private boolean isUser(Entry entry) {
        return schema == DirectorySchema.AD
                ? entry.hasObjectClass("user") && !entry.hasObjectClass("computer") && entry.hasAttribute("uidNumber")
                : entry.hasObjectClass("posixAccount");
    }

    private boolean isGroup(Entry entry) {
        return entry.hasObjectClass(schema == DirectorySchema.AD ? "group" : "posixGroup");
    }

    private Optional<String> refusal(Entry entry) {
        if (schema != DirectorySchema.AD) {
            return Optional.empty();
        }
        Long control = entry.getAttributeValueAsLong("userAccountControl");
        if (control != null && (control & ACCOUNT_DISABLED) != 0) {
            return Optional.of("the account is disabled");
        }
        Long ticks = entry.getAttributeValueAsLong("accountExpires");
        if (ticks != null && ticks > 0 && ticks < Long.MAX_VALUE) {
            Instant end = Instant.EPOCH.plus(Duration.ofSeconds(ticks / TICKS_PER_SECOND - SECONDS_TO_EPOCH));
            if (!end.isAfter(now)) {
                return Optional.of("the account expired at " + end);
            }
        }
        return Optional.empty();
    }

    private Entry user(DN dn, String login, Entry from, GroupMembers membership) {
        List<Attribute> attributes = new ArrayList<>(List.of(
                new Attribute("objectClass", "top", "account", "posixAccount"),
                new Attribute("uid", login),
                new Attribute("cn", login)));
        keep(attributes, from, "uidNumber", "uidNumber");
        keep(attributes, from, "gecos", "gecos");
        keep(attributes, from, "loginShell", "loginShell");
        keep(attributes, from, "mail", "mail");
        keep(attributes, from, schema == DirectorySchema.AD ? "unixHomeDirectory" : "homeDirectory", "homeDirectory");
        String gid = from.getAttributeValue("gidNumber");
        if (gid == null && schema == DirectorySchema.AD) {
            gid = membership.primaryGid(from);
        }
        if (gid != null) {
            attributes.add(new Attribute("gidNumber", gid));
        }
        return new Entry(moved(dn), attributes);
    }

    private Entry group(DN dn, Entry from, Set<String> members) {
        String name = from.getAttributeValue(schema == DirectorySchema.AD ? "sAMAccountName" : "cn");
        List<Attribute> attributes = new ArrayList<>(List.of(new Attribute("objectClass", "top", "posixGroup")));
        keep(attributes, from, "gidNumber", "gidNumber");
        attributes.add(new Attribute("cn", name == null ? "" : name));
        if (!members.isEmpty()) {
            attributes.add(new Attribute("memberUid", members));
        }
        return new Entry(moved(dn), attributes);
    }

    private static void keep(List<Attribute> into, Entry from, String theirs, String ours) {
        String value = from.getAttributeValue(theirs);
        if (value != null) {
            into.add(new Attribute(ours, value));
        }
    }

    private DN moved(DN theirs) {
        return moved(theirs, theirBase, ourBase);
    }

    /** The same name below another base. */
    static DN moved(DN dn, DN from, DN to) {
        RDN[] below = dn.getRDNs();
        int depth = Math.max(0, below.length - from.getRDNs().length);
        RDN[] base = to.getRDNs();
        RDN[] result = new RDN[depth + base.length];
        System.arraycopy(below, 0, result, 0, depth);
        System.arraycopy(base, 0, result, depth, base.length);
        return new DN(result);
    }

    /** The name that a member's value means; null for none. A uniqueMember may have a bit string behind it. */
    static @Nullable DN member(String value) {
        try {
            return new DN(value.replaceFirst("#'[01]*'B$", ""));
        } catch (LDAPException notOne) {
            return null;
        }
    }
}
