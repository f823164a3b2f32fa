package org.spillway.head.config;

import java.nio.file.Path;
import java.util.Set;
import org.spillway.settings.Section;

/** A workload manager that {@code workload.manager} may name, and that has a section of its own. */
public interface WorkloadKind {
    /** Lower-case word, also of the section below {@code workload} that is its own. */
    String name();

    /**
     * Reads its own section. Mistakes are noted there, and none is thrown.
     *
     * @param base folder that relative paths start from
     * @param sites names of all sites
     */
    WorkloadSettings read(Section section, Path base, Set<String> sites);
}
