package org.spillway.image.tree;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.spillway.image.ImageRefused;
import org.spillway.image.tree.Entry.Kind;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;

/**
 * A tree as a text, in which nothing depends on the machine or the time: a line for each name, in the order of their bytes.
 * Times of files and where they have holes are not part of it.
 */
public final class Manifest {
    private static final String HEAD = "spillway-tree-1";

    private final List<Entry> entries;
    private final Map<String, Entry> byPath;

    private Manifest(List<Entry> entries, Map<String, Entry> byPath) {
        this.entries = entries;
        this.byPath = byPath;
    }

    /** @throws ImageRefused if these are no tree: a name twice, without a folder, or below what is none */
    public static Manifest of(List<Entry> entries) throws ImageRefused {
        List<Entry> sorted = new ArrayList<>(entries);
        sorted.sort(Comparator.comparing(Entry::path));
        Map<String, Entry> byPath = HashMap.newHashMap(sorted.size());
        for (Entry entry : sorted) {
            checkPlace(entry, byPath);
            byPath.put(entry.path(), entry);
        }
        if (!byPath.containsKey("")) {
            throw new ImageRefused("a manifest without a root");
        }
        return new Manifest(List.copyOf(sorted), byPath);
    }

    /** Whoever writes a tree by this text stays in it: every folder of a path is one, and was named before. */
    private static void checkPlace(Entry entry, Map<String, Entry> before) throws ImageRefused {
        String path = entry.path();
        int slash = path.lastIndexOf('/');
        String name = path.substring(slash + 1);
        if (before.containsKey(path)) {
            throw new ImageRefused("a manifest names " + RawName.shown(path) + " twice");
        }
        if (path.isEmpty() ? entry.kind() != Kind.FOLDER : name.isEmpty() || name.equals(".") || name.equals("..")) {
            throw new ImageRefused("no path of a tree: " + RawName.escaped(path));
        }
        Entry folder = path.isEmpty() ? entry : before.get(slash < 0 ? "" : path.substring(0, slash));
        if (folder == null || folder.kind() != Kind.FOLDER || path.indexOf(0) >= 0) {
            throw new ImageRefused(RawName.escaped(path) + " is in no folder of its manifest");
        }
        if (entry.kind() == Kind.HARD_LINK) {
            Entry first = before.get(entry.content());
            if (first == null || first.kind() == Kind.HARD_LINK || first.kind() == Kind.FOLDER) {
                throw new ImageRefused(RawName.escaped(path) + " is a further name of nothing");
            }
        }
    }

    /** In the order of their paths' bytes, the root first. */
    public List<Entry> entries() {
        return entries;
    }

    /** The entry of this path, a further name as what it is a name of; null when there is none. */
    public @org.jspecify.annotations.Nullable Entry at(String path) {
        Entry entry = byPath.get(path);
        if (entry == null || entry.kind() != Kind.HARD_LINK) {
            return entry;
        }
        Entry first = byPath.get(entry.content());
        return first == null ? null : first.as(path);
    }

    /** Bytes of all files, each once for all its names. */
    public long bytes() {
        return entries.stream().mapToLong(Entry::size).sum();
    }

    /** The canonical text, ASCII. */
    public byte[] text() {
        var text = new StringBuilder(HEAD).append('\n');
        entries.forEach(entry -> line(entry, text));
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** The digest of {@link #text}, by which a version is known. */
    public Checksum checksum() {
        byte[] text = text();
        var digest = Sha256.digest();
        digest.update(text);
        return Sha256.checksum(text.length, digest);
    }

    private static void line(Entry entry, StringBuilder text) {
        text.append(entry.kind().letter);
        if (entry.kind() != Kind.HARD_LINK) {
            text.append(' ').append(Integer.toOctalString(entry.mode()));
            text.append(' ').append(entry.uid()).append(' ').append(entry.gid());
        }
        text.append(' ').append(entry.path().isEmpty() ? "." : RawName.escaped(entry.path()));
        if (entry.kind() == Kind.FILE) {
            text.append(' ').append(entry.size());
        }
        if (!entry.content().isEmpty()) {
            text.append(' ').append(RawName.escaped(entry.content()));
        }
        entry.attributes()
                .forEach((name, value) -> text.append(" x ")
                        .append(RawName.escaped(name))
                        .append(' ')
                        .append(hex(value)));
        text.append('\n');
    }

    private static String hex(String raw) {
        // An empty value is a word, too.
        return "=" + java.util.HexFormat.of().formatHex(raw.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Reads one line of such a text, without its end. @throws ImageRefused if it is none */
    static Entry entry(String line) throws ImageRefused {
        try {
            return new Words(line).entry();
        } catch (RuntimeException malformed) {
            throw new ImageRefused("no line of a manifest: " + line);
        }
    }

    /** Reads a text that {@link #text} has made. @throws ImageRefused if it is anything else */
    public static Manifest parse(byte[] text) throws IOException {
        var lines = new BufferedReader(new StringReader(new String(text, StandardCharsets.US_ASCII)));
        if (!HEAD.equals(lines.readLine())) {
            throw new ImageRefused("no manifest of a tree: it does not begin with " + HEAD);
        }
        var entries = new ArrayList<Entry>();
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            entries.add(entry(line));
        }
        Manifest manifest = of(entries);
        if (!Arrays.equals(manifest.text(), text)) {
            throw new ImageRefused("a manifest that is not in its canonical form");
        }
        return manifest;
    }

    /** The words of one line. */
    private static final class Words {
        private final String[] words;
        private int at;

        Words(String line) {
            words = line.split(" ", -1);
        }

        Entry entry() throws ImageRefused {
            String letter = words[at++];
            Kind kind = Arrays.stream(Kind.values())
                    .filter(one -> letter.equals(String.valueOf(one.letter)))
                    .findFirst()
                    .orElseThrow();
            boolean further = kind == Kind.HARD_LINK;
            int mode = further ? 0 : Integer.parseInt(words[at++], 8);
            long uid = further ? 0 : Long.parseLong(words[at++]);
            long gid = further ? 0 : Long.parseLong(words[at++]);
            String path = words[at].equals(".") ? "" : RawName.unescaped(words[at]);
            at++;
            long size = kind == Kind.FILE ? Long.parseLong(words[at++]) : 0;
            String content = switch (kind) {
                case FILE, SYMLINK, CHARACTER, BLOCK, HARD_LINK -> RawName.unescaped(words[at++]);
                case FOLDER, PIPE, SOCKET -> "";
            };
            if (kind == Kind.FILE && !content.matches("[0-9a-f]{64}")) {
                throw new ImageRefused("no digest of a file: " + content);
            }
            return new Entry(path, kind, mode, uid, gid, size, content, attributes());
        }

        private SortedMap<String, String> attributes() throws ImageRefused {
            var attributes = new TreeMap<String, String>();
            while (at < words.length) {
                if (!words[at].equals("x") || !words[at + 2].startsWith("=")) {
                    throw new ImageRefused("no attribute: " + words[at]);
                }
                byte[] value = java.util.HexFormat.of().parseHex(words[at + 2].substring(1));
                attributes.put(RawName.unescaped(words[at + 1]), new String(value, StandardCharsets.ISO_8859_1));
                at += 3;
            }
            return attributes;
        }
    }
}
