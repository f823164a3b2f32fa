package org.spillway.director.directory;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ReadOnlyEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.util.List;

/** A search whose answer is LDIF (RFC 2849), each line in one piece: for callers that speak HTTPS and no LDAP. */
final class DirectoryText {
    private static final int NO_WRAPPING = 0;

    private DirectoryText() {}

    /**
     * @param filter RFC 4515
     * @param attributes names; empty for all but operational ones
     * @throws IllegalArgumentException if the filter is malformed
     */
    static String of(DirectoryStore store, String filter, List<String> attributes) {
        EntryProjection projection = new EntryProjection(attributes, false);
        StringBuilder text = new StringBuilder();
        for (ReadOnlyEntry entry : search(store, filter)) {
            List<Attribute> shown = projection.of(entry).getAttributes();
            new Entry(entry.getDN(), shown).toLDIFString(text, NO_WRAPPING);
            text.append('\n');
        }
        return text.toString();
    }

    private static List<ReadOnlyEntry> search(DirectoryStore store, String filter) {
        try {
            List<ReadOnlyEntry> found = store.search(store.base(), SearchScope.SUB, Filter.create(filter));
            return found == null ? List.of() : found;
        } catch (LDAPException e) {
            throw new IllegalArgumentException("filter: " + e.getMessage(), e);
        }
    }
}
