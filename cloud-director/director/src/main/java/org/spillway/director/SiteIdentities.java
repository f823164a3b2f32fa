package org.spillway.director;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import org.spillway.director.directory.DirectoryAccess;
import org.spillway.director.directory.DirectoryReplica;
import org.spillway.director.directory.DirectoryServer;
import org.spillway.director.wire.Directive.DirectoryGrant;
import org.spillway.director.wire.Report.DirectoryReport;
import org.spillway.director.wire.SiteAccounts.Account;

/** The LDAP replica, served to whoever shows a certificate of this site. */
final class SiteIdentities implements IdentitySource {
    private final DirectoryReplica replica;

    private SiteIdentities(DirectoryReplica replica) {
        this.replica = replica;
    }

    static SiteIdentities start(DirectorConfig config) throws IOException {
        var tls = SiteTls.context(config.serverKey(), config.serverCertificate(), config.siteCertificate());
        return new SiteIdentities(new DirectoryReplica(
                new InetSocketAddress(config.listenAddress(), config.ldapsPort()),
                new DirectoryServer.Tls(tls, true),
                config.baseDn(),
                DirectoryAccess.ANONYMOUS_READ));
    }

    int port() {
        return replica.address().getPort();
    }

    @Override
    public void follow(DirectoryGrant grant) {
        replica.follow(grant);
    }

    @Override
    public DirectoryReport report() {
        return replica.report();
    }

    @Override
    public String entries(String filter, List<String> attributes) {
        return replica.entries(filter, attributes);
    }

    @Override
    public int users() {
        return replica.users();
    }

    @Override
    public Optional<Account> account(String login) {
        return replica.account(login);
    }

    @Override
    public void close() {
        replica.close();
    }
}
