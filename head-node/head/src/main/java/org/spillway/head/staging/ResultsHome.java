package org.spillway.head.staging;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.stage.Checksum;
import org.spillway.stage.worker.FileRefused;
import org.spillway.stage.worker.Identity;
import org.spillway.stage.worker.UserFiles;
import org.spillway.stage.worker.UserWorkers;

/**
 * Puts what another machine sends as a tar into a user's folder, as that user: first whole in a hidden part file, which
 * is synced, then member by member into place. May be repeated: what is there with the same bytes stays as it is.
 */
public final class ResultsHome {
    private static final Logger LOG = LoggerFactory.getLogger(ResultsHome.class);

    private final UserWorkers workers;

    public ResultsHome(UserWorkers workers) {
        this.workers = workers;
    }

    /** A writer of a tar. */
    @FunctionalInterface
    public interface Source {
        /** @throws IOException if the tar is not whole; nothing is put into place then */
        void writeTo(OutputStream sink) throws IOException;
    }

    /**
     * Whether the user may write there; makes the folder.
     *
     * @throws FileRefused if not
     */
    public void check(Identity user, Path folder, String tag) throws FileRefused, IOException {
        UserFiles files = workers.as(user);
        Path probe = folder.resolve(tag);
        files.writePart(probe, tag, 0, InputStream.nullInputStream());
        files.abandon(probe, tag);
    }

    /**
     * @param member the only one that is taken, a file or a folder at the top of the tar
     * @param destination absolute; becomes that member
     * @param tag of the part file, of letters, digits and dashes
     * @return files that are there now
     */
    public int bring(Identity user, String member, Path destination, String tag, Source source)
            throws FileRefused, IOException {
        UserFiles files = workers.as(user);
        AtomicLong bytes = new AtomicLong();
        MessageDigest digest = sha256();
        Pump.run(
                sink -> {
                    source.writeTo(sink);
                    return true;
                },
                in -> files.writePart(
                        destination, tag, 0, new Counted(new DigestInputStream(in, digest), 0, bytes::set)));
        Checksum checksum = new Checksum(bytes.get(), HexFormat.of().formatHex(digest.digest()));
        files.settle(destination, tag, checksum);
        UserFiles.Unpacked unpacked = files.unpack(
                destination, tag, checksum, List.of(new UserFiles.Rule(plain(member), destination, false)));
        if (!unpacked.failures().isEmpty()) {
            UserFiles.Failure failure = unpacked.failures().getFirst();
            throw failure.refused() ? new FileRefused(failure.said()) : new IOException(failure.said());
        }
        files.abandon(destination, tag);
        if (unpacked.skipped() > 0) {
            LOG.warn("{}: {} things are not put anywhere: {}", destination, unpacked.skipped(), unpacked.reasons());
        }
        return unpacked.rules().getFirst().files();
    }

    /** A pattern that means this name. */
    private static String plain(String name) {
        return name.replaceAll("[\\\\*?\\[\\]{},!]", "\\\\$0");
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
