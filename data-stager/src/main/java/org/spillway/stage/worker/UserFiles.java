package org.spillway.stage.worker;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.spillway.stage.Checksum;
import org.spillway.stage.reach.Question;
import org.spillway.stage.reach.Reply;
import org.spillway.stage.store.Digest;
import org.spillway.stage.tree.Glob;

/**
 * Files with one user's rights. Every call is done by a process that has that user's uid, gid and groups, so the
 * kernel judges it; nothing is checked here first and done later by someone else. Paths are absolute.
 */
public interface UserFiles extends AutoCloseable {
    /** Bytes already written of the hidden part file {@code .NAME.spillway-TAG.part} beside {@code target}; 0 if none. */
    long partBytes(Path target, String tag) throws IOException;

    /**
     * Writes to the part file from {@code offset} on, which is at most {@link #partBytes}; what lay behind is dropped.
     * Creates it with mode 600, never through a symbolic link, and the folders above it where they are missing.
     *
     * @throws IOException on a full disk or when {@code bytes} fails; a prefix stays, to go on from or to {@link #abandon}
     */
    void writePart(Path target, String tag, long offset, InputStream bytes) throws IOException;

    /**
     * Verifies the part file and syncs it and its folder: from here on it survives a loss of power. Nothing is visible.
     *
     * @throws org.spillway.stage.transfer.ChecksumMismatch if it is something else; it is removed then
     */
    void settle(Path target, String tag, Checksum checksum) throws IOException;

    /**
     * Writes the part file's bytes from {@code offset} on to {@code sink}.
     *
     * @throws FileRefused if there is none, or it has fewer bytes
     */
    void readPart(Path target, String tag, long offset, OutputStream sink) throws IOException;

    /** Removes the part file, for an output that will not be published; absent is success. */
    void abandon(Path target, String tag) throws IOException;

    /**
     * The regular files that a pattern names, sorted by path: an absolute path of a file, of a folder (all below it), or
     * a {@link Glob}. Symbolic links to files are followed; folders behind links are not entered, except one that the
     * fixed part of the pattern names. Pipes, devices, links to nothing and Spillway's own part files are left out.
     *
     * @throws FileRefused if nothing matches, a file or folder may not be read, or a limit is passed; the message says which
     */
    List<Found> find(String absolutePattern, Limits limits) throws IOException;

    /**
     * Writes pieces of files, one after the other and nothing between them, from byte {@code offset} of all of that on.
     *
     * @param offset 0 to the length of all
     * @return the digest of each piece, those before {@code offset} too
     * @throws FileRefused if a file may not be read, or has other bytes or another modification time than listed
     */
    List<Digest> pieces(List<Slice> slices, long offset, OutputStream sink) throws IOException;

    /**
     * Takes a settled bundle apart, the part file of {@code bundle} (see {@link #settle}), which stays. Each member that a
     * rule takes is written beside its destination under a hidden name with mode 600, synced, and renamed into place; an
     * existing file's mode is kept, a new one gets 644 or 755;
     * a file that has the same bytes already is left as it is. A member goes by the first rule that covers it; of those
     * with the same destination the first wins. Folders are made; below a rule's destination no symbolic link is gone
     * through. Links, devices, pipes and names that are absolute, climb by {@code ..} or hold control characters are
     * skipped and told. A member that cannot be put in its place (not writable, a folder, behind a link, no room) withholds
     * no other: its rule is among the failures. May be repeated as a whole at any time: what this bundle has put in its
     * place once is not put there again, as its user may have changed, moved or removed it since.
     *
     * @throws FileRefused if the bundle is gone or no tar; nothing was written then
     * @throws org.spillway.stage.transfer.ChecksumMismatch if the bundle is something else; it is removed then
     */
    default Unpacked unpack(Path bundle, String tag, Checksum checksum, List<Rule> rules) throws IOException {
        return unpackRound(bundle, tag, checksum, rules, 0);
    }

    /**
     * The same with a round of a job that runs. What it has put in its places is written down beside the bundle, in a hidden
     * list of tag {@link #roundsTag}, for {@link #gather}; all rounds of an attempt have one tag.
     *
     * @param round 1 or more, of which the latest that has a file counts; 0 for a bundle that is no round
     */
    Unpacked unpackRound(Path bundle, String tag, Checksum checksum, List<Rule> rules, int round) throws IOException;

    /** Tag of the list that rounds of that tag keep: {@link #abandon} removes it. */
    static String roundsTag(String tag) {
        return tag + "-list";
    }

    /**
     * Makes one bundle of what rounds have put in their places, named as on the nodes: a settled part file beside one of
     * the bundles. Changes nothing else; may be repeated.
     *
     * @param bundles where rounds have been brought, or may have been
     * @param tag of the rounds
     * @param into tag of the part file that is made
     * @throws FileRefused if there were no rounds, one of them is not wholly in its places, a file is not the one that came
     *     home any more, or there is no room; nothing is left then
     */
    Checksum gather(List<Path> bundles, String tag, String into) throws IOException;

    /** Bytes that {@link #grow} takes at a time: all that a director keeps of a stream. */
    int GROWTH_BYTES_MAX = 192 * 1024;

    /**
     * Adds what a running job has written to a file that people watch, in place: whoever follows it goes on reading. A piece
     * that is there already, wholly or in part, is compared and adds what is new, so a call may be repeated. Nothing is made
     * but the file; it is not synced.
     *
     * @param adds the run's tag where its output goes behind what the file had before, whatever that is; empty where the file
     *     is the run's own. What such a run has added is kept beside the file until {@link #abandon} of {@link #added} and that tag
     * @param from offset of the first byte in the stream
     * @param first whether this is the first piece of a run that this head has: other bytes in the file then make way for
     *     a piece that begins the stream, as they do for a job at home, and so do the same ones with more behind them
     * @return offset behind the piece
     * @throws FileRefused if there is something else than the stream's bytes before that offset, no regular file, or no right
     */
    long grow(Path file, String adds, long from, byte[] bytes, boolean first) throws IOException;

    /** The name for which it is kept what runs have added to a file. */
    static Path added(Path file) {
        return file.resolveSibling("spillway-added-" + file.getFileName());
    }

    /**
     * The roots of what a job may ask for.
     *
     * @param roots absolute; they may be links themselves
     * @param hidden paths, real or below a root as it is named, that are not there with all below them
     */
    record Bounds(List<Path> roots, List<Path> hidden) {
        public Bounds {
            roots = List.copyOf(roots);
            hidden = List.copyOf(hidden);
        }
    }

    /** Answers a question of a job that runs elsewhere. Changes nothing. */
    Reply reach(Bounds bounds, Question question) throws IOException;

    /**
     * Whether outputs could be put in their places if they were there now. Changes nothing.
     *
     * @param patience how long to wait for the worker when it is busy with something else
     * @return one for each, in their order; empty when the worker was busy for all that time
     */
    Optional<List<Place>> look(List<Wish> wishes, Duration patience) throws IOException;

    /**
     * The files that an input names which does not lie at home: one of {@link org.spillway.stage.tree.Origin}. Buckets and,
     * where that is wanted, sizes are asked for by the user's process, with the user's own keys.
     *
     * @throws FileRefused if there is nothing, keys are missing or refused, or a list cannot be read; the message says which
     */
    List<Distant> distant(String pattern, Reach reach) throws IOException;

    /**
     * Leave to fetch files for some time, one for each in their order. Keys of a bucket stay in the user's process.
     *
     * @throws FileRefused if the user's keys or passwords are gone, or others may read them
     */
    List<Ticket> tickets(List<Distant> files) throws IOException;

    /**
     * An image, verified, and kept at the user's home in the form that goes to sites; or only its name by the digest that it has
     * now, for which its registry is asked once. A registry gets the user's own login.
     *
     * @param name a text of {@link org.spillway.stage.tree.ImageName}
     * @param trust certificates in PEM that are trusted besides the usual ones; empty for none
     * @param whole whether it is fetched, and not only looked up
     * @return absolute path of a folder, of whose files every image has the same ones; or that name
     * @throws FileRefused if it cannot be had, not by this user, or is not what its digest says
     * @throws IOException if nobody answers just now, or there is no room; what has come is kept for the next try
     */
    String image(String name, String trust, boolean whole) throws IOException;

    /** Ends the process that does the work. A later call starts it anew. */
    @Override
    void close();

    /**
     * @param path as the pattern led to it
     * @param realPath without symbolic links
     * @param modifiedNanos modification time in nanoseconds since 1970
     * @param executable whether its owner may execute it
     * @param stamp device, inode and time of the latest change of the file: with size and modification time, the same as
     *     long as nobody has touched it
     */
    record Found(String path, String realPath, long bytes, long modifiedNanos, boolean executable, Stamp stamp) {
        public Found {
            if (!path.startsWith("/") || !realPath.startsWith("/") || bytes < 0) {
                throw new IllegalArgumentException("not a file that was found: '" + path + "', " + bytes + " bytes");
            }
        }
    }

    /**
     * A file's identity.
     *
     * @param file device and inode, as text
     * @param changedNanos when content, name or rights were last changed, in nanoseconds since 1970; no user can set it
     * @param fine two changes that are a tick of this machine's clock apart have two such times
     */
    record Stamp(String file, long changedNanos, boolean fine) {}

    /**
     * A piece of a file.
     *
     * @param from its first byte
     * @param length 1 or more
     */
    record Slice(Packed file, long from, int length) {
        public Slice {
            if (from < 0 || length < 1 || from + length > file.bytes()) {
                throw new IllegalArgumentException("no such piece of '" + file.path() + "'");
            }
        }

        /** Whether the file ends with it. */
        public boolean isLast() {
            return from + length == file.bytes();
        }
    }

    /**
     * @param files at most so many, 1 to {@value Bundles#FILES_MAX}
     * @param bytes of all files together, 0 or more
     */
    record Limits(int files, long bytes) {
        public Limits {
            if (files < 1 || files > Bundles.FILES_MAX || bytes < 0) {
                throw new IllegalArgumentException("not limits: " + files + " files, " + bytes + " bytes");
            }
        }
    }

    /**
     * @param path absolute
     * @param name in the bundle: relative, without {@code ..}, at most {@value Bundles#NAME_BYTES_MAX} bytes
     */
    record Packed(String path, String name, long bytes, long modifiedNanos, boolean executable) {
        public Packed {
            Bundles.checkName(name);
            if (!path.startsWith("/") || bytes < 0) {
                throw new IllegalArgumentException("cannot be packed: '" + path + "', " + bytes + " bytes");
            }
        }
    }

    /**
     * A rule for members of a bundle: which, and where to.
     *
     * @param pattern a relative {@link Glob} over their names
     * @param destination absolute. With {@code tree} a folder, in which they keep their names below {@link Glob#base}
     *     (a member that is the base itself, its last name); otherwise the place of the one file, or folder, that a plain
     *     pattern names, or of the first file that another one matches
     * @param growth what becomes of a file that is there
     */
    record Rule(String pattern, Path destination, boolean tree, Growth growth) {
        public Rule(String pattern, Path destination, boolean tree) {
            this(pattern, destination, tree, Growth.NONE);
        }

        public Rule {
            if (Glob.parse(pattern).isAbsolute() || !destination.isAbsolute()) {
                throw new IllegalArgumentException(
                        "not a rule: '" + pattern + "' has to be relative, " + destination + " absolute");
            }
        }
    }

    /**
     * A file that is there, when a member comes for its place ({@link #grow}).
     *
     * @param continues whether it gets the rest of a member of which it is the beginning, and stays the same file
     * @param adds tag of the run whose member goes behind what it has; empty for none
     */
    record Growth(boolean continues, String adds) {
        /** The member takes its place. */
        public static final Growth NONE = new Growth(false, "");
    }

    /**
     * A rule's yield.
     *
     * @param covered files that it names, whether it took them or a rule before it did
     */
    record Taken(int files, long bytes, int covered) {}

    /**
     * A rule of which a member is not in its place.
     *
     * @param rule its place in the list, from 0
     * @param members that are not
     * @param said of the first of them: path and reason
     * @param refused by the user's rights or the file's nature; otherwise by the machine, such as a full disk
     */
    record Failure(int rule, int members, String said, boolean refused) {}

    /**
     * @param rules one for each rule, in its order
     * @param skipped members other than folders that no rule took, or that are not put anywhere
     * @param reasons of the first {@value Bundles#REASONS_MAX} of them: the name, without control characters, and why
     * @param failures one for each rule that has any, in their order
     */
    record Unpacked(List<Taken> rules, long skipped, List<String> reasons, List<Failure> failures) {
        public Unpacked {
            rules = List.copyOf(rules);
            reasons = List.copyOf(reasons);
            failures = List.copyOf(failures);
        }
    }

    /**
     * Bounds of what may be asked of others.
     *
     * @param networks private ones that may be reached, as {@code ADDRESS/BITS}
     * @param trust certificates in PEM that are trusted besides the usual ones; empty for none
     * @param sizes whether single files are asked for their size
     * @param files at most so many
     */
    record Reach(List<String> networks, String trust, boolean sizes, int files) {
        public Reach {
            networks = List.copyOf(networks);
        }
    }

    /**
     * A file that does not lie at home.
     *
     * @param origin a text of {@link org.spillway.stage.tree.Origin}, which may hold a secret
     * @param name relative, below what the input names; a server's word
     * @param bytes -1 where nobody says
     * @param sha256 that it has to have; empty for any
     */
    record Distant(String origin, String name, long bytes, String sha256) {
        /** Without the origin: this text may reach a log. */
        @Override
        public String toString() {
            return "Distant[" + name + "]";
        }
    }

    /**
     * Leave to fetch a file.
     *
     * @param url may be a secret
     * @param authorization of the server's first answer; empty for none
     * @param key 64 hex digits for where the file lies, the same each time
     */
    record Ticket(String url, String authorization, String key) {
        /** Without secrets: this text may reach a log. */
        @Override
        public String toString() {
            return "Ticket[" + key + "]";
        }
    }

    /** Kind of a destination. */
    enum Shape {
        FILE,
        FOLDER,
        /** A file or a folder: nobody knows before it is made. */
        EITHER
    }

    /** A destination that will be wanted. @param destination absolute */
    record Wish(Path destination, Shape shape) {
        public Wish {
            if (!destination.isAbsolute()) {
                throw new IllegalArgumentException(destination + " is not absolute");
            }
        }
    }

    /**
     * A destination as it is now.
     *
     * @param problem why nothing can be put there, with the path and what to do; empty for none that can be seen
     * @param fileSystem where it is: its type and its name
     * @param freeBytes for this user there; {@link Long#MAX_VALUE} when not known
     */
    record Place(String problem, String fileSystem, long freeBytes) {}
}
