package org.spillway.slurm.manager;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.spillway.head.journal.JobSpec;
import org.spillway.settings.ShellWords;
import org.spillway.stage.tree.Glob;

/**
 * The {@code #SPILLWAY} lines of a Slurm script. They stand at its top, as {@code #SBATCH} lines do; each has any number of
 * words, quoted as in a shell:
 *
 * <ul>
 *   <li>{@code in=PATTERN} what is put into the job's folder, at the same place below it as at home; what lies elsewhere
 *       at home goes to the folder itself
 *   <li>{@code in=PATTERN:FOLDER} the same, put into FOLDER below the job's folder
 *   <li>{@code out=PATTERN} what comes home, to the same place
 *   <li>{@code out=PATTERN:DESTINATION} the same, to another place; of one file, with a slash at the end for a folder
 *   <li>{@code out!=...} the same, and the job has failed when there is nothing of it
 * </ul>
 *
 * A colon in a name is written {@code \:} in quotes. Relative paths are meant from the job's folder; {@code %j}, {@code %A}
 * and {@code %a} in a path are the numbers of the job, its array and its task.
 */
public final class StagingLines {
    /** Of all lines together; what the head takes at its socket. */
    public static final int MOST_BYTES = 64 * 1024;

    private static final int MOST_PATTERNS = 100;
    /** Both lists together fit into what a node can pass to a program (96 KiB). */
    private static final int MOST_LIST_BYTES = 40 * 1024;

    private static final int MOST_MISTAKES = 20;
    private static final String MARK = "#SPILLWAY";
    private static final String GRAMMAR = "in=PATTERN[:FOLDER], out=PATTERN[:DESTINATION], out!=PATTERN[:DESTINATION]";

    private final String folder;
    private final String home;
    private final Numbers numbers;
    private final List<JobSpec.Input> inputs = new ArrayList<>();
    private final List<Place> places = new ArrayList<>();
    private final List<JobSpec.Output> outputs = new ArrayList<>();
    private final Set<String> destinations = new LinkedHashSet<>();
    private final List<Mistake> mistakes = new ArrayList<>();
    private int bytes;

    private StagingLines(String folder, String home, Numbers numbers) {
        this.folder = folder;
        this.home = home;
        this.numbers = numbers;
    }

    /** The result of reading. */
    public sealed interface Result {
        /** The same of a job that adds to its files of output. */
        default Result adding() {
            return this;
        }

        /**
         * @param places where each of the inputs stands, in their order
         * @param named how many of the outputs are those of lines; the first ones
         */
        record Read(JobSpec.Data data, List<Place> places, int named) implements Result {
            public Read {
                places = List.copyOf(places);
            }

            @Override
            public Result adding() {
                return new Read(data.adding(), places, named);
            }
        }

        /** @param mistakes in the order of the lines, at least one and at most 20 */
        record Refused(List<Mistake> mistakes) implements Result {
            public Refused {
                mistakes = List.copyOf(mistakes);
            }

            /** All in one sentence. */
            public String sentence() {
                return String.join(
                        "; ", mistakes.stream().map(Mistake::toString).toList());
            }
        }
    }

    /** @param line from 1 @param word without control characters, cut off when it is long */
    public record Place(int line, String word) {
        public Mistake mistake(String wrong) {
            return new Mistake(line, word, wrong);
        }
    }

    /**
     * @param line from 1
     * @param word as it was written, without control characters, cut off when it is long; empty for the line as a whole
     * @param wrong what is wrong with it, and what is allowed
     */
    public record Mistake(int line, String word, String wrong) {
        @Override
        public String toString() {
            return "line " + line + ": " + (word.isEmpty() ? "" : word + ": ") + wrong;
        }
    }

    /**
     * The numbers for {@code %j}, {@code %A} and {@code %a}.
     *
     * @param array the job's own number when it is in no array
     * @param index 0 when it is in no array
     */
    public record Numbers(String job, String array, String index) {
        /** Before the job has any: they are left as they are. */
        public static final Numbers UNKNOWN = new Numbers("%j", "%A", "%a");

        private String in(String text) {
            return text.replace("%j", job).replace("%A", array).replace("%a", index);
        }
    }

    /** As {@link #parse(String, String, String, String, String, Numbers)} for a job without numbers, of nobody in particular. */
    public static Result parse(String lines, String folder, String stdout, String stderr) {
        return parse(lines, folder, "", stdout, stderr, Numbers.UNKNOWN);
    }

    /**
     * @param lines the script, or the part of it down to its first command; lines that are not ours are only counted
     * @param folder absolute: where the job works
     * @param home its user's, absolute; empty where that is not known
     * @param stdout where Slurm writes its output, as {@code scontrol show job} says it: comes home when it lies below the
     *     folder or the home; empty for nowhere
     * @param stderr the same
     */
    public static Result parse(
            String lines, String folder, String home, String stdout, String stderr, Numbers numbers) {
        String where = StagingPaths.normal(folder);
        var read = new StagingLines(where, home.startsWith("/") ? StagingPaths.normal(home) : "", numbers);
        int named = 0;
        JobSpec.Streams streams = JobSpec.Streams.NONE;
        if (!folder.startsWith("/") || where.equals("/") || StagingPaths.hasControls(folder)) {
            read.refuse(1, folder, "the job's folder must be an absolute path other than /");
        } else if (lines.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES) {
            read.refuse(1, "", "the lines have more than " + MOST_BYTES / 1024 + " KiB");
        } else {
            read.lines(lines);
            named = read.outputs.size();
            streams = new JobSpec.Streams(read.stream(stdout), read.stream(stderr));
        }
        return read.mistakes.isEmpty()
                ? new Result.Read(new JobSpec.Data(read.inputs, read.outputs, where, 0, streams), read.places, named)
                : new Result.Refused(read.mistakes);
    }

    private void lines(String text) {
        int number = 0;
        for (var line : (Iterable<String>) text.lines()::iterator) {
            number++;
            if (line.startsWith(MARK)) {
                line(number, line.substring(MARK.length()));
            } else if (!line.isBlank() && !line.stripLeading().startsWith("#")) {
                return;
            }
            if (mistakes.size() >= MOST_MISTAKES) {
                return;
            }
        }
    }

    private void line(int number, String rest) {
        if (!rest.isEmpty() && " \t\r".indexOf(rest.charAt(0)) < 0) {
            refuse(number, MARK + rest, "a blank is missing behind " + MARK);
            return;
        }
        if (StagingPaths.hasControls(rest.replace('\t', ' ').replace('\r', ' '))) {
            refuse(number, "", "a control character; allowed: text");
            return;
        }
        try {
            for (var word : ShellWords.split(rest)) {
                word(number, word);
            }
        } catch (IllegalArgumentException unclosed) {
            refuse(number, "", String.valueOf(unclosed.getMessage()));
        }
    }

    private void word(int line, String word) {
        if (inputs.size() + outputs.size() >= MOST_PATTERNS || mistakes.size() >= MOST_MISTAKES) {
            if (mistakes.isEmpty()) {
                refuse(line, word, "more than " + MOST_PATTERNS + " patterns; put what belongs together into a folder");
            }
            return;
        }
        try {
            if (word.startsWith("in=")) {
                input(word.substring(3));
                places.add(new Place(line, shown(word)));
            } else if (word.startsWith("out=")) {
                output(word.substring(4), false);
            } else if (word.startsWith("out!=")) {
                output(word.substring(5), true);
            } else if (word.matches("-*container.*")) {
                throw new IllegalArgumentException(
                        "images are for 'spillway submit': a job of Slurm begins one itself, with"
                                + " 'apptainer exec' or Slurm's own --container; allowed with sbatch: " + GRAMMAR);
            } else if (word.startsWith("--")) {
                throw new IllegalArgumentException(
                        "options are for 'spillway submit'; allowed with sbatch: " + GRAMMAR);
            } else {
                throw new IllegalArgumentException("not known; allowed: " + GRAMMAR);
            }
        } catch (IllegalArgumentException wrong) {
            refuse(line, word, String.valueOf(wrong.getMessage()));
        }
    }

    private void input(String text) {
        if (text.matches("[A-Za-z][A-Za-z0-9+.-]*://.*|urls:.*")) {
            throw new IllegalArgumentException(
                    "what does not lie at home is for 'spillway submit --in'; allowed with sbatch: " + GRAMMAR);
        }
        var parts = Parts.of(numbers.in(text));
        String pattern = parts.pattern.startsWith("/")
                ? StagingPaths.normal(parts.pattern)
                : StagingPaths.normal(StagingPaths.quoted(folder) + "/" + parts.pattern);
        String base = StagingPaths.glob(pattern).base();
        String target = parts.place;
        if (target.isEmpty()) {
            target = sameFolder(pattern, base);
        } else {
            target = StagingPaths.relative(target, "FOLDER");
            target = target.isEmpty() ? "" : target + "/";
        }
        boolean ours = (target + base.substring(base.lastIndexOf('/') + 1) + "/").startsWith(".spillway/");
        if (ours && (StagingPaths.glob(pattern).isPlain() || !target.isEmpty())) {
            throw new IllegalArgumentException("'.spillway' in the job's folder is Spillway's own; name a FOLDER");
        }
        count(pattern + target);
        inputs.add(new JobSpec.Input(pattern, target));
    }

    /** In which folder below the job's it lies at home, with a slash behind it; empty for the job's own, or elsewhere. */
    private String sameFolder(String pattern, String base) {
        boolean plain = StagingPaths.glob(pattern).isPlain();
        if (plain && base.equals(folder)) {
            throw new IllegalArgumentException(
                    "the whole of the job's folder; name what the job needs of it, such as data/ or '*.csv'");
        }
        if (!base.startsWith(folder + "/")) {
            return "";
        }
        String below = base.substring(folder.length() + 1);
        if (!plain) {
            return below + "/";
        }
        return below.substring(0, below.lastIndexOf('/') + 1);
    }

    private void output(String text, boolean strict) {
        var parts = Parts.of(numbers.in(text));
        boolean folderOnly = parts.pattern.endsWith("/");
        String pattern = StagingPaths.relative(parts.pattern, "PATTERN");
        if (pattern.isEmpty()) {
            throw new IllegalArgumentException(
                    "the whole of the job's folder; name what comes home, such as results/ or '*.csv'");
        }
        Glob glob = StagingPaths.glob(pattern);
        boolean tree = folderOnly || !glob.isPlain();
        String destination = parts.place.startsWith("/")
                ? StagingPaths.normal(parts.place)
                : absolute(StagingPaths.relative(parts.place, "DESTINATION"));
        if (parts.place.isEmpty()) {
            destination = absolute(glob.base());
        } else if (!tree && (parts.place.endsWith("/") || parts.place.equals("."))) {
            destination = destination + "/" + glob.base().substring(glob.base().lastIndexOf('/') + 1);
        }
        if (destination.equals("/")) {
            throw new IllegalArgumentException("the root folder cannot be a DESTINATION");
        }
        if (!tree && !destinations.add(destination)) {
            throw new IllegalArgumentException("something else comes home as " + shown(destination) + " already");
        }
        count(pattern + destination);
        outputs.add(new JobSpec.Output(pattern, destination, tree, strict));
    }

    private String absolute(String below) {
        return below.isEmpty() ? folder : folder + "/" + below;
    }

    /** Nothing is wrong when Slurm did not write it. @return where it comes home; empty for nowhere, and while that is open */
    private String stream(String path) {
        String file = StagingPaths.normal(path);
        boolean here = file.startsWith(folder + "/");
        boolean elsewhere = !here && home.length() > 1 && file.startsWith(home + "/");
        if (!path.startsWith("/")
                || (!here && !elsewhere)
                || StagingPaths.hasControls(path)
                || path.length() > StagingPaths.LONGEST
                || !destinations.add(file)) {
            return "";
        }
        JobSpec.Output output = here
                ? StreamName.output(folder, file.substring(folder.length() + 1))
                : StreamName.below(home, file.substring(home.length() + 1));
        outputs.add(output);
        return output.tree() ? "" : output.destination();
    }

    private void count(String text) {
        int length = text.getBytes(StandardCharsets.UTF_8).length;
        bytes += length;
        if (length > StagingPaths.LONGEST || bytes > MOST_LIST_BYTES) {
            throw new IllegalArgumentException(
                    "too long; allowed: " + StagingPaths.LONGEST + " bytes, and " + MOST_LIST_BYTES + " in all lines");
        }
    }

    private static String shown(String text) {
        String clean = text.replaceAll("\\p{Cc}", "?");
        return clean.length() <= 80 ? clean : clean.substring(0, 80) + "...";
    }

    private void refuse(int line, String word, String wrong) {
        mistakes.add(new Mistake(line, shown(word), shownWhole(wrong)));
    }

    private static String shownWhole(String text) {
        return text.replaceAll("\\p{Cc}", "?");
    }

    /** A word's value: up to the first colon without a backslash, and behind it. @param place empty for none */
    private record Parts(String pattern, String place) {
        static Parts of(String text) {
            int colon = 0;
            while (colon < text.length() && text.charAt(colon) != ':') {
                colon += text.charAt(colon) == '\\' ? 2 : 1;
            }
            String pattern = text.substring(0, Math.min(colon, text.length()));
            if (pattern.isEmpty()) {
                throw new IllegalArgumentException("names no file; allowed: " + GRAMMAR);
            }
            if (colon < text.length() - 1) {
                return new Parts(pattern, text.substring(colon + 1));
            }
            if (colon == text.length() - 1) {
                throw new IllegalArgumentException("nothing follows the colon; a colon in a name is written '\\:'");
            }
            return new Parts(pattern, "");
        }
    }
}
