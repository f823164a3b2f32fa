package org.spillway.stage.container;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The files of an image when all of its layers lie on each other, as the OCI Image Specification says ("Applying
 * Changesets"). No name leads out of it: links in the way of one are followed within the tree. Pure.
 */
final class LayerTree {
    private static final int LINKS_MOST = 40;
    private static final int ENTRIES_MOST = 400_000;
    private static final String GONE = ".wh.";
    private static final String ALL_GONE = ".wh..wh..opq";

    /** Kind of a node. */
    enum Kind {
        FILE,
        FOLDER,
        LINK
    }

    /**
     * @param layer that brought it
     * @param content number of the file's bytes, the same for all names of a file; -1 for none
     * @param link where a link leads
     */
    record Node(Kind kind, int mode, int layer, int content, long bytes, long modified, String link) {}

    private final NavigableMap<String, Node> nodes = new TreeMap<>();
    private int contents;

    /** Paths without a slash in front, a character for each byte; folders before what is in them. */
    NavigableMap<String, Node> nodes() {
        return nodes;
    }

    /** How many files with bytes the layers have had. */
    int contents() {
        return contents;
    }

    /** Of entries that {@link LayerReader} gives, those with bytes of their own, in their order, have the numbers from 0 on. */
    static boolean hasContent(LayerReader.Entry entry) {
        return entry.type() == '0' && !name(entry.name()).startsWith(GONE);
    }

    private static String name(String path) {
        return path.substring(path.lastIndexOf('/') + 1);
    }

    void add(int layer, LayerReader.Entry entry) throws ImageRefused {
        int content = hasContent(entry) ? contents++ : -1;
        String path = place(entry.name());
        String name = name(entry.name().replaceAll("/+$", ""));
        if (name.startsWith(GONE)) {
            String folder = path.contains("/") ? path.substring(0, path.lastIndexOf('/')) : "";
            if (name.equals(ALL_GONE)) {
                removeBelow(folder, layer);
            } else {
                String gone = (folder.isEmpty() ? "" : folder + "/") + name.substring(GONE.length());
                Node there = nodes.get(gone);
                removeBelow(gone, layer);
                if (there != null && there.layer < layer) {
                    nodes.remove(gone);
                }
            }
            return;
        }
        if (path.isEmpty()) {
            return;
        }
        Node node = node(layer, content, entry);
        if (node == null) {
            return;
        }
        folders(path, layer);
        Node there = nodes.get(path);
        if (there != null && there.kind == Kind.FOLDER && node.kind != Kind.FOLDER) {
            removeBelow(path, Integer.MAX_VALUE);
        }
        put(path, node);
    }

    private @Nullable Node node(int layer, int content, LayerReader.Entry entry) throws ImageRefused {
        int mode = entry.mode() & 01777;
        return switch (entry.type()) {
            case '0' -> new Node(Kind.FILE, (mode & 0777) | 0400, layer, content, entry.bytes(), entry.modified(), "");
            case '5' -> new Node(Kind.FOLDER, mode | 0700, layer, -1, 0, entry.modified(), "");
            case '2' -> new Node(Kind.LINK, 0777, layer, -1, 0, entry.modified(), entry.link());
            case '1' -> {
                Node other = nodes.get(place(entry.link()));
                if (other == null || other.kind == Kind.FOLDER) {
                    throw new ImageRefused("a layer of the image has a further name for a file that is not there: "
                            + shown(entry.link()));
                }
                yield new Node(other.kind, other.mode, layer, other.content, other.bytes, other.modified, other.link);
            }
            // Devices and pipes are of no use to a process without rights.
            default -> null;
        };
    }

    /** Makes the places on which runtimes put files and file systems of their own; a link there would lead elsewhere. */
    void settle() throws ImageRefused {
        for (String folder : List.of("dev", "proc", "sys", "tmp", "var/tmp", "run", "home", "etc")) {
            folders(folder + "/x", 0);
        }
        for (String file : List.of(
                "etc/hosts", "etc/resolv.conf", "etc/passwd", "etc/group", "etc/hostname", "run/.containerenv")) {
            String path = place(file);
            Node there = nodes.get(path);
            if (there == null || there.kind != Kind.FILE) {
                removeBelow(path, Integer.MAX_VALUE);
                put(path, empty());
            }
        }
        if (!has("etc/mtab")) {
            put(place("etc/mtab"), new Node(Kind.LINK, 0777, 0, -1, 0, 0, "/proc/mounts"));
        }
    }

    /** Whether there is something by that name, which may be a link. */
    boolean has(String path) throws ImageRefused {
        return nodes.containsKey(place(path));
    }

    private static Node empty() {
        return new Node(Kind.FILE, 0644, 0, -1, 0, 0, "");
    }

    private void folders(String path, int layer) throws ImageRefused {
        for (int slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
            String folder = path.substring(0, slash);
            if (!nodes.containsKey(folder)) {
                put(folder, new Node(Kind.FOLDER, 0755, layer, -1, 0, 0, ""));
            }
        }
    }

    private void put(String path, Node node) throws ImageRefused {
        nodes.put(path, node);
        if (nodes.size() > ENTRIES_MOST) {
            throw new ImageRefused("the image has more than " + ENTRIES_MOST + " files");
        }
    }

    /** All in a folder that a layer before that one has brought. */
    private void removeBelow(String folder, int layer) {
        Map<String, Node> below = folder.isEmpty() ? nodes : nodes.subMap(folder + "/", folder + "0");
        below.values().removeIf(node -> node.layer < layer);
    }

    /**
     * The path that a name has in the tree, with links on its way followed; the last part is not.
     *
     * @throws ImageRefused if a file is in the way
     */
    private String place(String name) throws ImageRefused {
        Deque<String> rest = new ArrayDeque<>(Arrays.asList(name.split("/", -1)));
        String path = "";
        int links = 0;
        while (!rest.isEmpty()) {
            String part = rest.pop();
            if (part.isEmpty() || part.equals(".")) {
                continue;
            }
            if (part.equals("..")) {
                path = path.contains("/") ? path.substring(0, path.lastIndexOf('/')) : "";
                continue;
            }
            String next = path.isEmpty() ? part : path + "/" + part;
            Node there = nodes.get(next);
            boolean last = rest.stream().allMatch(more -> more.isEmpty() || more.equals("."));
            if (last || there == null || there.kind == Kind.FOLDER) {
                path = next;
            } else if (there.kind == Kind.LINK && ++links <= LINKS_MOST) {
                path = there.link.startsWith("/") ? "" : path;
                String[] parts = there.link.split("/", -1);
                for (int i = parts.length - 1; i >= 0; i--) {
                    rest.push(parts[i]);
                }
            } else {
                throw new ImageRefused("a layer of the image has a file in the way of " + shown(name));
            }
        }
        return path;
    }

    private static String shown(String name) {
        return new String(name.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8)
                .replaceAll("\\p{Cntrl}", "?");
    }
}
