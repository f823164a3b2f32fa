package org.spillway.director.directory;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPURL;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * All that a server gives by pages (RFC 2696): every page to its end, or an exception.
 *
 * @param references addresses of other servers, to which it leads for parts that it does not hold
 */
record PagedAnswer(List<Entry> entries, List<String> references) {
    private static final int PAGE_ENTRIES = 500;
    private static final int MOST_RANGES = 2_000;
    /** Active Directory sends pages without entries where it looks for long. */
    private static final int MOST_EMPTY_PAGES = 1_000;

    private static final int MOST_REFERENCES = 1_000;
    private static final Pattern RANGE = Pattern.compile("range=[0-9]+-([0-9]+)");

    PagedAnswer {
        entries = List.copyOf(entries);
        references = List.copyOf(references);
    }

    static PagedAnswer of(LDAPConnection connection, String base, DirectorySchema schema) throws LDAPException {
        List<Entry> all = new ArrayList<>();
        List<String> references = new ArrayList<>();
        ASN1OctetString cookie = null;
        int empty = 0;
        do {
            var request = new SearchRequest(
                    base, SearchScope.SUB, schema.filter(), schema.attributes().toArray(String[]::new));
            request.addControl(new SimplePagedResultsControl(PAGE_ENTRIES, cookie, false));
            SearchResult page = connection.search(request);
            List<? extends Entry> entries = Objects.requireNonNull(page.getSearchEntries());
            for (Entry entry : entries) {
                all.add(whole(entry, connection));
            }
            for (SearchResultReference reference : Objects.requireNonNull(page.getSearchReferences())) {
                if (references.size() < MOST_REFERENCES) {
                    references.addAll(List.of(reference.getReferralURLs()));
                }
            }
            empty = entries.isEmpty() ? empty + 1 : 0;
            if (empty > MOST_EMPTY_PAGES) {
                throw new LDAPException(ResultCode.LOCAL_ERROR, "it sends pages without entries, and no end");
            }
            if (all.size() > DirectoryStore.MOST_ENTRIES) {
                throw new LDAPException(
                        ResultCode.LOCAL_ERROR, "it has more than " + DirectoryStore.MOST_ENTRIES + " entries");
            }
            cookie = following(page, cookie);
        } while (cookie != null);
        return new PagedAnswer(all, references);
    }

    /** @return null behind the last page */
    private static @Nullable ASN1OctetString following(SearchResult page, @Nullable ASN1OctetString before)
            throws LDAPException {
        var answer = SimplePagedResultsControl.get(page);
        if (answer == null && before != null) {
            // Another server behind one address: what it gave is a part of nobody knows what.
            throw new LDAPException(ResultCode.LOCAL_ERROR, "a page of it does not say whether it is the last");
        }
        return answer != null && answer.moreResultsToReturn() ? answer.getCookie() : null;
    }

    /** Active Directory gives 1500 members at a time: {@code member;range=0-1499}. */
    private static Entry whole(Entry entry, LDAPConnection connection) throws LDAPException {
        Optional<Attribute> part = ranged(entry);
        if (part.isEmpty()) {
            return entry;
        }
        Entry whole = entry.duplicate();
        Attribute piece = part.get();
        for (int n = 0; n < MOST_RANGES; n++) {
            whole.removeAttribute(piece.getName());
            whole.addAttribute(new Attribute("member", piece.getValues()));
            Matcher end = RANGE.matcher(String.join(";", piece.getOptions()));
            if (!end.find()) {
                return whole;
            }
            String next = "member;range=" + (Long.parseLong(end.group(1)) + 1) + "-*";
            Entry more = connection.getEntry(entry.getDN(), next);
            Optional<Attribute> following = more == null ? Optional.empty() : ranged(more);
            if (following.isEmpty()) {
                throw new LDAPException(
                        ResultCode.LOCAL_ERROR, "the members of " + entry.getDN() + " changed meanwhile");
            }
            piece = following.get();
        }
        throw new LDAPException(ResultCode.LOCAL_ERROR, entry.getDN() + " has too many members");
    }

    private static Optional<Attribute> ranged(Entry entry) {
        return entry.getAttributes().stream()
                .filter(attribute -> attribute.getBaseName().equalsIgnoreCase("member") && attribute.hasOptions())
                .findFirst();
    }

    /** The address to which it leads for one of these, who were below {@code base}; empty for none. */
    String elsewhere(Collection<DN> lost, DN base) {
        for (String reference : references) {
            try {
                DN part = new LDAPURL(reference).getBaseDN();
                if (part.isDescendantOf(base, true) && lost.stream().anyMatch(dn -> dn.isDescendantOf(part, true))) {
                    return reference;
                }
            } catch (LDAPException notAnAddress) {
                continue;
            }
        }
        return "";
    }
}
