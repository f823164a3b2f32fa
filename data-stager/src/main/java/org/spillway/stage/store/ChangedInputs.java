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
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

    private static final int REMEMBERED = 64;

    private final PieceStore store;
    /** Layers that were told a moment ago and will be asked for, by the input's key. */
    private final Map<String, Made> last = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Made> eldest) {
            return size() > REMEMBERED;
        }
    });

    public ChangedInputs(PieceStore store) {
        this.store = store;
    }

    /** @param base the SHA-256 of the tar stream of the other input @param stream the changes' own stream */
    public record Layer(String base, Checksum stream) {}

    /** @param whole length of the input's own stream */
    private record Made(int uid, String base, InputChanges changes, long whole) {}

    /**
     * The first of these over which the input is a layer, each piece of that compared with its digest.
     *
     * @param key of a job's input that was put together here
     * @param bases SHA-256 of the tar streams of whole inputs
     * @return empty where none of these is known here, or the input is mostly another one
     */
    public Optional<Layer> layer(String key, Collection<String> bases) throws IOException {
        Optional<Made> found = made(key, bases);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        Made made = found.get();
        InputReading reading = new InputReading(store.shelfOf(made.uid()));
        reading.read(new Recipe(made.changes().written()));
        if (!reading.wrong.isEmpty()) {
            return Optional.empty(); // it is found again, and sent again, when the whole is asked for
        }
        MessageDigest digest = Sha256.digest();
        Counting sink = new Counting(digest);
        write(made, sink);
        if (sink.bytes > made.whole()) {
            return Optional.empty(); // small files: what is gone takes a block each, and the whole is less
        }
        last.put(key, made);
        return Optional.of(new Layer(made.base(), Sha256.checksum(sink.bytes, digest)));
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
        Made told = last.get(key);
        Made made = told != null && told.base().equals(base)
                ? told
                : made(key, List.of(base))
                        .orElseThrow(() -> new NoSuchFileException(key, null, "its base is not known here"));
        write(made, sink);
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

    private Optional<Made> made(String key, Collection<String> bases) throws IOException {
        Optional<PieceStore.Given> given = store.input(key);
        if (given.isEmpty()) {
            return Optional.empty();
        }
        int uid = given.get().uid();
        Optional<Recipe> next = store.recipe(uid, given.get().recipe());
        for (String base : bases) {
            Optional<Recipe> before = next.isPresent() ? named(uid, base) : Optional.empty();
            Optional<InputChanges> changes = before.flatMap(known -> InputChanges.between(known, next.get()))
                    .filter(some -> some.bytes() <= given.get().tar().bytes() / PART_MOST);
            if (changes.isPresent()) {
                return Optional.of(
                        new Made(uid, base, changes.get(), given.get().tar().bytes()));
            }
        }
        return Optional.empty();
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
