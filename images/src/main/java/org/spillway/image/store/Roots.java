package org.spillway.image.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.spillway.image.ImageRefused;
import org.spillway.image.posix.Posix;
import org.spillway.stage.Checksum;

/** Versions as file systems: a cache beside the store's contents. Facts are written last, so what has them is whole. */
final class Roots {
    private final Layout layout;
    private final Posix posix;
    private final Seal seal;

    Roots(Layout layout, Posix posix, Seal seal) {
        this.layout = layout;
        this.posix = posix;
        this.seal = seal;
    }

    private Path file(String name, String digest) {
        return layout.roots().resolve(name + "@" + digest + ".erofs");
    }

    private Path facts(String name, String digest) {
        return layout.roots().resolve(name + "@" + digest);
    }

    /** The file system of the version; empty when there is none, or one of another length or not signed by this head. */
    Optional<RootRecord> made(VersionRecord version) throws IOException {
        Path file = file(version.name(), version.digest());
        try {
            String text = Files.readString(facts(version.name(), version.digest()), StandardCharsets.ISO_8859_1);
            RootRecord made = RootRecord.parse(text, version, file);
            return Files.size(file) == made.whole().bytes() && seal.holds(made.signedText(), made.signature())
                    ? Optional.of(made)
                    : Optional.empty();
        } catch (NoSuchFileException | ImageRefused none) {
            return Optional.empty();
        }
    }

    /** @param tree the version's, which nobody changes meanwhile; {@code work} on the store's disk */
    RootRecord make(VersionRecord version, Path tree, Path work) throws IOException, InterruptedException {
        Path growing = work.resolve("root.erofs");
        RootWriter.write(tree, growing);
        long data = Files.size(growing);
        String verity = RootWriter.addHashes(growing, version.digest()).orElse(RootRecord.NO_VERITY);
        String sha256 = SparseCopy.digest(posix, Posix.raw(growing));
        var whole = new Checksum(Files.size(growing), sha256);
        Path file = file(version.name(), version.digest());
        var unsigned = new RootRecord(version.name(), version.digest(), file, whole, verity, data, "");
        var made = new RootRecord(
                version.name(), version.digest(), file, whole, verity, data, seal.sign(unsigned.signedText()));
        Files.deleteIfExists(facts(version.name(), version.digest()));
        posix.sync(Posix.raw(work));
        Files.move(growing, file, StandardCopyOption.ATOMIC_MOVE);
        Durable.write(facts(version.name(), version.digest()), made.text(), layout.temporary());
        return made;
    }

    /** Reads all of the file. @return whether it is what was signed; what is not goes, and is made again */
    boolean isWhole(RootRecord made) throws IOException {
        try {
            if (Files.size(made.file()) == made.whole().bytes()
                    && SparseCopy.digest(posix, Posix.raw(made.file()))
                            .equals(made.whole().sha256())) {
                return true;
            }
        } catch (NoSuchFileException gone) {
            // A lost one is as good as rotten.
        }
        Files.deleteIfExists(facts(made.name(), made.version()));
        Files.deleteIfExists(made.file());
        return false;
    }
}
