package org.spillway.scaler.policyhost;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.spillway.policy.ScalingPolicy;

/**
 * The files of all children: the jars that a policy may see, those that the child needs, and an empty folder for each. A
 * copy outside of the installation, as an unprivileged user may not be able to reach that.
 */
final class ChildPlace implements AutoCloseable {
    private static final List<Class<?>> VISIBLE = List.of(ScalingPolicy.class, NullMarked.class);
    private static final List<Class<?>> NEEDED =
            List.of(PolicyChild.class, ObjectMapper.class, JsonFactory.class, JsonProperty.class, JavaTimeModule.class);

    private final Path folder;
    private final boolean unprivileged;
    private int works;

    private ChildPlace(Path folder, boolean unprivileged) {
        this.folder = folder;
        this.unprivileged = unprivileged;
    }

    static ChildPlace make(Containment containment) throws IOException {
        Path folder = Files.createTempDirectory(Leftovers.PREFIX);
        ChildPlace place = new ChildPlace(folder, containment.unprivileged());
        try {
            Leftovers.own(folder);
            if (containment.unprivileged()) {
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
            }
            place.copy(place.api(), VISIBLE);
            place.copy(place.lib(), NEEDED);
            return place;
        } catch (IOException | RuntimeException failed) {
            place.close();
            throw failed;
        }
    }

    Path folder() {
        return folder;
    }

    Path api() {
        return folder.resolve("api");
    }

    private Path lib() {
        return folder.resolve("lib");
    }

    String classPath() {
        return api() + "/*:" + lib() + "/*";
    }

    /** Empty, of mode 700, the child's own. */
    synchronized Path work() throws IOException {
        works++;
        Path work = Files.createDirectory(
                folder.resolve("work-" + works),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        if (unprivileged) {
            Files.setAttribute(work, "unix:gid", Containment.NOBODY);
            Files.setAttribute(work, "unix:uid", Containment.NOBODY);
        }
        return work;
    }

    private void copy(Path to, List<Class<?>> of) throws IOException {
        Files.createDirectory(to);
        int number = 0;
        for (Class<?> type : of) {
            Path from = origin(type);
            Path jar = to.resolve(number + ".jar");
            number++;
            if (Files.isDirectory(from)) {
                pack(from, jar);
            } else {
                Files.copy(from, jar);
            }
            Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("rw-r--r--"));
        }
        Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static Path origin(Class<?> type) throws IOException {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException strange) {
            throw new IOException("where " + type.getName() + " came from cannot be told", strange);
        }
    }

    /** Classes that lie in a folder, as in a build. */
    private static void pack(Path from, Path jar) throws IOException {
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream packed = new JarOutputStream(out);
                Stream<Path> files = Files.walk(from)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                packed.putNextEntry(new JarEntry(from.relativize(file).toString()));
                Files.copy(file, packed);
                packed.closeEntry();
            }
        } catch (UncheckedIOException unreadable) {
            throw unreadable.getCause();
        }
    }

    @Override
    public void close() throws IOException {
        Leftovers.delete(folder);
    }
}
