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
    public HeadPlan {
        texts = Map.copyOf(texts);
    }

    /** Whether a Slurm of its own belongs to it. */
    boolean hasSlurm() {
        return texts.containsKey("slurm.conf");
    }

    /** Without what the files say. */
    @Override
    public String toString() {
        return "HeadPlan" + texts.keySet();
    }
}
