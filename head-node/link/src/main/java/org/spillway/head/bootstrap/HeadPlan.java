package org.spillway.head.bootstrap;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The parts of a child's head.
 *
 * @param distribution folder with the head's jars
 * @param directorDistribution folder with those of them that a director needs
 * @param image tree that becomes the child's image; empty when it is not known any more
 * @param texts small files by path, secrets among them; all are their owner's only
 */
public record HeadPlan(Path distribution, Path directorDistribution, Optional<Path> image, Map<String, String> texts) {
    /** Where the program of a workload manager of its own lies, with the folder that its users may enter. */
    public static final String MANAGER = "manager.sh";

    public HeadPlan {
        texts = Map.copyOf(texts);
    }

    /** The program of a workload manager of its own. */
    Optional<String> manager() {
        return Optional.ofNullable(texts.get(MANAGER));
    }

    /** Without what the files say. */
    @Override
    public String toString() {
        return "HeadPlan" + texts.keySet();
    }
}
