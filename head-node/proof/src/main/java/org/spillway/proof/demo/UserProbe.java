package org.spillway.proof.demo;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import org.spillway.api.SiteView;
import org.spillway.head.bootstrap.DirectorSettings;
import org.spillway.head.trust.SiteAuthority;

/**
 * Asks a site's director for a user, as its nodes do: by LDAP over TLS with a certificate of the head's authority, on the
 * address that nodes reach.
 */
final class UserProbe {
    private static final int LIMIT_MILLIS = 2000;
    private static final String BASE_DN = "dc=spillway";

    private final Path state;

    /** @param state the head's, whose secrets this process may read */
    UserProbe(Path state) {
        this.state = state;
    }

    /** @return the user's number there; -1 when it is not there (yet) or nobody answers */
    int find(SiteView site, String user) {
        if (site.address().isEmpty() || site.director().isEmpty()) {
            return -1;
        }
        var options = new LDAPConnectionOptions();
        options.setConnectTimeoutMillis(LIMIT_MILLIS);
        options.setResponseTimeoutMillis(LIMIT_MILLIS);
        try {
            var tls = SiteAuthority.beside(state, InstantSource.system()).tlsTo(site.director(), site.name());
            try (var connection =
                    new LDAPConnection(tls.getSocketFactory(), options, site.address(), DirectorSettings.LDAPS_PORT)) {
                var entry = connection.searchForEntry(
                        BASE_DN, SearchScope.SUB, "(&(objectClass=posixAccount)(uid=" + user + "))", "uidNumber");
                Integer number = entry == null ? null : entry.getAttributeValueAsInteger("uidNumber");
                return number == null ? -1 : number;
            }
        } catch (LDAPException | IOException notYet) {
            return -1;
        }
    }
}
