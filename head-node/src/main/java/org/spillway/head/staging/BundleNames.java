package org.spillway.head.staging;

import org.spillway.head.journal.JobSpec;
import org.spillway.stage.tree.Glob;

/** Where a file that an input names goes in the job's folder. */
final class BundleNames {
    private BundleNames() {}

    /**
     * A plain path keeps its last name, and what is below a folder its path from there on; of a glob what follows its
     * fixed part is kept.
     *
     * @param path absolute, found by the input's pattern
     */
    static String of(JobSpec.Input input, String path) {
        Glob glob = Glob.parse(input.pattern());
        String kept;
        if (glob.isPlain()) {
            String pattern = input.pattern();
            boolean itself = path.equals(pattern);
            boolean renamed = !input.target().isEmpty() && !input.target().endsWith("/");
            if (itself && renamed) {
                return input.target();
            }
            String parent = pattern.substring(0, pattern.lastIndexOf('/') + 1);
            kept = renamed ? path.substring(pattern.length() + 1) : path.substring(parent.length());
        } else {
            String base = glob.base();
            kept = base.isEmpty() || base.equals("/") ? path.substring(1) : path.substring(base.length() + 1);
        }
        String target = input.target().endsWith("/")
                ? input.target().substring(0, input.target().length() - 1)
                : input.target();
        return target.isEmpty() ? kept : target + "/" + kept;
    }
}
