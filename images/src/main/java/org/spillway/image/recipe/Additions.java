package org.spillway.image.recipe;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.spillway.image.ImageRefused;
import org.spillway.image.posix.Posix;

/** Files of a recipe, put into a tree. */
final class Additions {
    /** As many links as the kernel follows in one path. */
    private static final int LINKS_MAX = 40;

    private Additions() {}

    static void put(Posix posix, Path root, Recipe.Addition addition) throws IOException {
        Path target = place(root, addition.to());
        for (Path from : all(addition.from())) {
            Path relative = addition.from().relativize(from);
            Path to = relative.toString().isEmpty() ? target : target.resolve(relative);
            if (Files.isSymbolicLink(from)) {
                Files.deleteIfExists(to);
                posix.symbolicLink(posix.readLink(Posix.raw(from)), Posix.raw(to));
            } else if (Files.isDirectory(from)) {
                if (!Files.isDirectory(to, NOFOLLOW_LINKS)) {
                    posix.folder(Posix.raw(to));
                    posix.mode(Posix.raw(to), 0755);
                }
            } else if (Files.isRegularFile(from)) {
                Files.deleteIfExists(to);
                Files.copy(from, to);
                int own = posix.facts(Posix.raw(from)).permissions() & 0777;
                posix.owner(Posix.raw(to), addition.uid(), addition.gid());
                posix.mode(Posix.raw(to), addition.mode() < 0 ? own : addition.mode());
                continue;
            } else {
                throw new ImageRefused(from + " is a device, pipe or socket; 'files' puts files, folders and links");
            }
            posix.owner(Posix.raw(to), addition.uid(), addition.gid());
        }
    }

    /** All below, folders before what is in them. */
    static List<Path> all(Path from) throws IOException {
        if (!Files.exists(from, NOFOLLOW_LINKS)) {
            throw new ImageRefused(from + ", which the recipe names in 'files', is not there");
        }
        try (Stream<Path> files = Files.walk(from)) {
            return files.sorted().toList();
        }
    }

    /** A path in the tree, with its folders made. Links on the way are the tree's: their root is its root. */
    private static Path place(Path root, String to) throws IOException {
        var words = new ArrayDeque<>(Arrays.asList(to.substring(1).split("/", -1)));
        var done = new ArrayList<String>();
        int links = 0;
        while (words.size() > 1) {
            String word = words.removeFirst();
            Path here = at(root, done).resolve(word);
            if (word.equals("..")) {
                if (!done.isEmpty()) {
                    done.removeLast();
                }
            } else if (Files.isSymbolicLink(here)) {
                if (links++ == LINKS_MAX) {
                    throw new ImageRefused(to + " in the tree goes through too many links");
                }
                String target = Files.readSymbolicLink(here).toString();
                if (target.startsWith("/")) {
                    done.clear();
                }
                Arrays.asList(target.split("/", -1)).reversed().stream()
                        .filter(part -> !part.isEmpty())
                        .forEach(words::addFirst);
            } else if (!word.isEmpty() && !word.equals(".")) {
                if (!Files.exists(here)) {
                    Files.createDirectory(here);
                }
                done.add(word);
            }
        }
        return at(root, done).resolve(words.getFirst());
    }

    private static Path at(Path root, List<String> words) {
        Path here = root;
        for (String word : words) {
            here = here.resolve(word);
        }
        return here;
    }
}
