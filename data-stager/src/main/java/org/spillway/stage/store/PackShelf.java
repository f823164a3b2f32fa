package org.spillway.stage.store;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The packs of one user in one region. Where a piece lies is known by the ends of the packs alone, so that there is no
 * table that could be lost. May be used by several threads.
 */
final class PackShelf {
    private static final String PART = ".part";

    private final Path folder;
    private final Map<Digest, Place> places = new HashMap<>();
    private final Set<String> known = new HashSet<>();
    private final Map<String, Instant> verified = new HashMap<>();

    /** @param pack its file's name */
    record Place(String pack, long from, int length) {}

    PackShelf(Path folder) {
        this.folder = folder;
    }

    Path file(String pack) {
        return folder.resolve(pack);
    }

    /** Looks for packs that have come, or gone, since. One that is whole is made durable and takes its name. */
    synchronized void look() throws IOException {
        Set<String> there = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                String name = String.valueOf(file.getFileName());
                boolean growing = name.endsWith(PART);
                String pack = growing ? name.substring(0, name.length() - PART.length()) : name;
                if ((!growing && known.contains(pack)) || take(file, pack, growing)) {
                    there.add(pack);
                }
            }
        } catch (NoSuchFileException none) {
            there.clear();
        }
        Set<String> gone = new HashSet<>(known);
        gone.removeAll(there);
        forget(gone);
    }

    /** @return whether it is whole */
    private boolean take(Path file, String pack, boolean growing) throws IOException {
        List<PackEnd.Entry> pieces;
        Set<OpenOption> how = growing
                ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, NOFOLLOW_LINKS)
                : Set.of(StandardOpenOption.READ, NOFOLLOW_LINKS);
        try (FileChannel channel = FileChannel.open(file, how)) {
            pieces = PackEnd.read(channel).orElse(null);
            if (pieces != null && growing) {
                channel.force(true);
            }
        } catch (NoSuchFileException gone) {
            return false;
        }
        if (pieces == null) {
            // A growing one may become whole; another is of no use to anybody.
            if (!growing) {
                Files.deleteIfExists(file);
            }
            return false;
        }
        if (growing) {
            Files.move(file, folder.resolve(pack), StandardCopyOption.ATOMIC_MOVE);
        }
        known.add(pack);
        for (PackEnd.Entry piece : pieces) {
            places.putIfAbsent(piece.digest(), new Place(pack, piece.from(), piece.length()));
        }
        return true;
    }

    private void forget(Collection<String> packs) {
        if (!packs.isEmpty()) {
            known.removeAll(packs);
            verified.keySet().removeAll(packs);
            places.values().removeIf(place -> packs.contains(place.pack()));
        }
    }

    synchronized Optional<Place> place(Digest piece, int length) {
        Place place = places.get(piece);
        return place == null || place.length() != length ? Optional.empty() : Optional.of(place);
    }

    /** Digests of a whole pack's pieces in their order; empty as long as it is not there. */
    Optional<List<Digest>> pieces(String pack) throws IOException {
        synchronized (this) {
            if (!known.contains(pack)) {
                return Optional.empty();
            }
        }
        try (FileChannel channel = FileChannel.open(file(pack), Set.of(StandardOpenOption.READ, NOFOLLOW_LINKS))) {
            return PackEnd.read(channel)
                    .map(pieces -> pieces.stream().map(PackEnd.Entry::digest).toList());
        } catch (NoSuchFileException gone) {
            return Optional.empty();
        }
    }

    synchronized Set<Long> prefixes() {
        Set<Long> all = new HashSet<>(places.size() * 2);
        places.keySet().forEach(digest -> all.add(digest.prefix()));
        return all;
    }

    /** Lengths of all pieces. */
    synchronized Set<Integer> lengths() {
        Set<Integer> all = new HashSet<>();
        places.values().forEach(place -> all.add(place.length()));
        return all;
    }

    /** A pack with a wrong byte in it: all that it holds has to come again. */
    synchronized void remove(String pack) throws IOException {
        Files.deleteIfExists(file(pack));
        forget(Set.of(pack));
        // The pieces that it held may lie in another as well.
        known.clear();
        places.clear();
        look();
    }

    synchronized void verified(Collection<String> packs, Instant now) {
        packs.forEach(pack -> verified.put(pack, now));
    }

    /** Whether each of them was read and found right since {@code then}. */
    synchronized boolean areVerified(Collection<String> packs, Instant then) {
        for (String pack : packs) {
            Instant at = verified.get(pack);
            if (at == null || at.isBefore(then)) {
                return false;
            }
        }
        return true;
    }

    /** The age of each begins anew. */
    void touch(Collection<String> packs, Instant now) throws IOException {
        for (String pack : packs) {
            try {
                Files.setLastModifiedTime(file(pack), FileTime.from(now));
            } catch (NoSuchFileException gone) {
                continue; // the reader finds that, too
            }
        }
    }
}
