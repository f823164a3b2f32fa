package org.spillway.stage.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.sftp.client.SftpClient;
import org.apache.sshd.sftp.client.SftpClient.Attributes;
import org.apache.sshd.sftp.client.SftpClient.CloseableHandle;
import org.apache.sshd.sftp.client.SftpClient.OpenMode;
import org.apache.sshd.sftp.client.extensions.openssh.OpenSSHFsyncExtension;
import org.apache.sshd.sftp.client.extensions.openssh.OpenSSHPosixRenameExtension;
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
     * @param calls that may be under way at a time, each with up to two channels; others wait
     */
    public SftpTransfer(ClientSession session, String remoteRoot, int calls) {
        if (remoteRoot.isEmpty() || remoteRoot.chars().anyMatch(c -> c < ' ' || c == 127)) {
            throw new IllegalArgumentException("the far folder is empty or has control characters");
        }
        this.channels = new SftpChannels(session, calls);
        this.remoteRoot = remoteRoot;
    }

    /** Has a channel made that the next call uses, unless there is one. */
    public void open() throws IOException {
        channels.<@Nullable Void>call(client -> {
            root(client);
            return null;
        });
    }

    @Override
    public long received(String key) throws IOException {
        Keys.check(key);
        return channels.call(client -> {
            Found found = find(client, key, false);
            return found.sealed != null ? found.sealed.getSize() : size(found.growing);
        });
    }

    @Override
    public void send(String key, long offset, InputStream bytes) throws IOException {
        Keys.check(key);
        channels.<@Nullable Void>call(client -> {
            Found found = find(client, key, true);
            if (found.sealed != null) {
                throw new FileAlreadyExistsException(key, null, "sealed objects never change");
            }
            LocalTransfer.checkOffset(key, offset, size(found.growing));
            String part = found.part();
            try (CloseableHandle handle = client.open(part, EnumSet.of(OpenMode.Create, OpenMode.Write))) {
                Attributes facts = new Attributes().size(offset);
                facts.setPermissions(0600);
                int order = client.set(handle, facts);
                pump(client, part, handle, offset, bytes);
                client.checkSet(order);
            }
            return null;
        });
    }

    private static void pump(QuickSftp client, String part, CloseableHandle handle, long offset, InputStream bytes)
            throws IOException {
        try (SftpOutputStreamAsync out = new SftpOutputStreamAsync(client, WRITE_BYTES, part, handle, false)) {
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
            Found there = find(client, key, false);
            String place = there.place;
            String part = there.part();
            if (there.sealed != null) {
                Checksum found = checksum(place, there.sealed.getSize());
                if (!found.equals(checksum)) {
                    throw new ChecksumMismatch(
                            LocalTransfer.mismatch(key, checksum, found) + "; it was sealed before and stays");
                }
                return null;
            }
            if (there.growing == null) {
                throw new NoSuchFileException(key, null, "nothing was sent that could be sealed");
            }
            Checksum found = checksum(part, there.growing.getSize());
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
        return channels.call(client -> find(client, key, false).sealed != null);
    }

    @Override
    public void receive(String key, long offset, OutputStream sink) throws IOException {
        Keys.check(key);
        channels.<@Nullable Void>call(client -> {
            Found found = find(client, key, false);
            if (found.sealed == null) {
                throw new NoSuchFileException(key, null, "no such sealed object");
            }
            String place = found.place;
            long size = found.sealed.getSize();
            LocalTransfer.checkOffset(key, offset, size);
            if (offset == size) {
                return null;
            }
            try (CloseableHandle handle = client.open(place, EnumSet.of(OpenMode.Read));
                    InputStream in = new SftpInputStreamAsync(client, READ_BYTES, offset, size, place, handle, false)) {
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
            Found there = find(client, key, false);
            if (there.sealed == null) {
                return false;
            }
            String from = there.place;
            String to = find(client, other, true).place; // refuses what is no file
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
            String place = quote(place(client, key));
            // Validated segments below our own root; rm does not follow links.
            channels.run("rm -rf -- " + place + " " + place + Keys.PART_SUFFIX, COMMAND_LIMIT);
            return null;
        });
    }

    @Override
    public void close() throws IOException {
        channels.close();
    }

    /**
     * The files that lie at a key, after every folder on the way was seen to be a real one (or made).
     *
     * @param place its absolute path
     * @param sealed null for none
     * @param growing null for none, or where it was not looked for
     */
    private record Found(
            String place,
            @Nullable Attributes sealed,
            @Nullable Attributes growing) {
        String part() {
            return place + Keys.PART_SUFFIX;
        }
    }

    private static long size(@Nullable Attributes facts) {
        return facts == null ? 0 : facts.getSize();
    }

    /** Asks for folders, object and what grows in one go: far away each question would be a round trip. */
    private Found find(QuickSftp client, String key, boolean makeFolders) throws IOException {
        List<String> paths = folders(client, key);
        String place = root(client) + "/" + key;
        paths.add(place);
        paths.add(place + Keys.PART_SUFFIX);
        int folders = paths.size() - 2;
        List<@Nullable Attributes> facts = look(client, paths, folders);
        check(client, paths.subList(0, folders), facts, makeFolders);
        Attributes sealed = regular(place, facts.get(folders));
        Attributes growing = sealed != null ? null : regular(place + Keys.PART_SUFFIX, facts.get(folders + 1));
        return new Found(place, sealed, growing);
    }

    /** The absolute path of a key's object, whatever that is. */
    private String place(QuickSftp client, String key) throws IOException {
        List<String> folders = folders(client, key);
        check(client, folders, look(client, folders, folders.size()), false);
        return root(client) + "/" + key;
    }

    private static List<@Nullable Attributes> look(QuickSftp client, List<String> paths, int folders)
            throws IOException {
        try {
            return client.look(paths);
        } catch (SftpException e) {
            // The folder that is none is the reason, not what cannot be looked at behind it.
            for (String folder : paths.subList(0, folders)) {
                Attributes facts = facts(client, folder);
                check(client, List.of(folder), Collections.singletonList(facts), false);
            }
            throw new IOException("far side: " + paths.getLast() + ": " + reason(e), e);
        }
    }

    private List<String> folders(SftpClient client, String key) throws IOException {
        List<String> folders = new ArrayList<>();
        for (int slash = key.indexOf('/'); slash >= 0; slash = key.indexOf('/', slash + 1)) {
            folders.add(root(client) + "/" + key.substring(0, slash));
        }
        return folders;
    }

    private static void check(
            SftpClient client, List<String> folders, List<@Nullable Attributes> facts, boolean makeFolders)
            throws IOException {
        for (int i = 0; i < folders.size(); i++) {
            Attributes one = facts.get(i);
            if (one == null && makeFolders) {
                makeFolder(client, folders.get(i));
            } else if (one != null && !one.isDirectory()) {
                throw new IOException("refused: " + folders.get(i) + " is not a folder" + linkNote(one));
            }
        }
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

    private static @Nullable Attributes regular(String path, @Nullable Attributes facts) throws IOException {
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
            if (QuickSftp.isAbsence(e)) {
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
