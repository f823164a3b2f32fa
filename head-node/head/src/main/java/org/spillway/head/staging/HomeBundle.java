package org.spillway.head.staging;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.spillway.stage.Checksum;
import org.spillway.stage.transfer.Transfer;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.UserFiles;

/**
 * A bundle of a region that lies, or is to lie, hidden among a user's files.
 *
 * @param places in the order in which they are tried; at least one
 * @param key in the region
 * @param tag of its part file
 */
record HomeBundle(List<Path> places, String key, String tag, Checksum checksum) {
    /** A user's worker that copies is not waited for. */
    private static final Duration PATIENCE = Duration.ofMillis(500);

    HomeBundle {
        places = List.copyOf(places);
    }

    /** @return where it lies: the first of the places that took it */
    Path bring(UserFiles user, Transfer transfer, LongConsumer moved) throws IOException {
        IOException refused = null;
        for (Path bundle : places) {
            try {
                long offset = Math.min(user.partBytes(bundle, tag), checksum.bytes());
                checkRoom(user, bundle, checksum.bytes() - offset);
                Pump.run(
                        sink -> {
                            transfer.receive(key, offset, new Bounded(sink, checksum.bytes() - offset));
                            return true;
                        },
                        bytes -> user.writePart(bundle, tag, offset, new Counted(bytes, offset, moved)));
                // Before anybody says that it is home: a loss of power must not find the only copy in a cache.
                user.settle(bundle, tag, checksum);
                return bundle;
            } catch (FileRefused e) {
                // Not there; another of the folders that its user has named may do.
                refused = refused == null ? e : refused;
            }
        }
        throw refused == null ? new FileRefused(key + ": its job has no folder") : refused;
    }

    /** Copies what {@link #bring} has brought into a region. @throws FileRefused if it is not here any more */
    void send(UserFiles user, Transfer transfer) throws IOException {
        if (!transfer.isSealed(key)) {
            Path bundle = place(user);
            long offset = Math.min(transfer.received(key), checksum.bytes());
            Pump.run(
                    sink -> {
                        user.readPart(bundle, tag, offset, new Bounded(sink, checksum.bytes() - offset));
                        return true;
                    },
                    bytes -> {
                        transfer.send(key, offset, bytes);
                    });
        }
        transfer.seal(key, checksum);
    }

    /** Where it lies: it was brought to the first place that would take it. */
    Path place(UserFiles user) throws IOException {
        for (Path place : places) {
            try {
                if (user.partBytes(place, tag) == checksum.bytes()) {
                    return place;
                }
            } catch (FileRefused notThere) {
                continue;
            }
        }
        return places.getFirst();
    }

    /** A bundle that will not fit does not fill the disk before it fails. */
    private static void checkRoom(UserFiles user, Path bundle, long bytes) throws IOException {
        Optional<List<UserFiles.Place>> found =
                user.look(List.of(new UserFiles.Wish(bundle, UserFiles.Shape.FILE)), PATIENCE);
        long free = found.map(each -> each.getFirst().freeBytes()).orElse(Long.MAX_VALUE);
        if (free < bytes) {
            throw new FileRefused(bundle.getParent() + ": its results need " + (bytes >> 20) + " MiB, and "
                    + (free >> 20) + " MiB are free there");
        }
    }
}
