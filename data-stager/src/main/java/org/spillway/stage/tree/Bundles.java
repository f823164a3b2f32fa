package org.spillway.stage.tree;

import java.util.List;
import org.spillway.stage.worker.UserFiles;

/** Tars of files. */
public final class Bundles {
    private Bundles() {}

    public static long length(List<UserFiles.Packed> files) {
        throw new UnsupportedOperationException();
    }
}
