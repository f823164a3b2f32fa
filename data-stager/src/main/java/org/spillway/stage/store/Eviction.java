package org.spillway.stage.store;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Removes from a region what no job has and nobody has used for long, and when room is short what was used longest
 * ago. Nothing goes that a job has, nor what came a moment ago and may be wanted by a job in the next one.
 */
public final class Eviction {
    /** Unused for so long, it goes. */
    static final Duration AGE_MOST = Duration.ofDays(7);
    /** Used so lately, it stays even when room is short. */
    static final Duration FRESH = Duration.ofMinutes(30);

    private static final Duration PART_AGE_MOST = Duration.ofDays(2);

    private final Path root;
    private final PieceStore pieces;

    /** @param root of the staging space */
    public Eviction(Path root, PieceStore pieces) {
        this.root = root;
        this.pieces = pieces;
    }

    /** @param used when it was last */
    private record Candidate(Path file, Instant used, long bytes) {}

    /** A tenth of the disk is kept free for what comes. */
    public boolean isRoomShort() throws IOException {
        FileStore disk = Files.getFileStore(root);
        return disk.getUsableSpace() < disk.getTotalSpace() / 10;
    }

    /** Removes what may go. @param bytesWanted so many more when room is short; 0 when it is not */
    public void evict(Instant now, long bytesWanted) throws IOException {
        List<Candidate> all = new ArrayList<>();
        for (int uid : users()) {
            Path user = root.resolve("users/" + uid);
            add(all, user.resolve("packs"), pieces.packsInUse(uid, pieces.shelfOf(uid)), now);
            add(all, user.resolve("recipes"), recipesInUse(uid), now);
        }
        all.sort(Comparator.comparing(Candidate::used));
        long wanted = bytesWanted;
        for (Candidate each : all) {
            boolean old = each.used().isBefore(now.minus(AGE_MOST));
            boolean inTheWay = wanted > 0 && each.used().isBefore(now.minus(FRESH));
            if (old || inTheWay) {
                Files.deleteIfExists(each.file());
                wanted -= each.bytes();
            }
        }
    }

    private List<Integer> users() throws IOException {
        List<Integer> users = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(root.resolve("users"))) {
            for (Path folder : folders) {
                String name = String.valueOf(folder.getFileName());
                if (name.matches("[0-9]{1,10}")) {
                    users.add(Integer.parseInt(name));
                }
            }
        } catch (NoSuchFileException none) {
            return users;
        }
        return users;
    }

    private Set<String> recipesInUse(int uid) throws IOException {
        Set<String> used = new HashSet<>();
        for (PieceStore.Given given : pieces.allGiven()) {
            if (given.uid() == uid) {
                used.add(given.recipe());
                used.add(given.recipe() + PieceStore.SUM_SUFFIX);
            }
        }
        return used;
    }

    private static void add(List<Candidate> all, Path folder, Set<String> inUse, Instant now) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                String name = String.valueOf(file.getFileName());
                Instant used = Files.getLastModifiedTime(file).toInstant();
                boolean growing = name.endsWith(".part") && !used.isBefore(now.minus(PART_AGE_MOST));
                if (!growing && !inUse.contains(name)) {
                    all.add(new Candidate(file, used, Files.size(file)));
                }
            }
        } catch (NoSuchFileException gone) {
            return; // the user has nothing here, or it went meanwhile
        }
    }
}
