package org.spillway.proof.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * Sources in C as they lie in a home: {@code src} with one file in twenty, {@code include} with the others, each
 * {@value #BYTES} bytes. A source includes nineteen headers that no other one includes, so that all are read by a build.
 *
 * @param files at least 20
 */
record ReachTree(Path folder, int files) {
    static final int BYTES = 3000;
    /** Of which one is a source. */
    static final int TOGETHER = 20;

    /** @param seed makes the text another */
    void write(long seed) throws IOException {
        Path sources = Files.createDirectories(folder.resolve("src"));
        Path headers = Files.createDirectories(folder.resolve("include"));
        var random = new SplittableRandom(seed);
        for (int at = 0; at < sources(files); at++) {
            var source = new StringBuilder();
            var sum = new StringBuilder("int sum_" + at + "(int x) { return x");
            for (int i = 0; i < headers(at); i++) {
                String name = "part_" + at + "_" + i;
                source.append("#include \"").append(name).append(".h\"\n");
                sum.append(" + ").append(name).append("(x)");
                fill(
                        headers.resolve(name + ".h"),
                        "static inline int " + name + "(int x) { return x * " + random.nextInt(1000) + "; }\n",
                        random);
            }
            fill(
                    sources.resolve("file_" + at + ".c"),
                    source.append(sum).append("; }\n").toString(),
                    random);
        }
    }

    static int sources(int files) {
        return (files + TOGETHER - 1) / TOGETHER;
    }

    private int headers(int source) {
        return Math.min(TOGETHER, files - source * TOGETHER) - 1;
    }

    private static void fill(Path file, String code, SplittableRandom random) throws IOException {
        var text = new StringBuilder(code);
        while (text.length() < BYTES) {
            text.append("/* ").append(Long.toHexString(random.nextLong())).append(" */\n");
        }
        // A comment that was cut off is none.
        text.setLength(BYTES - 1);
        int end = text.lastIndexOf("\n");
        text.replace(end, text.length(), " ".repeat(text.length() - end));
        Files.writeString(file, text.append('\n').toString());
    }
}
