package org.spillway.head.bootstrap;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;

/** The director's distribution made of this test's class path, since tests run before the build packs it. */
final class Distribution {
    private static final List<String> PARTS = List.of("director", "data-stager", "images");
    private static final List<String> LIBRARIES = List.of(
            "jackson-", "unboundid-ldapsdk", "slf4j-api", "snakeyaml", "sshd-", "logback-", "commons-", "zstd-");

    private Distribution() {}

    static Path in(Path folder) throws IOException {
        Path lib = Files.createDirectories(folder);
        int number = 0;
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            Path path = Path.of(entry);
            String name = path.getFileName().toString();
            if (Files.isDirectory(path)
                    && name.equals("classes")
                    && PARTS.contains(path.getParent().getParent().getFileName().toString())) {
                pack(path, lib.resolve("part-" + number++ + ".jar"));
            } else if (name.endsWith(".jar")
                    && !name.endsWith("-tests.jar")
                    && (LIBRARIES.stream().anyMatch(name::startsWith)
                            || PARTS.stream().anyMatch(part -> name.startsWith("spillway-" + part)))) {
                Files.copy(path, lib.resolve(name));
            }
        }
        return lib;
    }

    private static void pack(Path classes, Path jar) throws IOException {
        try (var out = new JarOutputStream(Files.newOutputStream(jar));
                var files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
    }
}
