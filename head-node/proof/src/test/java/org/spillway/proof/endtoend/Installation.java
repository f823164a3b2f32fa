package org.spillway.proof.endtoend;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * The files that the build will install, put together from this test's class path, since tests run before it is packed:
 * jars only, so that they are readable for any user and their loaded classes can be archived.
 */
record Installation(Path home) {
    private static final List<String> DIRECTOR_PARTS = List.of("director", "data-stager", "images");
    private static final List<String> DIRECTOR_LIBRARIES = List.of(
            "jackson-", "unboundid-ldapsdk", "slf4j-api", "snakeyaml", "sshd-", "logback-", "commons-", "zstd-");

    /** Large, used by nothing that a test starts, and each child of a test would be sent them. */
    private static final List<String> TEST_LIBRARIES = List.of("archunit", "byte-buddy", "surefire-", "jmh-");

    /** Names the one that another process has made. */
    static final String HOME = "SPILLWAY_TEST_HOME";

    /** Drivers of real clouds and what only they need: two thirds of all bytes, for tests that have a local one. */
    private static final List<String> OF_PROVIDERS = List.of(
            "/drivers/aws/",
            "/drivers/azure/",
            "/drivers/openstack/",
            "/spillway-driver-aws-",
            "/spillway-driver-azure-",
            "/spillway-driver-openstack-",
            "/software/amazon/",
            "/com/azure/",
            "/com/microsoft/",
            "/io/projectreactor/",
            "/openstack4j/");

    /** The installation for all tests of this JVM, with the local driver alone. */
    static Installation shared() {
        return Local.INSTALLATION;
    }

    /** An installation with every driver. */
    static Installation complete() {
        return Complete.INSTALLATION;
    }

    private static final class Local {
        static final Installation INSTALLATION = make(false);
    }

    private static final class Complete {
        static final Installation INSTALLATION = make(true);
    }

    private static boolean isOfAProvider(Path path) {
        return OF_PROVIDERS.stream()
                .anyMatch(part -> path.toAbsolutePath().toString().contains(part));
    }

    private static Installation make(boolean complete) {
        String ready = System.getenv(HOME);
        if (ready != null) {
            return new Installation(Path.of(ready));
        }
        try {
            Path home = Files.createTempDirectory("spillway-home");
            Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(home)));
            Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-xr-x"));
            Path lib = Files.createDirectories(home.resolve("lib"));
            Path director = Files.createDirectories(home.resolve("director/lib"));
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
                Path path = Path.of(entry);
                if (!complete && isOfAProvider(path)) {
                    continue;
                }
                String module = moduleOf(path);
                Path jar = lib.resolve(module.isEmpty() ? path.getFileName().toString() : module + ".jar");
                if (Files.exists(jar)
                        || TEST_LIBRARIES.stream().anyMatch(jar.getFileName().toString()::startsWith)) {
                    continue;
                }
                if (Files.isDirectory(path)) {
                    pack(path, jar);
                } else if (Files.exists(path)) {
                    Files.copy(path, jar);
                }
                if (Files.exists(jar) && isDirectors(jar.getFileName().toString())) {
                    Files.createLink(director.resolve(jar.getFileName()), jar);
                }
            }
            return new Installation(home);
        } catch (IOException e) {
            throw new IllegalStateException("the installation for tests cannot be made", e);
        }
    }

    /** {@code MODULE/target/classes} gives MODULE, test classes another name; empty for a jar. */
    private static String moduleOf(Path path) {
        if (!Files.isDirectory(path)) {
            return "";
        }
        Path module = path.toAbsolutePath().getParent().getParent();
        return module.getFileName() + (path.endsWith("classes") ? "" : "-tests");
    }

    private static boolean isDirectors(String jar) {
        return !jar.contains("-tests")
                && (DIRECTOR_LIBRARIES.stream().anyMatch(jar::startsWith)
                        || DIRECTOR_PARTS.stream()
                                .anyMatch(part -> jar.equals(part + ".jar") || jar.startsWith("spillway-" + part)));
    }

    private static void pack(Path classes, Path jar) throws IOException {
        try (var out = new JarOutputStream(Files.newOutputStream(jar));
                var files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                // The head is to log as it does in earnest.
                if (!file.endsWith("logback-test.xml")) {
                    out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                    Files.copy(file, out);
                    out.closeEntry();
                }
            }
        }
    }

    static void delete(Path root) {
        try (Stream<Path> all = Files.walk(root)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException stillInUse) {
            System.err.println(root + " stays: " + stillInUse);
        }
    }

    /** Whether this process has made it, and not another. */
    static boolean isOwn() {
        return System.getenv(HOME) == null;
    }

    /** The archive of loaded classes halves the start of a head; it is written when a JVM ends by itself. */
    Path archive() {
        // A child JVM of another user may read this installation and not write to it.
        String user = System.getenv("HOME");
        return System.getenv(HOME) == null || user == null
                ? home.resolve("classes.jsa")
                : Path.of(user).resolve("classes.jsa");
    }

    /** The command line of a JVM that starts as fast as it can. */
    List<String> java(String main) {
        return java(main, archive());
    }

    List<String> java(String main, Path archive) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-XX:+AutoCreateSharedArchive",
                "-XX:SharedArchiveFile=" + archive,
                "-Xlog:disable",
                "-Xlog:all=error:stderr",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                home.resolve("lib") + "/*",
                main);
    }
}
