package org.spillway.proof;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The class files of all modules without their tests, from folders and jars of the class path. */
final class HouseClasses {
    private HouseClasses() {}

    /** The classes that are installed, by internal name. */
    static Map<String, ClassModel> ofMain() throws IOException {
        Map<String, ClassModel> found = new TreeMap<>();
        for (URL url : places("org/spillway")) {
            read(url, folder -> {
                try (Stream<Path> files = Files.walk(folder)) {
                    for (Path file : files.filter(one -> one.toString().endsWith(".class"))
                            .toList()) {
                        ClassModel model = ClassFile.of().parse(Files.readAllBytes(file));
                        found.put(model.thisClass().asInternalName(), model);
                    }
                }
            });
        }
        return found;
    }

    static Map<String, ClassModel> of(Class<?>... these) throws IOException {
        Map<String, ClassModel> found = new TreeMap<>();
        for (Class<?> one : these) {
            String name = one.getName().replace('.', '/');
            try (InputStream bytes =
                    Objects.requireNonNull(one.getClassLoader().getResourceAsStream(name + ".class"))) {
                found.put(name, ClassFile.of().parse(bytes.readAllBytes()));
            }
        }
        return found;
    }

    /** Internal names of the classes that service files name. */
    static List<String> services() throws IOException {
        List<String> named = new ArrayList<>();
        for (URL url : places("META-INF/services")) {
            read(url, folder -> {
                try (Stream<Path> files = Files.list(folder)) {
                    for (Path file : files.filter(Files::isRegularFile).toList()) {
                        Files.readAllLines(file).stream()
                                .filter(line -> line.startsWith("org.spillway."))
                                .map(line -> line.strip().replace('.', '/'))
                                .forEach(named::add);
                    }
                }
            });
        }
        return named;
    }

    private static List<URL> places(String folder) throws IOException {
        return Collections.list(HouseClasses.class.getClassLoader().getResources(folder)).stream()
                .filter(url -> !url.toString().contains("test-classes")
                        && !url.toString().contains("-tests.jar"))
                .toList();
    }

    private static void read(URL url, Reader reader) throws IOException {
        if (url.openConnection() instanceof JarURLConnection jar) {
            try (FileSystem files = FileSystems.newFileSystem(
                    Path.of(URI.create(jar.getJarFileURL().toString())))) {
                reader.read(files.getPath(jar.getEntryName()));
            }
        } else {
            reader.read(Path.of(URI.create(url.toString())));
        }
    }

    private interface Reader {
        void read(Path folder) throws IOException;
    }
}
