package org.spillway.head.staging;

import java.util.function.UnaryOperator;
import org.spillway.head.journal.JobSpec;
import org.spillway.stage.tree.Glob;
import org.spillway.stage.tree.Origin;
import org.spillway.stage.worker.Bundles;

/** Where a file that an input names goes in the job's folder. */
final class BundleNames {
    /** Spillway's own folder in a job's folder. */
    private static final String OURS = ".spillway";

    private BundleNames() {}

    /**
     * A plain path keeps its last name, or gets that of a target without a slash at the end, and what is in a folder its
     * path below that; of a glob what follows its fixed part is kept, below the target. The pattern is read once for all of
     * an input's files.
     *
     * @return the place of an absolute path that was found by the input's pattern; it throws IllegalArgumentException if
     *     that would be among Spillway's own files
     */
    static UnaryOperator<String> of(JobSpec.Input input) {
        Glob glob = Glob.parse(input.pattern());
        String target = input.target();
        boolean into = target.isEmpty() || target.endsWith("/");
        String base = glob.base();
        String off = glob.isPlain() && into ? base.substring(0, base.lastIndexOf('/')) : base; // what is kept off
        int cut = off.endsWith("/") ? off.length() : off.length() + 1;
        String folder = into && !target.isEmpty() ? target.substring(0, target.length() - 1) : target;
        return path -> {
            String kept = path.substring(Math.min(path.length(), cut));
            return free(folder.isEmpty() ? kept : kept.isEmpty() ? folder : folder + "/" + kept);
        };
    }

    private static String free(String name) {
        if (name.equals(OURS) || name.startsWith(OURS + "/")) {
            throw new IllegalArgumentException("'" + OURS + "' in the job's folder is Spillway's own; name a target");
        }
        return name;
    }

    /**
     * Where a file goes that does not lie at home. A single one keeps its name, or gets that of a target without a slash at
     * the end; of a bucket's prefix the names below it are kept, as of a folder; what a list names goes below the target.
     *
     * @param name as it was found, relative
     * @throws IllegalArgumentException if it cannot be a name there, or would be among Spillway's own files
     */
    static String distant(JobSpec.Input input, Origin origin, String name) {
        String target = input.target();
        boolean into = target.isEmpty() || target.endsWith("/");
        String folder = into && !target.isEmpty() ? target.substring(0, target.length() - 1) : target;
        boolean tree = origin instanceof Origin.Bucket bucket && bucket.isPrefix();
        String made;
        if (origin instanceof Origin.UrlList) {
            made = folder.isEmpty() ? name : folder + "/" + name;
        } else if (into) {
            made = folder.isEmpty() ? name : folder + "/" + name;
        } else {
            made = tree ? folder + name.substring(name.indexOf('/')) : folder;
        }
        Bundles.checkName(made);
        return free(made);
    }
}
