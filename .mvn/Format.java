import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Runs Spotless on the Java that runs this file. The formatter parses with its own JVM's compiler, so under a Maven on
 * Java 17 it cannot read record patterns; the build starts this with the JDK 25 of the toolchain instead. All files take it
 * half a minute of a core; a build looks at those that no upstream branch has yet, and the stage format of .ci/run at all.
 */
final class Format {
    /** More than this make a long command line, and looking at all is then no dearer. */
    private static final int MANY = 200;

    private Format() {}

    /** @param arguments Maven's home, the root of the sources, {@code check} or {@code apply}, {@code all} or {@code new} */
    public static void main(String[] arguments) throws Exception {
        var root = Path.of(arguments[1]);
        var command = new ArrayList<>(List.of(
                Path.of(arguments[0], "bin", "mvn").toString(),
                "-q",
                "-B",
                "-f",
                arguments[1],
                "spotless:" + arguments[2]));
        if (arguments[3].equals("new")) {
            var files = notUpstream(root);
            if (files != null && files.isEmpty()) {
                return;
            }
            if (files != null && files.size() <= MANY) {
                command.add("-DspotlessFiles="
                        + files.stream().map(name -> ".*/" + name.replace(".", "\\.")).collect(Collectors.joining(",")));
            }
        }
        var process = new ProcessBuilder(command).inheritIO();
        process.environment().put("JAVA_HOME", System.getProperty("java.home"));
        // Maven's own Guava; the warning would be about every build and about nobody here.
        process.environment().merge("MAVEN_OPTS", "--sun-misc-unsafe-memory-access=allow", (a, b) -> a + " " + b);
        System.exit(process.start().waitFor());
    }

    /** Java files that differ from the upstream branch or are new; null where there is no such branch, or no git. */
    private static List<String> notUpstream(Path root) throws IOException, InterruptedException {
        var base = git(root, "merge-base", "HEAD", "@{upstream}");
        if (base == null || base.isEmpty()) {
            return null;
        }
        var changed = git(root, "diff", "--name-only", "-z", base.getFirst().strip());
        var fresh = git(root, "ls-files", "--others", "--exclude-standard", "-z");
        if (changed == null || fresh == null) {
            return null;
        }
        changed.addAll(fresh);
        changed.removeIf(name -> !name.endsWith(".java") || !Files.exists(root.resolve(name)));
        return changed;
    }

    private static List<String> git(Path root, String... words) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("git", "-c", "safe.directory=*"));
        command.addAll(List.of(words));
        try {
            var process = new ProcessBuilder(command)
                    .directory(root.toFile())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .redirectInput(new File("/dev/null"))
                    .start();
            var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? new ArrayList<>(List.of(said.split("\0"))) : null;
        } catch (IOException noGit) {
            return null;
        }
    }
}
