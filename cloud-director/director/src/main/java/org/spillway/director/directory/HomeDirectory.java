package org.spillway.director.directory;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.RDN;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import org.spillway.director.wire.Directive.DirectoryGrant;

/**
 * The head's directory: what a source says, offered to the directors on a loopback port that the SSH links forward.
 * Nothing is offered before the source has been read once, so that a head that just started does not look like one
 * without users.
 */
public final class HomeDirectory implements AutoCloseable {
    private static final int MOST_DIRECTORS = 256;

    private final DirectoryStore store;
    private final DirectorySource source;
    private final DirectoryServer server;
    private final DirectoryKeeper keeper;
    private final DN directors;
    private final Function<String, Optional<String>> passwords;

    /**
     * @param saved what is known until the source has been read; a store that it fills is offered at once
     * @param passwords of a site, empty for one that is not known (any more); asked at each bind
     * @throws IOException when no loopback port can be had
     */
    public HomeDirectory(
            String baseDn, DirectorySource source, Function<String, Optional<String>> passwords, SavedDirectory saved)
            throws IOException {
        this.store = new DirectoryStore(baseDn);
        this.keeper = new DirectoryKeeper(store, saved, source::trouble);
        this.source = source;
        this.passwords = passwords;
        this.directors = new DN(new RDN("ou", "directors"), store.base());
        this.server = DirectoryServer.start(
                store,
                new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0),
                null,
                new DirectoryAccess(false, this::allows),
                new ContentSyncProvider(store, MOST_DIRECTORS));
        saved.load(store);
        source.start(store);
        keeper.start();
    }

    private boolean allows(String dn, byte[] password) {
        return site(dn).flatMap(passwords)
                .filter(known -> !known.isEmpty())
                .map(known -> MessageDigest.isEqual(known.getBytes(StandardCharsets.UTF_8), password))
                .orElse(false);
    }

    private Optional<String> site(String text) {
        try {
            DN dn = new DN(text);
            RDN rdn = dn.getRDN();
            if (rdn == null
                    || rdn.isMultiValued()
                    || !directors.equals(dn.getParent())
                    || !rdn.getAttributeNames()[0].toLowerCase(Locale.ROOT).equals("cn")) {
                return Optional.empty();
            }
            return Optional.of(rdn.getAttributeValues()[0]);
        } catch (LDAPException e) {
            return Optional.empty();
        }
    }

    public String bindDn(String site) {
        return new DN(new RDN("cn", site), directors).toString();
    }

    /** The port on 127.0.0.1 that a link has to forward to. */
    public int port() {
        return server.address().getPort();
    }

    /**
     * The grant that a director is told, {@link DirectoryGrant#NONE} for a site without a password.
     *
     * @param forwardedPort the port on the director's loopback that leads to {@link #port()}; 0 when there is none
     */
    public DirectoryGrant grant(String site, int forwardedPort) {
        return passwords
                .apply(site)
                .filter(password -> forwardedPort > 0)
                .map(password -> new DirectoryGrant(forwardedPort, store.base().toString(), bindDn(site), password))
                .orElse(DirectoryGrant.NONE);
    }

    /** Look-ups, and waiting. */
    public DirectoryStore store() {
        return store;
    }

    /** Why the content may be out of date; empty when all is well. */
    public String trouble() {
        return source.trouble();
    }

    /** Why a login is not found that may be in the directory: it may not work, or nobody can be asked; empty for neither. */
    public Optional<String> refusal(String login) {
        return source.refusal(login)
                .or(() -> away().map(since -> "which is away since " + since.truncatedTo(ChronoUnit.SECONDS)
                        + ", and who is new waits for it"));
    }

    /** Since when the source is away; empty while it is there. */
    public Optional<Instant> away() {
        return keeper.away();
    }

    /** A user of that login is about to have a job: a source that lists nobody is asked for this one. */
    public void lookUp(String login) {
        source.lookUp(store, login);
    }

    @Override
    public void close() {
        keeper.close();
        source.close();
        server.close();
    }
}
