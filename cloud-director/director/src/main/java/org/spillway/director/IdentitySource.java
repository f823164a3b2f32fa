package org.spillway.director;

import java.util.List;
import java.util.Optional;
import org.spillway.director.wire.Directive.DirectoryGrant;
import org.spillway.director.wire.Report.DirectoryReport;
import org.spillway.director.wire.SiteAccounts.Account;

/** The users and groups that this site's nodes may ask for, kept equal to the head's. */
public interface IdentitySource extends AutoCloseable {
    /** Follows the head's directory where it can be read now. Returns at once; the same grant again changes nothing. */
    void follow(DirectoryGrant grant);

    DirectoryReport report();

    /**
     * Entries that a search finds, as LDIF (RFC 2849) with each line in one piece; empty while nothing has been copied
     * yet.
     *
     * @param filter RFC 4515
     * @param attributes names; empty for all
     * @throws IllegalArgumentException if the filter is malformed
     */
    String entries(String filter, List<String> attributes);

    /** Number of accounts. */
    int users();

    /** A user with all groups; empty for a login that is not there, or that several accounts claim. */
    Optional<Account> account(String login);

    @Override
    void close();
}
