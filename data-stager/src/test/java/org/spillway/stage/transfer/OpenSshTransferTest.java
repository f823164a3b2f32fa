package org.spillway.stage.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.util.concurrent.TimeUnit;
import org.apache.sshd.client.SshClient;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.config.keys.PublicKeyEntry;
import org.apache.sshd.common.config.keys.writer.openssh.OpenSSHKeyPairResourceWriter;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Against the real OpenSSH, which is what a stock instance has. The far folder is told relative to the login folder. */
class OpenSshTransferTest extends OnDiskContract {
    private static final Path SSHD = Path.of("/usr/sbin/sshd");

    @TempDir
    static Path home;

    private static @Nullable Process server;
    private static int port;
    private static KeyPair hostKey;
    private static KeyPair userKey;
    private static @Nullable SshClient client;
    private static ClientSession session;
    private SftpTransfer transfer;

    @BeforeAll
    static void startServer() throws IOException, GeneralSecurityException, InterruptedException {
        assumeTrue(Files.isExecutable(SSHD), "no /usr/sbin/sshd: install the package openssh-server");
        String login = System.getProperty("user.home");
        assumeTrue(Files.isDirectory(Path.of(login)), "this user cannot log in: there is no folder " + login);
        hostKey = SftpTransferTest.keyPair();
        userKey = SftpTransferTest.keyPair();
        Path hostKeyFile = home.resolve("host_key");
        var ownerOnly = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try (OutputStream out = Files.newOutputStream(Files.createFile(hostKeyFile, ownerOnly))) {
            OpenSSHKeyPairResourceWriter.INSTANCE.writePrivateKey(hostKey, "test", null, out);
        }
        Path authorized = home.resolve("authorized_keys");
        Files.writeString(Files.createFile(authorized, ownerOnly), PublicKeyEntry.toString(userKey.getPublic()) + "\n");
        if (isRoot()) {
            Files.createDirectories(Path.of("/run/sshd")); // sshd's own: it refuses to start as root without it
        }
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        Path config = Files.writeString(home.resolve("sshd_config"), """
                ListenAddress 127.0.0.1
                Port %d
                HostKey %s
                AuthorizedKeysFile %s
                PidFile none
                UsePAM no
                StrictModes no
                PermitRootLogin yes
                PasswordAuthentication no
                Subsystem sftp internal-sftp
                """.formatted(port, hostKeyFile, authorized));
        server = new ProcessBuilder(SSHD.toString(), "-D", "-e", "-f", config.toString())
                .redirectErrorStream(true)
                .redirectOutput(home.resolve("log").toFile())
                .start();
        awaitPort();
        client = SshClient.setUpDefaultClient();
        client.setServerKeyVerifier((any, address, offered) -> offered.equals(hostKey.getPublic()));
        client.start();
        session = SftpTransferTest.connect(client, System.getProperty("user.name"), port, userKey);
    }

    private static boolean isRoot() throws IOException {
        return (int) Files.getAttribute(home, "unix:uid") == 0;
    }

    private static void awaitPort() throws IOException, InterruptedException {
        for (int i = 0; i < 200; i++) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 100);
                return;
            } catch (IOException e) {
                if (server.waitFor(50, TimeUnit.MILLISECONDS)) {
                    break;
                }
            }
        }
        throw new IOException("sshd did not come up: " + Files.readString(home.resolve("log")));
    }

    @AfterAll
    static void stopServer() {
        if (client != null) {
            client.stop();
        }
        if (server != null) {
            server.destroy();
        }
    }

    @BeforeEach
    void open() throws IOException {
        Path login = Path.of(System.getProperty("user.home"));
        String relative = login.toRealPath()
                .relativize(scratch.toRealPath().resolve(root().getFileName()))
                .toString();
        assertThat(relative).doesNotStartWith("/");
        transfer = new SftpTransfer(session, relative, SftpTransferTest.CALLS);
    }

    @AfterEach
    void close() throws IOException {
        transfer.close();
    }

    @Override
    protected Transfer transfer() {
        return transfer;
    }
}
