package org.spillway.head.staging;

import org.spillway.stage.tree.Origin;
import org.spillway.stage.worker.UserFiles.Distant;

/**
 * A file of an input that lies at another end.
 *
 * @param name in the job's folder
 */
record DistantFile(String name, Distant file) {
    /** Where it lies, for whoever may see the job. */
    String shown() {
        return Origin.listed(file.origin()).shown();
    }
}
