package org.spillway.stage.store;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.Optional;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;

/**
 * Inputs as what is other in them than in another input of the same user, for nodes that have that one: a tar stream of the
 * files that are new or changed, and of what is gone as character devices 0/0, which overlayfs takes for "nothing is here".
 * May be used by several threads.
 */
public final class ChangedInputs {
    /** Of more than this part of an input nobody makes a layer: it is better had whole, as the next one's base. */
    private static final int PART_MOST = 4;

    private final PieceStore store;

    public ChangedInputs(PieceStore store) {
        this.store = store;
    }

    /** @param base the SHA-256 of the tar stream of the other input @param stream the changes' own stream */
    public record Layer(String base, Checksum stream) {}

    private record Made(int uid, String base, InputChanges changes) {}

    /**
     * The smallest one, each piece of it compared with its digest.
     *
     * @param key of a job's input that was put together here
     * @param bases SHA-256 of the tar streams of whole inputs
     * @return empty where none of these is known here, or the input is mostly another one
     */
    public Optional<Layer> layer(String key, Collection<String> bases) throws IOException {
        Optional<Made> best = Optional.empty();
        for (String base : bases) {
            Optional<Made> made = made(key, base);
            if (made.isPresent()
                    && (best.isEmpty()
                            || made.get().changes().bytes()
                                    < best.get().changes().bytes())) {
                best = made;
            }
        }
        if (best.isEmpty()) {
            return Optional.empty();
        }
        InputChanges changes = best.get().changes();
        InputReading reading = new InputReading(store.shelfOf(best.get().uid()));
        reading.read(new Recipe(changes.written()));
        if (!reading.wrong.isEmpty()) {
            return Optional.empty(); // it is found again, and sent again, when the whole is asked for
        }
        MessageDigest digest = Sha256.digest();
        Counting sink = new Counting(digest);
        write(best.get(), sink);
        return Optional.of(new Layer(best.get().base(), Sha256.checksum(sink.bytes, digest)));
    }

    /** Whether an input that is on its way will be a layer over one of these, as far as its plan says. */
    public boolean isNearly(String key, Collection<String> bases) throws IOException {
        Optional<GrowingInput> coming = store.coming(key);
        if (coming.isEmpty()) {
            return false;
        }
        for (String base : bases) {
            Optional<Recipe> before = named(coming.get().uid(), base);
            if (before.isPresent()
                    && InputChanges.bytesOther(before.get(), coming.get().plan())
                            <= coming.get().bytes() / PART_MOST) {
                return true;
            }
        }
        return false;
    }

    /** Writes the stream of a layer that was told. */
    public void copy(String key, String base, OutputStream sink) throws IOException {
        write(
                made(key, base).orElseThrow(() -> new NoSuchFileException(key, null, "its base is not known here")),
                sink);
    }

    private void write(Made made, OutputStream sink) throws IOException {
        try (TarCopy copy = new TarCopy(store.shelfOf(made.uid()), 0, sink)) {
            for (String gone : made.changes().gone()) {
                copy.gone(gone);
            }
            for (Recipe.Part part : made.changes().written()) {
                copy.add(part);
            }
            copy.finish();
        }
    }

    private Optional<Made> made(String key, String base) throws IOException {
        Optional<PieceStore.Given> given = store.input(key);
        if (given.isEmpty()) {
            return Optional.empty();
        }
        int uid = given.get().uid();
        Optional<Recipe> next = store.recipe(uid, given.get().recipe());
        Optional<Recipe> before = named(uid, base);
        if (next.isEmpty() || before.isEmpty()) {
            return Optional.empty();
        }
        return InputChanges.between(before.get(), next.get())
                .filter(changes -> changes.bytes() <= given.get().tar().bytes() / PART_MOST)
                .map(changes -> new Made(uid, base, changes));
    }

    /** The recipe of an input by its stream, as it was written down when that was put together. */
    private Optional<Recipe> named(int uid, String tar) throws IOException {
        try (DirectoryStream<Path> sums = Files.newDirectoryStream(store.recipes(uid), "*" + PieceStore.SUM_SUFFIX)) {
            for (Path sum : sums) {
                Checksum said = PieceStore.sum(sum);
                if (said != null && said.sha256().equals(tar)) {
                    String name = String.valueOf(sum.getFileName());
                    return store.recipe(uid, name.substring(0, name.length() - PieceStore.SUM_SUFFIX.length()));
                }
            }
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        return Optional.empty();
    }

    private static final class Counting extends DigestOutputStream {
        private long bytes;

        Counting(MessageDigest digest) {
            super(OutputStream.nullOutputStream(), digest);
        }

        @Override
        public void write(int one) throws IOException {
            super.write(one);
            bytes++;
        }

        @Override
        public void write(byte[] some, int from, int length) throws IOException {
            super.write(some, from, length);
            bytes += length;
        }
    }
}
