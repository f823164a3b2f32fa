package org.spillway.head.bootstrap;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestInputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Java on which this head runs, cut by {@code jlink} to what a director needs and packed: about 28 MB. Made when it
 * is first needed and kept in a folder of the head's state.
 */
final class HeadJava implements JavaArchive.Source {
    /** Found by jdeps over the director's jars, without what they only mention (desktop, scripting). */
    private static final List<String> MODULES = List.of(
            "java.base",
            "java.logging",
            "java.management",
            "java.naming",
            "java.net.http",
            "java.security.jgss",
            "java.sql",
            "java.xml",
            "jdk.httpserver",
            "jdk.unsupported",
            "jdk.zipfs");

    private static final List<String> OPTIONS =
            List.of("--strip-debug", "--no-header-files", "--no-man-pages", "--generate-cds-archive");
    private static final Logger LOG = LoggerFactory.getLogger(HeadJava.class);
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final int MAX_SAID = 500;

    private final Path home;
    private final Path cache;

    /**
     * @param home of a JDK
     * @param cache folder for what is made of it; need not exist
     */
    HeadJava(Path home, Path cache) {
        this.home = home;
        this.cache = cache;
    }

    @Override
    public synchronized JavaArchive get() throws IOException {
        Properties release = release();
        String machine = release.getProperty("OS_ARCH", "unknown").replace("\"", "");
        String version = release.getProperty("JAVA_RUNTIME_VERSION", "unknown").replaceAll("[^A-Za-z0-9._+-]", "");
        String recipe = hex(digest(), (MODULES + "\n" + OPTIONS).getBytes(StandardCharsets.UTF_8));
        String name = "java-" + version + "-" + machine + "-" + recipe.substring(0, 8);
        Path file = cache.resolve(name + ".tar.gz");
        if (!Files.exists(file)) {
            make(file);
        }
        return new JavaArchive(name, machine, file, sha256(file));
    }

    private void make(Path file) throws IOException {
        Path jlink = home.resolve("bin/jlink");
        if (!Files.isExecutable(jlink)) {
            throw new IOException(
                    "the Java of this head (" + home + ") has no jlink, so that it cannot be brought to an"
                            + " instance that has none: run the head on a JDK, or install a JRE 25 in the director's image");
        }
        Files.createDirectories(cache);
        Path work = Files.createTempDirectory(cache, "making-");
        try {
            Path image = work.resolve("java");
            long began = System.nanoTime();
            var command = new java.util.ArrayList<>(List.of(
                    jlink.toString(), "--add-modules", String.join(",", MODULES), "--output", image.toString()));
            command.addAll(OPTIONS);
            run(work, command);
            // Only heaps above 32 GB would use it.
            Files.deleteIfExists(image.resolve("lib/server/classes_nocoops.jsa"));
            Path packed = work.resolve("java.tar.gz");
            run(work, List.of("tar", "-czf", packed.toString(), "-C", image.toString(), "."));
            Files.move(packed, file, StandardCopyOption.ATOMIC_MOVE);
            LOG.info(
                    "made a Java for directors of {}: {} MB in {} s",
                    home,
                    Files.size(file) >> 20,
                    Duration.ofNanos(System.nanoTime() - began).toSeconds());
        } finally {
            delete(work);
        }
    }

    private static void run(Path folder, List<String> command) throws IOException {
        Path said = folder.resolve("said");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            if (!process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException(command.getFirst() + " did not end within " + LIMIT.toSeconds() + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while making a Java for directors", e);
        } finally {
            process.destroyForcibly();
        }
        if (process.exitValue() != 0) {
            String text = Files.readString(said, StandardCharsets.ISO_8859_1).strip();
            throw new IOException(command.getFirst() + " failed with " + process.exitValue() + ": "
                    + text.substring(0, Math.min(text.length(), MAX_SAID)));
        }
    }

    private Properties release() throws IOException {
        var release = new Properties();
        try (var in = Files.newBufferedReader(home.resolve("release"))) {
            release.load(in);
        }
        return release;
    }

    private static String sha256(Path file) throws IOException {
        MessageDigest digest = digest();
        try (var in = new DigestInputStream(Files.newInputStream(file), digest)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static String hex(MessageDigest digest, byte[] bytes) {
        return HexFormat.of().formatHex(digest.digest(bytes));
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (var all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        }
    }
}
