package org.spillway.director.directory;

import com.unboundid.ldap.protocol.SearchResultEntryProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** The attributes of an entry that a search asked for. */
final class EntryProjection {
    private static final String OPERATIONAL = "entryUUID";

    private final Set<String> wanted = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    private final boolean allUser;
    private final boolean allOperational;
    private final boolean typesOnly;

    EntryProjection(List<String> requested, boolean typesOnly) {
        wanted.addAll(requested);
        this.allUser = requested.isEmpty() || wanted.contains("*");
        this.allOperational = wanted.contains("+");
        this.typesOnly = typesOnly;
    }

    SearchResultEntryProtocolOp of(Entry entry) {
        List<Attribute> attributes = new ArrayList<>();
        for (Attribute attribute : entry.getAttributes()) {
            boolean operational = attribute.getName().equals(OPERATIONAL);
            if (wanted.contains(attribute.getName()) || (operational ? allOperational : allUser)) {
                attributes.add(typesOnly ? new Attribute(attribute.getName()) : attribute);
            }
        }
        return new SearchResultEntryProtocolOp(entry.getDN(), attributes);
    }
}
