package org.spillway.localcloud;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.apache.sshd.sftp.server.SftpFileSystemAccessor;
import org.apache.sshd.sftp.server.SftpSubsystemProxy;

/**
 * The instance's files as SFTP sees them: relative paths start in its home, and nothing outside its directory is
 * reached.
 */
final class InstanceFiles implements SftpFileSystemAccessor {
    private final Path directory;

    InstanceFiles(Path directory) {
        this.directory = directory;
    }

    @Override
    public Path resolveLocalFilePath(SftpSubsystemProxy subsystem, Path rootDirectory, String remotePath)
            throws IOException {
        Path path = directory.resolve("home").resolve(remotePath).normalize();
        if (!path.startsWith(directory)) {
            throw new AccessDeniedException(remotePath, null, "outside of the instance's disk");
        }
        Path existing = path;
        while (!Files.exists(existing, LinkOption.NOFOLLOW_LINKS) && !existing.equals(directory)) {
            Path parent = existing.getParent();
            existing = parent == null ? directory : parent;
        }
        // A link that leads nowhere could be written through, so it is refused like one that leads out.
        if (!Files.exists(existing) || !existing.toRealPath().startsWith(directory)) {
            throw new AccessDeniedException(remotePath, null, "a symbolic link leads out of the instance's disk");
        }
        return path;
    }
}
