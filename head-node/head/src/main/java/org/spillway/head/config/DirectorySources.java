package org.spillway.head.config;

import java.net.URI;
import java.time.InstantSource;
import org.spillway.director.directory.DirectorySchema;
import org.spillway.director.directory.DirectorySource;
import org.spillway.director.directory.FileSource;
import org.spillway.director.directory.LdapEndpoint;
import org.spillway.director.directory.LdapSource;
import org.spillway.director.directory.NssSource;
import org.spillway.director.directory.PagedSource;
import org.spillway.director.directory.SavedDirectory;

/** Where users come from, as configured. */
public final class DirectorySources {
    private static final int LDAP_PORT = 389;
    private static final int LDAPS_PORT = 636;

    private DirectorySources() {}

    /** A source that has not begun to read. */
    public static DirectorySource of(DirectorySetting directory) {
        return switch (directory) {
            case DirectorySetting.Nss nss -> new NssSource(nss.minUid(), System.getProperty("user.name"));
            case DirectorySetting.AccountFiles files ->
                new FileSource(files.passwd(), files.group(), files.minUid(), System.getProperty("user.name"));
            case DirectorySetting.Ldap ldap ->
                ldap.schema() == DirectorySchema.RFC2307
                        ? new LdapSource(endpoint(ldap))
                        : new PagedSource(
                                endpoint(ldap), ldap.schema(), PagedSource.USUAL_PAUSE, InstantSource.system());
        };
    }

    /** The copy of the source that is configured, for a head that starts while it is away. */
    public static SavedDirectory saved(HeadConfig config) {
        return SavedDirectory.in(
                config.state().resolve("directory.saved"), config.directory().toString());
    }

    private static LdapEndpoint endpoint(DirectorySetting.Ldap ldap) {
        URI url = URI.create(ldap.url());
        boolean ldaps = "ldaps".equals(url.getScheme());
        LdapEndpoint.Security security = ldaps
                ? LdapEndpoint.Security.LDAPS
                : ldap.startTls() ? LdapEndpoint.Security.START_TLS : LdapEndpoint.Security.PLAIN;
        int port = url.getPort() > 0 ? url.getPort() : ldaps ? LDAPS_PORT : LDAP_PORT;
        LdapEndpoint.Password password =
                ldap.passwordFile().map(LdapEndpoint::passwordFile).orElse(() -> "");
        return new LdapEndpoint(url.getHost(), port, security, ldap.caFile(), ldap.base(), ldap.bindDn(), password);
    }
}
