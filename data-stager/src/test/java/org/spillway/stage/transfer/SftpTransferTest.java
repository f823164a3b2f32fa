package org.spillway.stage.transfer;

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
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.shell.ProcessShellCommandFactory;
import org.apache.sshd.sftp.server.SftpSubsystemFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Against a MINA server, which has other limits and other extensions than OpenSSH. */
class SftpTransferTest extends OnDiskContract {
    static final int CALLS = 4;

    private static SshServer server;
    private static SshClient client;
    private static ClientSession session;
    private SftpTransfer transfer;

    @BeforeAll
    static void connect() throws IOException, GeneralSecurityException {
        KeyPair key = keyPair();
        server = SshServer.setUpDefaultServer();
        server.setHost("127.0.0.1");
        server.setKeyPairProvider(KeyPairProvider.wrap(key));
        server.setPublickeyAuthenticator((user, offered, any) -> offered.equals(key.getPublic()));
        server.setFileSystemFactory(new VirtualFileSystemFactory(Path.of("/")));
        server.setSubsystemFactories(List.of(new SftpSubsystemFactory()));
        server.setCommandFactory(ProcessShellCommandFactory.INSTANCE);
        server.start();
        client = SshClient.setUpDefaultClient();
        client.setServerKeyVerifier((any, address, offered) -> offered.equals(key.getPublic()));
        client.start();
        session = connect(client, "tester", server.getPort(), key);
    }

    @AfterAll
    static void disconnect() throws IOException {
        client.stop();
        server.stop(true);
    }

    @BeforeEach
    void open() {
        transfer = new SftpTransfer(session, root().toString(), CALLS);
    }

    @AfterEach
    void close() throws IOException {
        transfer.close();
    }

    static KeyPair keyPair() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        return generator.generateKeyPair();
    }

    static ClientSession connect(SshClient client, String user, int port, KeyPair key) throws IOException {
        ClientSession session = client.connect(user, "127.0.0.1", port)
                .verify(Duration.ofSeconds(10))
                .getSession();
        session.addPublicKeyIdentity(key);
        session.auth().verify(Duration.ofSeconds(10));
        return session;
    }

    @Override
    protected Transfer transfer() {
        return transfer;
    }
}
