package org.spillway.director.wire;

import java.util.List;

/**
 * Files of users at home that jobs of a site may read without having named them.
 *
 * @param paths besides the users' homes; absolute
 */
public record Reach(List<String> paths) {
    public Reach {
        paths = List.copyOf(paths);
    }
}
