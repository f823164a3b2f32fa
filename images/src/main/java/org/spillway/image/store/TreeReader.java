package org.spillway.image.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.spillway.image.ImageRefused;
import org.spillway.image.posix.FileFacts;
import org.spillway.image.posix.Posix;
import org.spillway.image.tree.Entry;
import org.spillway.image.tree.Entry.Kind;
import org.spillway.image.tree.Manifest;
import org.spillway.image.tree.RawName;

/** Reads a tree as it lies on a disk. What is mounted in it is another's, and not looked into. */
final class TreeReader {
    /** More than the largest known root file systems have; a bound for memory. */
    private static final int ENTRIES_MAX = 5_000_000;

    /** @param mounted paths at which something else is mounted */
    record Found(Manifest manifest, List<String> mounted) {}

    private record Seen(String path, FileFacts facts) {}

    private final Posix posix;
    private final String root;
    private final Contents contents;
    private final Watch watch;
    private final List<Seen> seen = new ArrayList<>();
    private final List<String> mounted = new ArrayList<>();

    private TreeReader(Posix posix, String root, Contents contents, Watch watch) {
        this.posix = posix;
        this.root = root;
        this.contents = contents;
        this.watch = watch;
    }

    /** @throws ImageRefused if something changes while it is read */
    static Found read(Posix posix, Path root, Contents contents, Watch watch) throws IOException {
        String raw = Posix.raw(root.toRealPath());
        var reader = new TreeReader(posix, raw.equals("/") ? "" : raw, contents, watch);
        reader.look();
        return new Found(Manifest.of(reader.entries()), reader.mounted);
    }

    private String absolute(String path) {
        return path.isEmpty() ? root + "/." : root + "/" + path;
    }

    private void look() throws IOException {
        FileFacts top = posix.facts(absolute(""));
        seen.add(new Seen("", top));
        var folders = new ArrayDeque<String>();
        folders.add("");
        while (!folders.isEmpty()) {
            String folder = folders.removeLast();
            for (String name : posix.list(absolute(folder))) {
                String path = folder.isEmpty() ? name : folder + "/" + name;
                FileFacts facts = posix.facts(absolute(path));
                if (facts.place().mount() != top.place().mount()) {
                    mounted.add(path);
                    continue;
                }
                seen.add(new Seen(path, facts));
                if (facts.type() == Posix.FOLDER) {
                    folders.add(path);
                }
                if (seen.size() > ENTRIES_MAX) {
                    throw new ImageRefused("more than " + ENTRIES_MAX + " files are in " + RawName.shown(root));
                }
            }
            watch.at(Watch.Phase.LOOKING, seen.size(), 0);
        }
        seen.sort(Comparator.comparing(Seen::path));
    }

    private List<Entry> entries() throws IOException {
        long all = seen.stream()
                .filter(one -> one.facts().type() == Posix.FILE)
                .mapToLong(one -> one.facts().size())
                .sum();
        long done = 0;
        var entries = new ArrayList<Entry>();
        Map<FileFacts.Place, String> names = new HashMap<>();
        for (Seen one : seen) {
            FileFacts facts = one.facts();
            boolean several = facts.links() > 1 && facts.type() != Posix.FOLDER;
            String first = several ? names.putIfAbsent(facts.place(), one.path()) : null;
            entries.add(first == null ? entry(one.path(), facts) : Entry.hardLink(one.path(), first));
            if (facts.type() == Posix.FILE) {
                done += facts.size();
                watch.at(Watch.Phase.READING, done, all);
            }
        }
        return entries;
    }

    private Entry entry(String path, FileFacts facts) throws IOException {
        String file = absolute(path);
        Kind kind = kind(facts, file);
        String content = switch (kind) {
            case FILE -> content(file, facts);
            case SYMLINK -> posix.readLink(file);
            case CHARACTER, BLOCK -> facts.deviceMajor() + ":" + facts.deviceMinor();
            default -> "";
        };
        var attributes = new TreeMap<String, String>();
        for (String name : posix.attributes(file)) {
            if (Attributes.isPart(name)) {
                attributes.put(name, posix.attribute(file, name));
            }
        }
        return new Entry(
                path,
                kind,
                facts.permissions(),
                facts.uid(),
                facts.gid(),
                kind == Kind.FILE ? facts.size() : 0,
                content,
                attributes);
    }

    private String content(String file, FileFacts facts) throws IOException {
        String sha256 = contents.sha256(file, facts);
        FileFacts after = posix.facts(file);
        if (!after.times().equals(facts.times()) || after.size() != facts.size()) {
            throw new ImageRefused(
                    RawName.shown(file) + " changed while it was read; try again when nothing writes there");
        }
        return sha256;
    }

    private static Kind kind(FileFacts facts, String file) throws ImageRefused {
        return switch (facts.type()) {
            case Posix.FOLDER -> Kind.FOLDER;
            case Posix.FILE -> Kind.FILE;
            case Posix.LINK -> Kind.SYMLINK;
            case Posix.CHARACTER -> Kind.CHARACTER;
            case Posix.BLOCK -> Kind.BLOCK;
            case Posix.PIPE -> Kind.PIPE;
            case Posix.SOCKET -> Kind.SOCKET;
            default -> throw new ImageRefused(RawName.shown(file) + " is of no known type");
        };
    }
}
