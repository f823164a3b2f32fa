package org.spillway.image.recipe;

import java.nio.file.Path;
import java.util.List;

/**
 * The parts that a version is made of, in this order.
 *
 * @param name of the image, {@code [a-z0-9-]{1,64}}
 * @param packages installed by the tree's own apt-get
 * @param scripts for the tree's own {@code /bin/sh}, without a network
 * @param smoke commands that must end with 0 before the version is kept
 */
public record Recipe(
        String name, Base base, List<Addition> files, List<String> packages, List<String> scripts, List<String> smoke) {
    public Recipe {
        files = List.copyOf(files);
        packages = List.copyOf(packages);
        scripts = List.copyOf(scripts);
        smoke = List.copyOf(smoke);
    }

    /** The tree that a recipe begins with. */
    public sealed interface Base {
        /** A tree that is there, and is not changed. */
        record Folder(Path tree) implements Base {}

        /**
         * A tree of Debian's packages.
         *
         * @param mirror as for apt, {@code http} or {@code https}
         * @param variant of mmdebstrap, such as {@code minbase}
         */
        record Debian(String suite, String mirror, String variant, List<String> packages) implements Base {
            public Debian {
                packages = List.copyOf(packages);
            }
        }
    }

    /**
     * A file or a folder with all in it, put into the tree.
     *
     * @param to absolute in the tree
     * @param mode of files; negative to keep that of each
     */
    public record Addition(Path from, String to, int mode, long uid, long gid) {}

    /** Whether the base is the whole of it, so that nothing has to be copied. */
    boolean isBaseAlone() {
        return files.isEmpty() && packages.isEmpty() && scripts.isEmpty() && base instanceof Base.Folder;
    }
}
