package org.spillway.stage.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.List;

/**
 * A user's store in a region, for bytes that do not come from the head; it knows of the pieces that were there when it was
 * made. May be used by several threads.
 */
public final class PieceIntake {
    private static final String GROWING = "pulling";

    private final Path folder;
    private final PackShelf shelf;

    /** @param root of the staging space */
    public PieceIntake(Path root, PieceStore store, int uid) throws IOException {
        this.folder = root.resolve("users/" + uid + "/packs");
        this.shelf = store.shelfOf(uid);
    }

    /**
     * Removes what writers of an earlier process have left unfinished.
     *
     * @param root of the staging space
     */
    public static void clear(Path root) throws IOException {
        try (DirectoryStream<Path> users = Files.newDirectoryStream(root.resolve("users"))) {
            for (Path user : users) {
                try (DirectoryStream<Path> left = Files.newDirectoryStream(user.resolve(GROWING))) {
                    for (Path file : left) {
                        Files.deleteIfExists(file);
                    }
                } catch (NoSuchFileException none) {
                    continue; // this one has pulled nothing
                }
            }
        } catch (NoSuchFileException none) {
            return; // a new region
        }
    }

    public PackWriter writer() {
        return new PackWriter(folder, folder.resolveSibling(GROWING));
    }

    /** Whether all the first pieces of a file are here. @param fileBytes -1 when nobody knows: then all are full ones */
    public boolean has(long fileBytes, List<Digest> pieces) {
        for (int i = 0; i < pieces.size(); i++) {
            int length = fileBytes < 0 ? Pieces.BYTES : Pieces.length(fileBytes, i);
            if (shelf.place(pieces.get(i), length).isEmpty()) {
                return false;
            }
        }
        return true;
    }

    /** Adds the bytes of whole pieces to a digest. */
    public void feed(List<Digest> pieces, MessageDigest digest) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(256 * 1024);
        for (Digest piece : pieces) {
            PackShelf.Place place =
                    shelf.place(piece, Pieces.BYTES).orElseThrow(() -> new NoSuchFileException("a piece is gone"));
            try (FileChannel pack = FileChannel.open(shelf.file(place.pack()), StandardOpenOption.READ)) {
                for (long at = 0; at < place.length(); at += buffer.limit()) {
                    buffer.clear().limit((int) Math.min(buffer.capacity(), place.length() - at));
                    if (pack.read(buffer, place.from() + at) < 0) {
                        throw new IOException("a pack became shorter");
                    }
                    digest.update(buffer.flip());
                }
            }
        }
    }
}
