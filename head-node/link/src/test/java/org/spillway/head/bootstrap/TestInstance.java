package org.spillway.head.bootstrap;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.sshd.common.NamedResource;
import org.apache.sshd.common.config.keys.AuthorizedKeyEntry;
import org.apache.sshd.common.config.keys.KeyUtils;
import org.apache.sshd.common.session.Session;
import org.apache.sshd.common.session.SessionListener;
import org.apache.sshd.common.util.security.SecurityUtils;
import org.apache.sshd.server.SshServer;
import org.apache.sshd.server.forward.AcceptAllForwardingFilter;
import org.apache.sshd.sftp.server.SftpFileSystemAccessor;
import org.apache.sshd.sftp.server.SftpSubsystemFactory;
import org.apache.sshd.sftp.server.SftpSubsystemProxy;

/** A booted instance: an SSH server whose login folder is a temporary one, with or without the tool for a new host key. */
final class TestInstance implements AutoCloseable {
    private final Path home;
    private final Path hostKey;
    private final SshServer server = SshServer.setUpDefaultServer();
    private final AtomicInteger sessions = new AtomicInteger();
    private volatile String next = "";
    private volatile Duration login = Duration.ZERO;

    TestInstance(Path folder, String address, String hostKeyPem, String authorizedLine, boolean rotates)
            throws Exception {
        home = Files.createDirectories(folder.resolve("home"));
        hostKey = Files.writeString(folder.resolve("hostkey"), hostKeyPem);
        Path tool = folder.resolve("rotate");
        if (rotates) {
            Files.writeString(tool, "#!/bin/sh\ncat > " + hostKey + ".new && mv " + hostKey + ".new " + hostKey + "\n");
            tool.toFile().setExecutable(true);
        }
        var allowed = AuthorizedKeyEntry.parseAuthorizedKeyEntry(authorizedLine).resolvePublicKey(null, null);
        server.setHost(address);
        server.setKeyPairProvider(session -> load());
        server.setPublickeyAuthenticator((user, key, session) -> isSlow() || KeyUtils.compareKeys(allowed, key));
        server.setCommandFactory((channel, command) -> new TestCommand(
                command.replace("exec sudo -n", "exec").replace("/usr/local/sbin/spillway-host-key", tool.toString()),
                home));
        server.setSubsystemFactories(List.of(new SftpSubsystemFactory.Builder()
                .withFileSystemAccessor(new LoginFolder(home))
                .build()));
        server.setForwardingFilter(AcceptAllForwardingFilter.INSTANCE);
        server.addSessionListener(new SessionListener() {
            @Override
            public void sessionCreated(Session session) {
                sessions.incrementAndGet();
            }
        });
        server.start();
    }

    int port() {
        return server.getPort();
    }

    Path home() {
        return home;
    }

    /** From its second session on it shows this key. */
    void onRefusal(String hostKeyPem) {
        next = hostKeyPem;
    }

    /** From now on it takes so long to look at a key. */
    void slowLogin(Duration takes) {
        login = takes;
    }

    /** @return false, when that time is over */
    private boolean isSlow() {
        try {
            return new CountDownLatch(1).await(login.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    int sessions() {
        return sessions.get();
    }

    ProcessHandle director() throws IOException {
        long pid = Long.parseLong(
                Files.readString(home.resolve("spillway-director/director.pid")).strip());
        return ProcessHandle.of(pid).orElseThrow();
    }

    private Iterable<java.security.KeyPair> load() {
        try {
            String later = next;
            if (sessions.get() > 1 && !later.isEmpty()) {
                Files.writeString(hostKey, later);
            }
            return SecurityUtils.loadKeyPairIdentities(
                    null,
                    NamedResource.ofName("host"),
                    new ByteArrayInputStream(Files.readString(hostKey).getBytes(StandardCharsets.US_ASCII)),
                    null);
        } catch (IOException | GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        Path pid = home.resolve("spillway-director/director.pid");
        if (Files.exists(pid)) {
            ProcessHandle.of(Long.parseLong(Files.readString(pid).strip())).ifPresent(ProcessHandle::destroyForcibly);
        }
        server.stop(true);
    }

    /** Relative paths are below the login folder, absolute ones are the machine's. */
    private record LoginFolder(Path home) implements SftpFileSystemAccessor {
        @Override
        public Path resolveLocalFilePath(SftpSubsystemProxy subsystem, Path root, String path) {
            return home.resolve(path).normalize();
        }
    }
}
