package org.spillway.proof.endtoend;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.List;
import java.util.UUID;
import org.spillway.director.directory.ContentSyncProvider;
import org.spillway.director.directory.DirectoryAccess;
import org.spillway.director.directory.DirectoryServer;
import org.spillway.director.directory.DirectoryStore;

/** A site's own LDAP with content synchronisation, which knows this process's user. */
final class HomeLdap implements AutoCloseable {
    private static final String PASSWORD = "of-the-head-at-home";
    private static final String BIND = "cn=head,dc=lab";

    private final DirectoryStore store = new DirectoryStore("dc=lab");
    private final DirectoryServer server;
    private final Path passwordFile;

    HomeLdap(Path folder) throws IOException {
        passwordFile = Files.createFile(
                folder.resolve("ldap-password"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(passwordFile, PASSWORD + "\n");
        add(System.getProperty("user.name"), (Integer) Files.getAttribute(passwordFile, "unix:uid"));
        store.markComplete();
        server = DirectoryServer.start(
                store,
                new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0),
                null,
                new DirectoryAccess(
                        false,
                        (dn, password) -> dn.equals(BIND)
                                && MessageDigest.isEqual(password, PASSWORD.getBytes(StandardCharsets.UTF_8))),
                new ContentSyncProvider(store, 4));
    }

    /** The head's section {@code directory}. */
    String section() {
        return "{ source: ldap, url: 'ldap://127.0.0.1:" + server.address().getPort() + "', base: 'dc=lab', bindDn: '"
                + BIND + "', passwordFile: '" + passwordFile + "' }";
    }

    void add(String user, int uid) {
        store.put(
                id(user),
                dn(user),
                List.of(
                        new Attribute("objectClass", "top", "account", "posixAccount"),
                        new Attribute("uid", user),
                        new Attribute("cn", user),
                        new Attribute("uidNumber", Integer.toString(uid)),
                        new Attribute("gidNumber", Integer.toString(uid)),
                        new Attribute("homeDirectory", "/home/" + user),
                        new Attribute("loginShell", "/bin/sh"),
                        new Attribute("userPassword", "{SSHA}ForbiddenFruit")));
    }

    void remove(String user) {
        store.remove(id(user));
    }

    private static UUID id(String user) {
        return UUID.nameUUIDFromBytes(user.getBytes(StandardCharsets.UTF_8));
    }

    private static DN dn(String user) {
        try {
            return new DN("uid=" + user + ",ou=people,dc=lab");
        } catch (LDAPException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
