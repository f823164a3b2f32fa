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
    /** Deeper nothing is read: a file that includes itself. */
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
        tree.add(conf, conf, ConfText.of(read.apply(conf).orElse("")), read, List.of());
        return tree;
    }

    /** @param through lines by which the file is included */
    private void add(
            Path conf, Path file, ConfText text, Function<Path, Optional<String>> read, List<Integer> through) {
        files.put(file, text);
        for (ConfText.Statement statement : text.statements()) {
            var here = new Said(file, statement, through.isEmpty() ? statement.first() : through.getFirst());
            said.add(here);
            if (!here.is(ConfText.INCLUDE) || through.size() == DEEPEST) {
                continue;
            }
            Path included = conf.resolveSibling(statement
                    .value()
                    .replace("%c", last("ClusterName").map(Said::value).orElse("")));
            Optional<String> inside = read.apply(included);
            if (inside.isEmpty()) {
                missing.add(included);
            } else if (isOurs(inside.get())) {
                ours.add(here);
            } else {
                List<Integer> further = new ArrayList<>(through);
                further.add(statement.first());
                add(conf, included, ConfText.of(inside.get()), read, further);
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
