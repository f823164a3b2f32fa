package org.spillway.slurm.setup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.spillway.slurm.conf.SlurmFiles;
import org.spillway.slurm.conf.Wanted;

/** Changes a site's files of Slurm, and takes the changes back. */
public final class SlurmSetup {
    /** Where, in the head's state directory. */
    public static final String FOLDER = "slurm-setup";

    private static final String NEW_FILE = "rw-r--r--";
    private static final String NEW_PROGRAM = "rwxr-xr-x";

    private final SetupStore store;

    public SlurmSetup(SetupStore store) {
        this.store = store;
    }

    /**
     * Changes to be made.
     *
     * @param changes files that are to be changed, in the order in which they are
     * @param notes sentences about what is left alone
     * @param restart whether slurmctld has to be started again for it
     */
    public record Proposal(List<Change> changes, List<String> notes, boolean restart, List<Manifest.Managed> then) {
        public Proposal {
            changes = List.copyOf(changes);
            notes = List.copyOf(notes);
            then = List.copyOf(then);
        }
    }

    /** @param diff as {@code diff -u} writes it */
    public record Change(Manifest.Move move, String diff) {}

    /**
     * @param conf slurm.conf, or a link to it
     * @param filter whether {@code CliFilterPlugins=lua} is wished for where no filter is
     * @throws SetupRefused if a file has something that cannot be told from ours, or does not go with it
     */
    public Proposal propose(Path conf, Wanted wanted, SlurmFiles.Place place, boolean filter)
            throws IOException, SetupRefused {
        Manifest now = store.manifest();
        var bases = new Bases(now);
        SetupPlan plan = SetupPlan.of(new SetupPlan.Site(conf, file -> bases.text(real(file)), place, filter), wanted);
        bases.refuse();
        Map<String, SetupPlan.Wish> wishes = new LinkedHashMap<>();
        plan.files().forEach((file, wish) -> wishes.put(real(file).toString(), wish));
        // Programs and hooks come first, so that slurm.conf never names what is not there.
        Set<String> paths = new LinkedHashSet<>(wishes.keySet());
        now.files().forEach(file -> paths.add(file.path()));
        paths.remove(real(conf).toString());
        paths.add(real(conf).toString());
        List<Change> changes = new ArrayList<>();
        List<Manifest.Managed> then = new ArrayList<>();
        for (String path : paths) {
            Path file = Path.of(path);
            FileState seen = store.look(file);
            FileState original = bases.of(file);
            SetupPlan.Wish wish = wishes.get(path);
            FileState ours = wish == null ? original : wished(wish, original, file);
            if (!ours.equals(original)) {
                then.add(new Manifest.Managed(path, original, ours));
            }
            if (!ours.equals(seen)) {
                changes.add(change(new Manifest.Move(path, seen, ours)));
            }
        }
        return new Proposal(
                changes, plan.notes(), isForStart(changes, real(conf).toString()), then);
    }

    /** More nodes and partitions are taken in by {@code scontrol reconfigure}; some settings are not. */
    private boolean isForStart(List<Change> changes, String conf) throws IOException {
        for (Change change : changes) {
            Manifest.Move move = change.move();
            if (move.path().equals(conf) && !settings(move.from()).equals(settings(move.to()))) {
                return true;
            }
        }
        return false;
    }

    private List<String> settings(FileState conf) throws IOException {
        return ConfText.of(store.text(conf)).statements().stream()
                .filter(statement ->
                        !statement.key().equals("nodename") && !statement.key().equals("partitionname"))
                .map(ConfText.Statement::whole)
                .toList();
    }

    /** A link stays one: the file behind it is changed. */
    private static Path real(Path file) {
        try {
            return file.toRealPath();
        } catch (IOException missing) {
            return file.toAbsolutePath().normalize();
        }
    }

    private FileState wished(SetupPlan.Wish wish, FileState original, Path file) throws IOException {
        byte[] bytes = Texts.bytes(wish.text());
        store.keep(bytes);
        String digest = Digests.sha256(bytes);
        if (original.isThere()) {
            return new FileState(digest, original.mode(), original.uid(), original.gid());
        }
        Path folder = file.toAbsolutePath().getParent();
        Map<String, Object> owner = folder == null ? Map.of() : Files.readAttributes(folder, "unix:uid,gid");
        return new FileState(
                digest, wish.executable() ? NEW_PROGRAM : NEW_FILE, (Integer) owner.getOrDefault("uid", 0), (Integer)
                        owner.getOrDefault("gid", 0));
    }

    private Change change(Manifest.Move move) throws IOException {
        return new Change(
                move,
                UnifiedDiff.of(
                        move.from().isThere() ? move.path() : "/dev/null",
                        move.to().isThere() ? move.path() : "/dev/null",
                        Texts.shown(store.text(move.from())),
                        Texts.shown(store.text(move.to()))));
    }

    /** Makes it so. @throws SetupRefused if a file was changed since it was looked at */
    public void make(Proposal proposal) throws IOException, SetupRefused {
        for (Change change : proposal.changes()) {
            if (!store.look(Path.of(change.move().path())).equals(change.move().from())) {
                throw new SetupRefused(change.move().path() + " was changed just now", "try again");
            }
        }
        store.move(
                store.manifest(), proposal.changes().stream().map(Change::move).toList(), proposal.then());
    }

    /**
     * The way back: each file as it was, or, where somebody has changed it since, without our lines.
     *
     * @throws SetupRefused if our own lines were changed
     */
    public Proposal back() throws IOException, SetupRefused {
        Manifest now = store.manifest();
        var bases = new Bases(now);
        List<Change> changes = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        for (Manifest.Managed file : now.files().reversed()) {
            FileState seen = store.look(Path.of(file.path()));
            FileState base = bases.of(Path.of(file.path()));
            if (!base.equals(file.original())) {
                notes.add(file.path() + " was changed by somebody since: their lines stay, ours go");
            }
            if (!base.equals(seen)) {
                changes.add(change(new Manifest.Move(file.path(), seen, base)));
            }
        }
        bases.refuse();
        return new Proposal(changes, notes, !changes.isEmpty(), List.of());
    }

    /** Files as they would be without us. */
    private final class Bases {
        private final Manifest now;
        private final Map<Path, FileState> known = new HashMap<>();
        private final Map<String, String> refusals = new LinkedHashMap<>();

        Bases(Manifest now) {
            this.now = now;
        }

        Optional<String> text(Path file) {
            try {
                FileState base = of(file);
                return base.isThere() ? Optional.of(store.text(base)) : Optional.empty();
            } catch (IOException unreadable) {
                refusals.put(file.toString(), file + " cannot be read: " + unreadable.getMessage());
                return Optional.empty();
            }
        }

        FileState of(Path file) throws IOException {
            FileState already = known.get(file);
            if (already == null) {
                already = find(file);
                known.put(file, already);
            }
            return already;
        }

        private FileState find(Path file) throws IOException {
            FileState seen = store.look(file);
            Optional<Manifest.Managed> managed = now.of(file.toString());
            if (managed.isPresent() && seen.holds(managed.get().ours())) {
                return managed.get().original();
            }
            if (!seen.isThere()) {
                return FileState.ABSENT;
            }
            if (managed.isPresent() && !managed.get().original().isThere()) {
                refusals.put(file.toString(), changed(managed.get(), seen, "it was written by 'spillway slurm setup'"));
                return seen;
            }
            String text = store.text(seen);
            Marks marks = file.toString().endsWith(".lua") ? Marks.LUA : Marks.CONF;
            if (!marks.isIn(text)) {
                return seen;
            }
            return switch (marks.without(text)) {
                case Marks.TakenOut.Clean clean -> {
                    byte[] bytes = Texts.bytes(clean.text());
                    store.keep(bytes);
                    yield new FileState(Digests.sha256(bytes), seen.mode(), seen.uid(), seen.gid());
                }
                case Marks.TakenOut.Touched touched -> {
                    refusals.put(
                            file.toString(),
                            managed.isPresent()
                                    ? changed(managed.get(), seen, "line " + touched.line() + ": " + touched.why())
                                    : file + ":" + touched.line() + ": " + touched.why());
                    yield seen;
                }
            };
        }

        private String changed(Manifest.Managed file, FileState seen, String why) throws IOException {
            return file.path() + " was changed since, where it is ours (" + why + "):\n"
                    + Texts.shown(UnifiedDiff.of(
                            file.path() + " (ours)", file.path(), store.text(file.ours()), store.text(seen)));
        }

        void refuse() throws SetupRefused {
            if (!refusals.isEmpty()) {
                throw new SetupRefused(
                        String.join("\n", refusals.values()),
                        "nothing was changed; take these changes back (patch -R), or move the file away, and try again");
            }
        }
    }
}
