package org.spillway.stage.worker;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.stage.tree.TarBroken;
import org.spillway.stage.tree.TarReader;
import org.spillway.stage.worker.UnpackPlan.Target;
import org.spillway.stage.worker.UserFiles.Rule;
import org.spillway.stage.worker.UserFiles.Unpacked;

/** Takes a tar file apart, with the rights of this process. What is in it is hostile. One use each. */
final class Unpacker {
    private static final int MEMBERS_PER_SIGN_OF_LIFE = 32;
    private static final long ROOM_LOOKED_FROM_BYTES = 1 << 20;

    private final Path bundle;
    private final String tag;
    private final WorkerFiles.Sink alive;
    private final UnpackPlan plan;
    private final Marks marks;
    /** Folders that were seen to be real ones. */
    private final Set<Path> safe = new HashSet<>();
    /** Folders in which a name changed. */
    private final Set<Path> changed = new LinkedHashSet<>();

    private final byte[] buffer = new byte[Frames.DATA_BYTES];

    /**
     * @param bundle the tar file itself
     * @param marks of what is in its place already, and is left alone
     */
    Unpacker(Path bundle, String tag, List<Rule> rules, Marks marks, WorkerFiles.Sink alive) {
        this.bundle = bundle;
        this.tag = tag;
        this.plan = new UnpackPlan(rules);
        this.alive = alive;
        this.marks = marks;
    }

    /** A member, while the reader stands at its bytes. */
    private interface Visit {
        void member(TarReader.Entry entry, TarReader tar, int place) throws IOException;
    }

    Unpacked unpack() throws IOException {
        each((entry, tar, place) -> plan.add(entry)); // all of it, before anything is written
        try (Renames renames = new Renames(alive, plan, marks)) {
            each((entry, tar, place) -> {
                Target target = plan.target(place);
                if (target != null && !marks.isPlaced(place)) {
                    put(new Renames.Member(place, target, entry.bytes()), entry, tar, renames);
                }
            });
            renames.finish();
        }
        for (Path folder : changed) {
            WorkerFiles.syncFolder(folder);
            alive.working();
        }
        return plan.result();
    }

    /** Members and where they are, once it is unpacked. */
    UnpackPlan plan() {
        return plan;
    }

    private void each(Visit visit) throws IOException {
        try (FileChannel file = FileChannel.open(bundle, StandardOpenOption.READ, NOFOLLOW_LINKS)) {
            TarReader tar = new TarReader(new BufferedInputStream(Channels.newInputStream(file), buffer.length));
            int place = 0;
            for (TarReader.Entry entry = tar.next(); entry != null; entry = tar.next()) {
                visit.member(entry, tar, place++);
                if (place % MEMBERS_PER_SIGN_OF_LIFE == 0) {
                    alive.working();
                }
            }
        } catch (TarBroken e) {
            throw new FileRefused(WorkerFiles.say(bundle) + ": " + e.getMessage());
        }
    }

    private void put(Renames.Member member, TarReader.Entry entry, TarReader tar, Renames renames) throws IOException {
        Target target = member.target();
        PosixFileAttributes old;
        Path temporary;
        FileChannel channel;
        try {
            Path folder = folder(target);
            checkRoom(folder, target, tar.stored());
            old = WorkerFiles.facts(target.file());
            if (old != null && old.isDirectory()) {
                throw new FileRefused(
                        WorkerFiles.say(target.file()) + ": is a folder, so that no file can be put there");
            }
            // Not made from the member's name, which may be as long as a name can be; the same in each repetition,
            // which has
            // fewer to put: what a try that was killed has left is written anew.
            temporary = folder.resolve(".spillway-" + tag + "-" + member.number() + ".part");
            Files.deleteIfExists(temporary);
            channel = FileChannel.open(
                    temporary,
                    Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW, NOFOLLOW_LINKS),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            changed.add(folder);
        } catch (FileSystemException | FileRefused e) {
            plan.failed(target, entry.bytes(), e);
            return;
        }
        renames.add(temporary, channel, member);
        boolean holes = tar.stored() < entry.bytes();
        IOException failure = write(channel, target.file(), tar, entry.bytes());
        UserFiles.Growth growth = plan.growth(target);
        if (failure == null && !growth.adds().isEmpty()) {
            add(member, growth.adds(), temporary);
            renames.drop();
        } else if (failure != null) {
            renames.drop();
            plan.failed(target, entry.bytes(), failure);
        } else if (old != null && old.isRegularFile() && !holes && isSame(old, temporary, target.file())) {
            // Put there before: a repetition must not touch what its user may be reading by now.
            renames.drop();
            marks.placed(member.number());
        } else if (old != null && !holes && growth.continues() && GrowingFile.finish(target.file(), old, temporary)) {
            renames.drop();
            marks.placed(member.number());
        } else {
            Files.getFileAttributeView(temporary, PosixFileAttributeView.class, NOFOLLOW_LINKS)
                    .setPermissions(mode(old, entry));
            renames.written(entry.bytes());
        }
    }

    private void add(Renames.Member member, String tag, Path whole) throws IOException {
        try {
            GrowingFile.add(member.target().file(), tag, whole);
            marks.placed(member.number());
        } catch (FileSystemException | FileRefused cannot) {
            plan.failed(member.target(), member.bytes(), cannot);
        }
    }

    private static Set<PosixFilePermission> mode(@Nullable PosixFileAttributes old, TarReader.Entry entry) {
        return old != null && old.isRegularFile()
                ? old.permissions()
                : PosixFilePermissions.fromString(entry.executable() ? "rwxr-xr-x" : "rw-r--r--");
    }

    private static boolean isSame(PosixFileAttributes old, Path temporary, Path target) throws IOException {
        try {
            return old.size() == Files.size(temporary) && Files.mismatch(temporary, target) < 0;
        } catch (AccessDeniedException unreadable) {
            return false;
        }
    }

    /** A bundle that will not fit fills no disk before it fails. */
    private static void checkRoom(Path folder, Target target, long bytes) throws FileSystemException {
        long free = bytes < ROOM_LOOKED_FROM_BYTES ? 0 : folder.toFile().getUsableSpace();
        // The system says 0 where it does not know, too.
        if (free > 0 && bytes > free) {
            throw new FileSystemException(
                    target.file().toString(),
                    null,
                    "No space left for it: it has " + (bytes >> 20) + " MiB, and " + (free >> 20) + " MiB are free");
        }
    }

    /** Holes stay holes. @return how the disk failed; null when all is written */
    private @Nullable IOException write(FileChannel channel, Path target, TarReader tar, long bytes)
            throws IOException {
        long done = 0;
        for (long at = tar.position(), n = tar.read(buffer); n >= 0; at = tar.position(), n = tar.read(buffer)) {
            ByteBuffer piece = ByteBuffer.wrap(buffer, 0, (int) n);
            try {
                while (piece.hasRemaining()) {
                    at += channel.write(piece, at);
                }
            } catch (IOException e) {
                return Renames.failure(target, e);
            }
            if (done / Frames.WORKING_BYTES != (done + n) / Frames.WORKING_BYTES) {
                alive.working();
            }
            done += n;
        }
        try {
            if (channel.size() < bytes) {
                channel.write(ByteBuffer.allocate(1), bytes - 1);
            }
            return null;
        } catch (IOException e) {
            return Renames.failure(target, e);
        }
    }

    /** The folder of the target. Down to the rule's own folder the user chose the way; below it no link is followed. */
    private Path folder(Target target) throws IOException {
        if (!safe.contains(target.anchor())) {
            make(target.anchor());
            safe.add(target.anchor());
        }
        Path folder = target.anchor();
        Path names = target.anchor().relativize(target.file());
        for (int i = 0; i < names.getNameCount() - 1; i++) {
            Path above = folder;
            folder = folder.resolve(names.getName(i));
            if (safe.contains(folder)) {
                continue;
            }
            PosixFileAttributes facts = WorkerFiles.facts(folder);
            if (facts == null) {
                Files.createDirectory(folder);
                changed.add(above);
            } else if (!facts.isDirectory()) {
                throw new FileRefused(WorkerFiles.say(folder)
                        + (facts.isSymbolicLink()
                                ? ": is a symbolic link; results are not put behind links, so name its target as destination"
                                : ": is no folder, but results are to be put into it"));
            }
            safe.add(folder);
        }
        return folder;
    }

    private void make(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Path above = folder.getParent();
        Set<Path> touched = new LinkedHashSet<>();
        while (above != null && !changed.contains(above)) {
            boolean there = Files.isDirectory(above);
            touched.add(above);
            above = there ? null : above.getParent();
        }
        Files.createDirectories(folder);
        changed.addAll(touched);
    }
}
