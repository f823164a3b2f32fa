package org.spillway.director.directory;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.RDN;
import com.unboundid.ldap.sdk.ReadOnlyEntry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * The list of entries and attributes that may enter a store. A list of what is allowed and not of what is forbidden, so
 * that a site's own attribute that holds a secret under a name that nobody here knows stays outside as well.
 */
final class EntryWhitelist {
    /** Asked for by name when a source is read, so that a secret is not even sent. */
    static final List<String> ATTRIBUTES = List.of(
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
            "ou",
            "o",
            "dc");

    private static final Map<String, String> SPELLING = spelling();
    private static final Set<String> CLASSES = Set.of(
            "top",
            "account",
            "person",
            "organizationalperson",
            "inetorgperson",
            "posixaccount",
            "posixgroup",
            "organizationalunit",
            "organization",
            "dcobject",
            "domain");
    private static final Set<String> NAMING = Set.of("uid", "cn", "ou", "o", "dc", "c", "l", "st");

    /** {SCHEME}hash and $id$salt$hash: somebody typed a hash into a field that is public. */
    private static final Pattern HASH = Pattern.compile("\\{[A-Za-z0-9/-]+}.+|\\$[0-9A-Za-z-]+\\$.+");

    private static final int LONGEST_VALUE_BYTES = 4_096;
    private static final int MOST_VALUES = 65_536;

    private EntryWhitelist() {}

    /** The admissible part of an entry, with its entryUUID; empty when nothing of use is left. */
    static Optional<ReadOnlyEntry> admit(DN dn, Collection<Attribute> attributes, UUID id) {
        if (!namedByPublicAttributes(dn)) {
            return Optional.empty();
        }
        Map<String, List<String>> kept = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        for (Attribute attribute : attributes) {
            String name = SPELLING.get(attribute.getBaseName().toLowerCase(Locale.ROOT));
            if (name != null && !attribute.hasOptions()) {
                kept.computeIfAbsent(name, any -> new ArrayList<>()).addAll(publicValues(name, attribute));
            }
        }
        kept.values().removeIf(List::isEmpty);
        if (!kept.containsKey("objectClass")) {
            return Optional.empty();
        }
        List<Attribute> result = new ArrayList<>();
        kept.forEach((name, values) -> result.add(new Attribute(name, values)));
        result.add(new Attribute("entryUUID", id.toString()));
        return Optional.of(new ReadOnlyEntry(dn, result));
    }

    private static List<String> publicValues(String name, Attribute attribute) {
        Predicate<String> admissible = name.equals("objectClass")
                ? value -> CLASSES.contains(value.toLowerCase(Locale.ROOT))
                : EntryWhitelist::isPublic;
        return List.of(attribute.getValues()).stream()
                .filter(admissible)
                .limit(MOST_VALUES)
                .toList();
    }

    private static boolean isPublic(String value) {
        return !value.isEmpty()
                && value.length() <= LONGEST_VALUE_BYTES
                && value.chars().noneMatch(Character::isISOControl)
                && !HASH.matcher(value).matches();
    }

    private static boolean namedByPublicAttributes(DN dn) {
        for (RDN rdn : dn.getRDNs()) {
            for (String name : rdn.getAttributeNames()) {
                if (!NAMING.contains(name.toLowerCase(Locale.ROOT))) {
                    return false;
                }
            }
            for (String value : rdn.getAttributeValues()) {
                if (!isPublic(value)) {
                    return false;
                }
            }
        }
        return !dn.isNullDN();
    }

    private static Map<String, String> spelling() {
        Map<String, String> names = new TreeMap<>();
        ATTRIBUTES.forEach(name -> names.put(name.toLowerCase(Locale.ROOT), name));
        return Map.copyOf(names);
    }

    /** Attributes of a base; none for a name that cannot be one. */
    static List<Attribute> ofBase(DN base) {
        RDN rdn = base.getRDN();
        String name = rdn == null ? "" : rdn.getAttributeNames()[0];
        String value = rdn == null ? "" : rdn.getAttributeValues()[0];
        return switch (name) {
            case "dc" -> List.of(new Attribute("objectClass", "top", "domain"), new Attribute("dc", value));
            case "o" -> List.of(new Attribute("objectClass", "top", "organization"), new Attribute("o", value));
            case "ou" -> List.of(new Attribute("objectClass", "top", "organizationalUnit"), new Attribute("ou", value));
            default -> List.of();
        };
    }
}
