import java.nio.file.Path;
import java.util.List;

/**
 * Runs Spotless on the Java that runs this file. The formatter parses with its own JVM's compiler, so under a Maven on
 * Java 17 it cannot read record patterns; the build starts this with the JDK 25 of the toolchain instead.
 */
final class Format {
    private Format() {}

    public static void main(String[] arguments) throws Exception {
        var maven = Path.of(arguments[0], "bin", "mvn").toString();
        var command = List.of(maven, "-q", "-B", "-f", arguments[1], "spotless:" + arguments[2]);
        var process = new ProcessBuilder(command).inheritIO();
        process.environment().put("JAVA_HOME", System.getProperty("java.home"));
        // Maven's own Guava; the warning would be about every build and about nobody here.
        process.environment().merge("MAVEN_OPTS", "--sun-misc-unsafe-memory-access=allow", (a, b) -> a + " " + b);
        System.exit(process.start().waitFor());
    }
}
