package org.spillway.head.bootstrap;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Map;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.sftp.client.SftpClient;
import org.apache.sshd.sftp.client.SftpClientFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a Java to an instance that has none. It travels in parts, each checked by its digest, so that a cut
 * connection costs one part: the next call sends what is missing.
 */
final class JavaDelivery {
    private static final Logger LOG = LoggerFactory.getLogger(JavaDelivery.class);
    private static final int PART_BYTES = 4 << 20;
    private static final Duration COMMAND_LIMIT = Duration.ofSeconds(60);
    /** Of a small machine with a slow disk. */
    private static final Duration UNPACK_LIMIT = Duration.ofMinutes(5);

    private final JavaArchive.Source source;
    private final String script;

    /** @param script {@code director.sh} */
    JavaDelivery(JavaArchive.Source source, String script) {
        this.source = source;
        this.script = script;
    }

    /** @return its path on the instance @throws IOException if it cannot run there; the message says what to do */
    String bring(ClientSession session, RemoteShell shell, String instance) throws IOException {
        JavaArchive java = source.get();
        refuseOther(java, required(shell, "platform", COMMAND_LIMIT).strip(), instance);
        LOG.info("the instance {} has no Java 25: it gets {}", instance, java.name());
        Map<String, String> there = RemoteFiles.parse(required(shell, "parts " + java.name(), COMMAND_LIMIT));
        send(session, java, there, instance);
        String path = required(shell, "unpack " + java.name() + " " + java.sha256(), UNPACK_LIMIT)
                .strip();
        LOG.info("the instance {} has a Java now", instance);
        return path;
    }

    private static void refuseOther(JavaArchive java, String platform, String instance) throws IOException {
        String wanted = "Linux " + java.machine() + " glibc";
        if (!platform.equals(wanted)) {
            throw new IOException("the instance " + instance + " has no Java 25, and the head's own runs on " + wanted
                    + " and not on " + platform.replaceAll("[^A-Za-z0-9 ._-]", "?")
                    + ": choose another instance type or image for the director, or install a JRE 25 in its image");
        }
    }

    private static void send(ClientSession session, JavaArchive java, Map<String, String> there, String instance)
            throws IOException {
        long total = Files.size(java.file());
        long done = 0;
        try (InputStream in = Files.newInputStream(java.file());
                SftpClient sftp = SftpClientFactory.instance().createSftpClient(session)) {
            for (int number = 0; done < total; number++) {
                byte[] part = in.readNBytes(PART_BYTES);
                if (part.length == 0) {
                    throw new IOException(java.file() + " became shorter while it was read");
                }
                String name = "java/%s.part-%03d".formatted(java.name(), number);
                done += part.length;
                if (!sha256(part).equals(there.get(name))) {
                    put(sftp, DirectorFiles.FOLDER + "/" + name, part);
                    LOG.info("Java for {}: {} of {} MB", instance, done >> 20, total >> 20);
                }
            }
        }
    }

    private static void put(SftpClient sftp, String path, byte[] part) throws IOException {
        var modes = EnumSet.of(SftpClient.OpenMode.Write, SftpClient.OpenMode.Create, SftpClient.OpenMode.Truncate);
        try (var out = sftp.write(path, modes)) {
            new ByteArrayInputStream(part).transferTo(out);
        }
    }

    private String required(RemoteShell shell, String command, Duration limit) throws IOException {
        var result = shell.run("sh -s -- " + command, script, limit);
        if (!result.succeeded()) {
            throw new IOException("the step '" + command + "' on the instance failed with " + result.exit() + ": "
                    + result.errors().replaceAll("[^\\x20-\\x7e]", " ").strip());
        }
        return result.output();
    }

    private static String sha256(byte[] bytes) throws IOException {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
