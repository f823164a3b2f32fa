package org.spillway.slurm.setup;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * A slurm.conf with all that it includes, in the order in which Slurm reads it. Pure.
 *
 * @param files each with its text
 * @param said all statements, those of an included file in its place; files of ours that are included are left out
 * @param ours statements that include a file of ours
 * @param missing included files that are not there: Slurm does not start with them
 */
record ConfTree(Map<Path, ConfText> files, List<Said> said, List<Said> ours, List<Path> missing) {
    /** Deeper nothing is read. */
    private static final int DEEPEST = 10;

    /** Words of which every file of ours has one. */
    static final List<String> MARKS = List.of("written by 'spillway slurm ", " slurm resume ", " slurm suspend ");

    /** @param top index of the line of slurm.conf where it stands, or by which its file is included */
    record Said(Path file, ConfText.Statement statement, int top) {
        boolean is(String key) {
            return statement.key().equals(key.toLowerCase(Locale.ROOT));
        }

        String value() {
            return statement.value();
        }
    }

    /** @param read a file's text; empty for one that is not there */
    static ConfTree of(Path conf, Function<Path, Optional<String>> read) {
        var tree = new ConfTree(new LinkedHashMap<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        tree.add(
                conf,
                new Inside(conf, List.of(), List.of(conf)),
                ConfText.of(read.apply(conf).orElse("")),
                read);
        return tree;
    }

    /**
     * A file as it is read at one place.
     *
     * @param through lines by which it is included
     * @param path files that include it, the outermost first, and itself
     */
    private record Inside(Path file, List<Integer> through, List<Path> path) {
        /** A file that includes itself says nothing new there, and twice would be read 1,024 times. */
        boolean mayRead(Path included) {
            return through.size() < DEEPEST && !path.contains(included);
        }

        Inside further(Path included, int line) {
            List<Integer> lines = new ArrayList<>(through);
            lines.add(line);
            List<Path> files = new ArrayList<>(path);
            files.add(included);
            return new Inside(included, lines, files);
        }
    }

    private void add(Path conf, Inside at, ConfText text, Function<Path, Optional<String>> read) {
        files.put(at.file(), text);
        for (ConfText.Statement statement : text.statements()) {
            var here = new Said(
                    at.file(),
                    statement,
                    at.through().isEmpty() ? statement.first() : at.through().getFirst());
            said.add(here);
            if (!here.is(ConfText.INCLUDE)) {
                continue;
            }
            Path included = conf.resolveSibling(statement
                    .value()
                    .replace("%c", last("ClusterName").map(Said::value).orElse("")));
            if (!at.mayRead(included)) {
                continue;
            }
            Optional<String> inside = read.apply(included);
            if (inside.isEmpty()) {
                missing.add(included);
            } else if (isOurs(inside.get())) {
                ours.add(here);
            } else {
                add(conf, at.further(included, statement.first()), ConfText.of(inside.get()), read);
            }
        }
    }

    /** A field of a line such as {@code PartitionName=p Nodes=a}; empty when it does not say it. */
    static String field(String whole, String key) {
        var field = Pattern.compile("(?i)(?:^|\\s)" + Pattern.quote(key) + "\\s*=\\s*(?:\"([^\"]*)\"|(\\S+))")
                .matcher(whole);
        if (!field.find()) {
            return "";
        }
        return field.group(1) == null ? field.group(2) : field.group(1);
    }

    static boolean isOurs(String text) {
        return MARKS.stream().anyMatch(text::contains);
    }

    /** @param file one of {@link #files} */
    ConfText file(Path file) {
        return Objects.requireNonNull(files.get(file), file::toString);
    }

    /** The one that counts: Slurm takes the last. */
    Optional<Said> last(String key) {
        return said.reversed().stream().filter(one -> one.is(key)).findFirst();
    }

    List<Said> all(String key) {
        return said.stream().filter(one -> one.is(key)).toList();
    }
}
