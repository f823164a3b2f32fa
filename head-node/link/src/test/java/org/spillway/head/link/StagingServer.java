package org.spillway.head.link;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.List;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.file.virtualfs.VirtualFileSystemFactory;
import org.apache.sshd.common.keyprovider.KeyPairProvider;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.shell.ProcessShellCommandFactory;
import org.apache.sshd.sftp.server.SftpSubsystemFactory;

/** An SSH server with this machine's files and shell, and a client that trusts it. */
final class StagingServer implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final SshServer server = SshServer.setUpDefaultServer();
    private final SshClient client = SshClient.setUpDefaultClient();
    private final KeyPair key;

    StagingServer() throws IOException, GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        key = generator.generateKeyPair();
        server.setHost("127.0.0.1");
        server.setKeyPairProvider(KeyPairProvider.wrap(key));
        server.setPublickeyAuthenticator((user, offered, any) -> offered.equals(key.getPublic()));
        server.setFileSystemFactory(new VirtualFileSystemFactory(Path.of("/")));
        server.setSubsystemFactories(List.of(new SftpSubsystemFactory()));
        server.setCommandFactory(ProcessShellCommandFactory.INSTANCE);
        server.start();
        client.setServerKeyVerifier((any, address, offered) -> offered.equals(key.getPublic()));
        client.start();
    }

    ClientSession connect() throws IOException {
        ClientSession session = client.connect("tester", "127.0.0.1", server.getPort())
                .verify(PATIENCE)
                .getSession();
        session.addPublicKeyIdentity(key);
        session.auth().verify(PATIENCE);
        return session;
    }

    /** Ends one of the connections that send something, as a line does that is cut. */
    void cutOne() throws IOException {
        Session last = null;
        for (Session session : server.getActiveSessions()) {
            last = last == null
                            || session.getIoSession().getId()
                                    > last.getIoSession().getId()
                    ? session
                    : last;
        }
        if (last == null) {
            throw new IOException("nobody is connected");
        }
        last.close(true);
    }

    @Override
    public void close() throws IOException {
        client.stop();
        server.stop(true);
    }
}
