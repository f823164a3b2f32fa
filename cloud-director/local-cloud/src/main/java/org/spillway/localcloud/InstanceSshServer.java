package org.spillway.localcloud;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.sshd.common.NamedResource;
import org.apache.sshd.common.config.keys.AuthorizedKeyEntry;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.config.keys.PublicKeyEntryResolver;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyPairResourceWriter;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.util.net.SshdSocketAddress;
import org.apache.sshd.common.util.security.SecurityUtils;
import org.apache.sshd.core.CoreModuleProperties;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.auth.pubkey.UserAuthPublicKeyFactory;
import org.apache.sshd.server.forward.ForwardingFilter;
import org.apache.sshd.server.forward.RejectAllForwardingFilter;
import org.apache.sshd.server.forward.TcpForwardingFilter;
import org.apache.sshd.sftp.server.SftpSubsystemFactory;

/** The sshd of one instance, on its own address. Public keys only; they are read at each login, like OpenSSH does. */
final class InstanceSshServer implements AutoCloseable {
    private static final int WORKERS = 2;
    private final SshServer server;

    private InstanceSshServer(SshServer server) {
        this.server = server;
    }

    static InstanceSshServer start(
            InstanceRecord instance,
            Path directory,
            InstanceCommand.Starter starter,
            Predicate<String> isInstanceAddress)
            throws IOException {
        SshServer server = SshServer.setUpDefaultServer();
        CoreModuleProperties.NIO_WORKERS.set(server, WORKERS);
        server.setHost(instance.address());
        server.setPort(instance.sshPort());
        hostKey(directory);
        server.setKeyPairProvider(session -> currentHostKey(directory));
        Path authorized = directory.resolve("home/.ssh/authorized_keys");
        server.setUserAuthFactories(List.of(UserAuthPublicKeyFactory.INSTANCE));
        server.setPublickeyAuthenticator((user, key, session) -> isAuthorized(authorized, key));
        server.setCommandFactory((channel, command) -> new InstanceCommand(command, starter));
        server.setSubsystemFactories(List.of(new SftpSubsystemFactory.Builder()
                .withFileSystemAccessor(new InstanceFiles(directory))
                .build()));
        server.setForwardingFilter(ForwardingFilter.asForwardingFilter(
                RejectAllForwardingFilter.INSTANCE,
                RejectAllForwardingFilter.INSTANCE,
                forwards(instance.address(), isInstanceAddress)));
        server.start();
        return new InstanceSshServer(server);
    }

    private static TcpForwardingFilter forwards(String own, Predicate<String> isInstanceAddress) {
        Set<String> here = Set.of("127.0.0.1", "localhost", own);
        return new TcpForwardingFilter() {
            @Override
            public boolean canListen(SshdSocketAddress address, Session session) {
                return here.contains(address.getHostName());
            }

            @Override
            public boolean canConnect(Type type, SshdSocketAddress address, Session session) {
                return here.contains(address.getHostName()) || isInstanceAddress.test(address.getHostName());
            }
        };
    }

    private static boolean isAuthorized(Path file, PublicKey key) {
        try {
            for (AuthorizedKeyEntry entry : AuthorizedKeyEntry.readAuthorizedKeys(file)) {
                PublicKey allowed = entry.resolvePublicKey(null, PublicKeyEntryResolver.IGNORING);
                if (allowed != null && KeyUtils.compareKeys(allowed, key)) {
                    return true;
                }
            }
            return false;
        } catch (IOException | GeneralSecurityException | RuntimeException unreadable) {
            return false;
        }
    }

    /** Read for each session: bin/spillway-host-key may have replaced it, like sshd's own on a real machine. */
    private static Iterable<KeyPair> currentHostKey(Path directory) {
        try {
            return hostKey(directory);
        } catch (IOException gone) {
            return List.of();
        }
    }

    private static Iterable<KeyPair> hostKey(Path directory) throws IOException {
        Path file = directory.resolve("hostkey");
        try {
            if (!Files.exists(file)) {
                KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
                generator.initialize(new ECGenParameterSpec("secp256r1"));
                ByteArrayOutputStream pem = new ByteArrayOutputStream();
                OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(generator.generateKeyPair(), "", null, pem);
                StateDirectory.write(file, pem.toString(StandardCharsets.UTF_8));
            }
            Iterable<KeyPair> keys = SecurityUtils.loadKeyPairIdentities(
                    null,
                    NamedResource.ofName("host key"),
                    new ByteArrayInputStream(Files.readString(file).getBytes(StandardCharsets.UTF_8)),
                    null);
            if (keys == null || !keys.iterator().hasNext()) {
                throw new IOException("the host key of the user data is in no known format");
            }
            return keys;
        } catch (GeneralSecurityException bad) {
            throw new IOException("the host key of the user data cannot be read", bad);
        }
    }

    @Override
    public void close() throws IOException {
        server.stop(true);
    }
}
