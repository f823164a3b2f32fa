package org.spillway.slurm.manager;

import java.util.ArrayDeque;
import java.util.List;
import org.spillway.stage.tree.Glob;

/** Paths as text: what a pattern is must not be looked at as a path. */
final class StagingPaths {
    /** Of one path, in bytes. */
    static final int LONGEST = 4096;

    private StagingPaths() {}

    /** @throws IllegalArgumentException if it is absolute or climbs */
    static String relative(String path, String name) {
        if (path.startsWith("/")) {
            throw new IllegalArgumentException(name + " is absolute; allowed: a path in the job's folder");
        }
        if (List.of(path.split("/", -1)).contains("..")) {
            throw new IllegalArgumentException(name + " has '..' in it; allowed: a path in the job's folder"
                    + (name.equals("DESTINATION") ? ", or an absolute one" : ""));
        }
        return normal("/" + path).substring(1);
    }

    static Glob glob(String pattern) {
        Glob glob = Glob.parse(pattern);
        if (glob.posixRegex().length() > LONGEST) {
            throw new IllegalArgumentException("the pattern is too long");
        }
        return glob;
    }

    /** As text, without a look at the file system: {@code .}, {@code ..} and repeated slashes resolved. */
    static String normal(String path) {
        var steps = new ArrayDeque<String>();
        for (var step : path.split("/", -1)) {
            if (step.equals("..")) {
                steps.pollLast();
            } else if (!step.isEmpty() && !step.equals(".")) {
                steps.addLast(step);
            }
        }
        return "/" + String.join("/", steps);
    }

    /** Of a path that is no pattern. */
    static String quoted(String path) {
        return path.replaceAll("[\\\\*?\\[\\]{},]", "\\\\$0");
    }

    static boolean hasControls(String text) {
        return text.chars().anyMatch(Character::isISOControl);
    }
}
