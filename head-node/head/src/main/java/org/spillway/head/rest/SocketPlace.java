package org.spillway.head.rest;

import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** Where the socket stands: the directory around it, and what a head that died has left there. */
final class SocketPlace {
    private SocketPlace() {}

    /**
     * Makes the place ready to bind: a missing directory with mode 711 (a listing is nobody's business), and no socket
     * of a dead head. A directory that is there keeps its mode.
     *
     * @throws SocketInUseException if somebody answers
     * @throws IOException if something else than a socket stands there, or it cannot be removed
     */
    static void prepare(Path socket) throws IOException {
        var directory = socket.getParent();
        if (directory != null && !Files.isDirectory(directory)) {
            Files.createDirectories(directory);
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
        }
        if (!Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (!Files.readAttributes(socket, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isOther()) {
            throw new IOException(socket + " is there and is not a socket; remove it or configure another socket");
        }
        if (answers(socket)) {
            throw new SocketInUseException(socket.toString());
        }
        Files.deleteIfExists(socket);
    }

    /** @param mode three octal digits */
    static void setMode(Path socket, String mode) throws IOException {
        Files.setPosixFilePermissions(socket, permissions(Integer.parseInt(mode, 8)));
    }

    private static boolean answers(Path socket) throws IOException {
        try (var channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (ConnectException | NoSuchFileException dead) {
            return false;
        }
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        // The enum stands in the order of the bits, from the owner's read down.
        var permissions = EnumSet.noneOf(PosixFilePermission.class);
        for (var permission : PosixFilePermission.values()) {
            if ((mode >> (8 - permission.ordinal()) & 1) == 1) {
                permissions.add(permission);
            }
        }
        return permissions;
    }
}
