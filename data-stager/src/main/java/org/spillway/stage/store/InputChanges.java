package org.spillway.stage.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The difference between two inputs: a layer of files over the tree of one makes the other. Pure.
 *
 * @param written files that are new or not as they were, in their order
 * @param gone files, and folders with all that is in them, of which nothing is left
 */
record InputChanges(List<Recipe.Part> written, List<String> gone) {
    InputChanges {
        written = List.copyOf(written);
        gone = List.copyOf(gone);
    }

    /** Empty where names do not say by themselves which file is meant: then nobody can tell what a layer would hide. */
    static Optional<InputChanges> between(Recipe base, Recipe next) {
        Map<String, Recipe.Part> before = byName(base);
        Map<String, Recipe.Part> after = byName(next);
        if (before.size() < base.parts().size() || after.size() < next.parts().size()) {
            return Optional.empty();
        }
        Set<String> folders = new HashSet<>();
        after.keySet().forEach(name -> foldersOf(name, folders));
        List<Recipe.Part> written = new ArrayList<>();
        for (Recipe.Part part : next.parts()) {
            if (!part.equals(before.get(part.member().name()))) {
                written.add(part);
            }
        }
        Set<String> gone = new LinkedHashSet<>();
        for (String name : before.keySet()) {
            if (!after.containsKey(name)) {
                uppermost(name, folders, after.keySet()).ifPresent(gone::add);
            }
        }
        return Optional.of(new InputChanges(written, List.copyOf(gone)));
    }

    /** Bytes of files that a plan does not have as they are in another input. */
    static long bytesOther(Recipe base, InputPlan plan) {
        Map<String, Recipe.Part> before = byName(base);
        long bytes = 0;
        for (InputPlan.Part part : plan.parts()) {
            Recipe.Part known = before.get(part.member().name());
            boolean same = known != null
                    && known.member().equals(part.member())
                    && known.pieces().stream()
                            .<InputPlan.Where>map(InputPlan.Where.Known::new)
                            .toList()
                            .equals(part.pieces());
            bytes += same ? 0 : part.member().bytes();
        }
        return bytes;
    }

    /** Only names that are one path and no other: without a dot alone, and without an empty part. */
    private static Map<String, Recipe.Part> byName(Recipe recipe) {
        Map<String, Recipe.Part> parts = new HashMap<>();
        for (Recipe.Part part : recipe.parts()) {
            String name = part.member().name();
            boolean plain = List.of(name.split("/", -1)).stream()
                    .noneMatch(each -> each.isEmpty() || each.equals(".") || each.equals(".."));
            if (plain) {
                parts.put(name, part);
            }
        }
        return parts;
    }

    private static void foldersOf(String name, Set<String> folders) {
        for (int end = name.lastIndexOf('/'); end > 0; end = name.lastIndexOf('/', end - 1)) {
            if (!folders.add(name.substring(0, end))) {
                return;
            }
        }
    }

    /** The path that hides a file which is gone: empty where a file or a folder of another kind lies in its way now. */
    private static Optional<String> uppermost(String name, Set<String> folders, Set<String> files) {
        int from = 0;
        while (true) {
            int end = name.indexOf('/', from);
            String path = end < 0 ? name : name.substring(0, end);
            if (!folders.contains(path)) {
                return files.contains(path) ? Optional.empty() : Optional.of(path);
            }
            if (end < 0) {
                return Optional.empty();
            }
            from = end + 1;
        }
    }

    /** Bytes of the files. */
    long bytes() {
        return written.stream().mapToLong(part -> part.member().bytes()).sum();
    }
}
