package org.spillway.proof;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The sources of all modules, for the checks that read them. */
final class HouseSources {
    private static final Pattern NO_CODE = Pattern.compile(
            "\"\"\".*?\"\"\"|/\\*.*?\\*/|//[^\\n]*|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\])'", Pattern.DOTALL);
    private static final List<String> NOT_OURS = List.of("target", ".git", ".q", "node_modules");

    private static final Map<String, Map<Path, String>> READ = new HashMap<>();

    private HouseSources() {}

    static Path root() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.exists(folder.resolve("ARCHITECTURE.md"))) {
            folder = folder.getParent();
        }
        return folder;
    }

    /** @param kind {@code main} or {@code test}; texts by their file, read once for all checks of a JVM */
    static synchronized Map<Path, String> of(String kind) throws IOException {
        Map<Path, String> known = READ.get(kind);
        if (known == null) {
            known = new TreeMap<>();
            collect(root(), Path.of("src", kind, "java"), known);
            READ.put(kind, known);
        }
        return Collections.unmodifiableMap(known);
    }

    private static void collect(Path folder, Path sources, Map<Path, String> texts) throws IOException {
        if (Files.isDirectory(folder.resolve(sources))) {
            try (Stream<Path> files = Files.walk(folder.resolve(sources))) {
                for (Path file :
                        files.filter(one -> one.toString().endsWith(".java")).toList()) {
                    texts.put(file, Files.readString(file));
                }
            }
        }
        try (Stream<Path> children = Files.list(folder)) {
            for (Path child : children.filter(Files::isDirectory).toList()) {
                String name = child.getFileName().toString();
                if (!NOT_OURS.contains(name) && !name.equals("src")) {
                    collect(child, sources, texts);
                }
            }
        }
    }

    /** Without comments and literals. */
    static String code(String text) {
        return NO_CODE.matcher(text).replaceAll(" ");
    }
}
