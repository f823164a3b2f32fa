package org.spillway.stage.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.EnumSet;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.sftp.client.SftpClient;
import org.apache.sshd.sftp.client.SftpClient.Attributes;
import org.apache.sshd.sftp.client.SftpClient.CloseableHandle;
import org.apache.sshd.sftp.client.SftpClient.OpenMode;
import org.apache.sshd.sftp.client.extensions.openssh.OpenSSHFsyncExtension;
import org.apache.sshd.sftp.client.extensions.openssh.OpenSSHPosixRenameExtension;
import org.apache.sshd.sftp.client.impl.AbstractSftpClient;
import org.apache.sshd.sftp.client.impl.SftpInputStreamAsync;
import org.apache.sshd.sftp.client.impl.SftpOutputStreamAsync;
import org.apache.sshd.sftp.common.SftpConstants;
import org.apache.sshd.sftp.common.SftpException;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.Checksum;

/**
 * A staging space behind an SSH server with SFTP, {@code openssl} or {@code sha256sum}, {@code sync} and {@code rm}, as every
 * stock Linux has; the layout is that of {@link LocalTransfer}. SFTP cannot open without following links: folders have mode 700, and
 * every segment is looked at before use.
 */
public final class SftpTransfer implements Transfer {
    private static final int WRITE_BYTES = 120 * 1024;
    private static final int READ_BYTES = 60 * 1024;
    private static final Duration COMMAND_LIMIT = Duration.ofSeconds(60);
    /** A slow disk's reading rate, for the time that a checksum may take. */
    private static final long HASH_BYTES_PER_SECOND_LEAST = 10_000_000;

    /** OpenSSL uses the processor's SHA-256 (1.6 GB/s on a core); Debian's sha256sum does not (0.36), and is always there. */
    private static final String DIGEST =
            "if command -v openssl >/dev/null 2>&1; then openssl dgst -sha256 -r; else sha256sum; fi";

    private final SftpChannels channels;
    private final String remoteRoot;
    private volatile @Nullable String absoluteRoot;

    /**
     * Does nothing yet.
     *
     * @param session authenticated; it is not closed by {@link #close}
     * @param remoteRoot relative to the login folder unless it starts with {@code /}; made, with mode 700, when absent
     */
    public SftpTransfer(ClientSession session, String remoteRoot) {
        if (remoteRoot.isEmpty() || remoteRoot.chars().anyMatch(c -> c < ' ' || c == 127)) {
            throw new IllegalArgumentException("the far folder is empty or has control characters");
        }
        this.channels = new SftpChannels(session);
        this.remoteRoot = remoteRoot;
    }

    @Override
    public long received(String key) throws IOException {
        Keys.check(key);
        return channels.call(client -> {
            String place = place(client, key, false);
            Attributes sealed = regular(client, place);
            if (sealed != null) {
                return sealed.getSize();
            }
            Attributes growing = regular(client, place + Keys.PART_SUFFIX);
            return growing == null ? 0 : growing.getSize();
        });
    }

    @Override
    public void send(String key, long offset, InputStream bytes) throws IOException {
        Keys.check(key);
        channels.<@Nullable Void>call(client -> {
            String place = place(client, key, true);
            if (regular(client, place) != null) {
                throw new FileAlreadyExistsException(key, null, "sealed objects never change");
            }
            String part = place + Keys.PART_SUFFIX;
            Attributes growing = regular(client, part);
            LocalTransfer.checkOffset(key, offset, growing == null ? 0 : growing.getSize());
            try (CloseableHandle handle = client.open(part, EnumSet.of(OpenMode.Create, OpenMode.Write))) {
                Attributes facts = new Attributes().size(offset);
                facts.setPermissions(0600);
                client.setStat(handle, facts);
                pump(client, part, handle, offset, bytes);
            }
            return null;
        });
    }

    private static void pump(SftpClient client, String part, CloseableHandle handle, long offset, InputStream bytes)
            throws IOException {
        try (SftpOutputStreamAsync out =
                new SftpOutputStreamAsync((AbstractSftpClient) client, WRITE_BYTES, part, handle, false)) {
            out.setOffset(offset);
            byte[] buffer = new byte[WRITE_BYTES];
            for (int n = bytes.read(buffer); n >= 0; n = bytes.read(buffer)) {
                out.write(buffer, 0, n);
            }
        } catch (SftpException refusedWrite) {
            // Later writes in the pipeline may have gone through: only what lay before is surely a prefix.
            client.setStat(handle, new Attributes().size(offset));
            throw new IOException("the far side refused bytes for " + part + ": " + reason(refusedWrite), refusedWrite);
        }
    }

    @Override
    public void seal(String key, Checksum checksum) throws IOException {
        Keys.check(key);
        channels.<@Nullable Void>call(client -> {
            String place = place(client, key, false);
            String part = place + Keys.PART_SUFFIX;
            Attributes sealed = regular(client, place);
            if (sealed != null) {
                Checksum found = checksum(place, sealed.getSize());
                if (!found.equals(checksum)) {
                    throw new ChecksumMismatch(
                            LocalTransfer.mismatch(key, checksum, found) + "; it was sealed before and stays");
                }
                return null;
            }
            Attributes growing = regular(client, part);
            if (growing == null) {
                throw new NoSuchFileException(key, null, "nothing was sent that could be sealed");
            }
            Checksum found = checksum(part, growing.getSize());
            if (!found.equals(checksum)) {
                client.remove(part);
                throw new ChecksumMismatch(LocalTransfer.mismatch(key, checksum, found) + "; it is removed");
            }
            sync(client, part);
            rename(client, part, place);
            channels.run("sync -- " + quote(place.substring(0, place.lastIndexOf('/'))), COMMAND_LIMIT);
            return null;
        });
    }

    private Checksum checksum(String path, long bytes) throws IOException {
        Duration limit = COMMAND_LIMIT.plusSeconds(bytes / HASH_BYTES_PER_SECOND_LEAST);
        String output = channels.run("{ " + DIGEST + "; } < " + quote(path), limit);
        if (!output.matches("[0-9a-f]{64}\\b.*")) {
            throw new IOException("a digest was asked of the far side, and it answered something else");
        }
        return new Checksum(bytes, output.substring(0, 64));
    }

    private void sync(SftpClient client, String part) throws IOException {
        OpenSSHFsyncExtension fsync = client.getExtension(OpenSSHFsyncExtension.class);
        if (fsync == null || !fsync.isSupported()) {
            channels.run("sync -- " + quote(part), COMMAND_LIMIT);
            return;
        }
        try (CloseableHandle handle = client.open(part, EnumSet.of(OpenMode.Write))) {
            fsync.fsync(handle);
        }
    }

    private static void rename(SftpClient client, String part, String place) throws IOException {
        OpenSSHPosixRenameExtension posix = client.getExtension(OpenSSHPosixRenameExtension.class);
        if (posix == null || !posix.isSupported()) {
            client.rename(part, place);
        } else {
            posix.posixRename(part, place);
        }
    }

    @Override
    public boolean isSealed(String key) throws IOException {
        Keys.check(key);
        return channels.call(client -> regular(client, place(client, key, false)) != null);
    }

    @Override
    public void receive(String key, long offset, OutputStream sink) throws IOException {
        Keys.check(key);
        channels.<@Nullable Void>call(client -> {
            String place = place(client, key, false);
            Attributes sealed = regular(client, place);
            if (sealed == null) {
                throw new NoSuchFileException(key, null, "no such sealed object");
            }
            long size = sealed.getSize();
            LocalTransfer.checkOffset(key, offset, size);
            if (offset == size) {
                return null;
            }
            try (CloseableHandle handle = client.open(place, EnumSet.of(OpenMode.Read));
                    InputStream in = new SftpInputStreamAsync(
                            (AbstractSftpClient) client, READ_BYTES, offset, size, place, handle, false)) {
                long copied = in.transferTo(sink);
                if (copied != size - offset) {
                    throw new IOException("'" + key + "' ended after " + copied + " of " + (size - offset) + " bytes");
                }
            }
            return null;
        });
    }

    @Override
    public boolean share(String key, String other) throws IOException {
        Keys.check(key);
        Keys.check(other);
        return channels.call(client -> {
            String from = place(client, key, false);
            if (regular(client, from) == null) {
                return false;
            }
            String to = place(client, other, true);
            regular(client, to); // refuses what is no file
            if (!key.equals(other)) {
                // SFTP has no hard links of its own. Of folders that nobody else may write in, both are files.
                String part = quote(to + Keys.PART_SUFFIX);
                channels.run("rm -f -- " + part, COMMAND_LIMIT);
                channels.run("ln -fT -- " + quote(from) + " " + quote(to), COMMAND_LIMIT);
                channels.run("sync -- " + quote(to.substring(0, to.lastIndexOf('/'))), COMMAND_LIMIT);
            }
            return true;
        });
    }

    @Override
    public void remove(String key) throws IOException {
        Keys.check(key);
        channels.<@Nullable Void>call(client -> {
            String place = quote(place(client, key, false));
            // Validated segments below our own root; rm does not follow links.
            channels.run("rm -rf -- " + place + " " + place + Keys.PART_SUFFIX, COMMAND_LIMIT);
            return null;
        });
    }

    @Override
    public void close() throws IOException {
        channels.close();
    }

    /** The absolute path of a key's object, after every folder on the way was seen to be a real one (or made). */
    private String place(SftpClient client, String key, boolean makeFolders) throws IOException {
        String place = root(client);
        int from = 0;
        for (int slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', from)) {
            place += "/" + key.substring(from, slash);
            from = slash + 1;
            Attributes facts = facts(client, place);
            if (facts == null && makeFolders) {
                makeFolder(client, place);
            } else if (facts != null && !facts.isDirectory()) {
                throw new IOException("refused: " + place + " is not a folder" + linkNote(facts));
            }
        }
        return place + "/" + key.substring(from);
    }

    private String root(SftpClient client) throws IOException {
        String known = absoluteRoot;
        if (known == null) {
            // Folders above the login folder are not ours to look at, and the server may not let us.
            String login = remoteRoot.startsWith("/") ? "" : client.canonicalPath(".");
            String path = login.isEmpty() ? remoteRoot : login + "/" + remoteRoot;
            for (int slash = path.indexOf('/', login.length() + 1); slash >= 0; slash = path.indexOf('/', slash + 1)) {
                makeFolderUnlessThere(client, path.substring(0, slash));
            }
            makeFolderUnlessThere(client, path);
            known = client.canonicalPath(path);
            absoluteRoot = known;
        }
        return known;
    }

    private static void makeFolderUnlessThere(SftpClient client, String folder) throws IOException {
        if (facts(client, folder) == null) {
            makeFolder(client, folder);
        }
    }

    private static void makeFolder(SftpClient client, String folder) throws IOException {
        try {
            client.mkdir(folder);
        } catch (SftpException e) {
            Attributes facts = facts(client, folder); // another thread may have made it
            if (facts == null || !facts.isDirectory()) {
                throw new IOException("cannot make the folder " + folder + ": " + reason(e), e);
            }
            return;
        }
        Attributes mode = new Attributes();
        mode.setPermissions(0700);
        client.setStat(folder, mode);
    }

    private static @Nullable Attributes regular(SftpClient client, String path) throws IOException {
        Attributes facts = facts(client, path);
        if (facts == null || facts.isDirectory()) {
            return null;
        }
        if (!facts.isRegularFile()) {
            throw new IOException("refused: " + path + " is not a regular file" + linkNote(facts));
        }
        return facts;
    }

    private static @Nullable Attributes facts(SftpClient client, String path) throws IOException {
        try {
            return client.lstat(path);
        } catch (SftpException e) {
            if (e.getStatus() == SftpConstants.SSH_FX_NO_SUCH_FILE
                    || e.getStatus() == SftpConstants.SSH_FX_NO_SUCH_PATH) {
                return null;
            }
            throw new IOException("far side: " + path + ": " + reason(e), e);
        }
    }

    private static String linkNote(Attributes facts) {
        return facts.isSymbolicLink() ? " but a symbolic link" : "";
    }

    private static String reason(SftpException e) {
        return SftpConstants.getStatusName(e.getStatus()) + " " + e.getMessage();
    }

    private static String quote(String path) {
        return "'" + path.replace("'", "'\\''") + "'";
    }
}
