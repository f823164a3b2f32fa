package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Bundles by the machine's own tar, which is also the judge of what is one. */
final class Tar {
    private static final long MOST_TEXT_BYTES = 16 << 20;

    private Tar() {}

    static byte[] of(Path folder, List<String> options) throws Exception {
        List<String> command = new ArrayList<>(List.of("tar", "-cf", "-", "-C", folder.toString()));
        command.addAll(options);
        Process tar = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        byte[] bytes = tar.getInputStream().readAllBytes();
        assertThat(tar.waitFor()).isZero();
        return bytes;
    }

    /** Regular files by their names in the bundle; {@code scratch} is made. */
    static Map<String, String> files(byte[] bundle, Path scratch) throws Exception {
        Files.createDirectories(scratch);
        Process tar = new ProcessBuilder("tar", "-xf", "-", "-C", scratch.toString())
                .redirectErrorStream(true)
                .start();
        try (var out = tar.getOutputStream()) {
            out.write(bundle);
        }
        String said = new String(tar.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(tar.waitFor()).as(said).isZero();
        Map<String, String> files = new TreeMap<>();
        try (var all = Files.walk(scratch)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                files.put(scratch.relativize(file).toString(), text(file));
            }
        }
        return files;
    }

    /** A bundle's members, each with its type before it, as {@code tar -tv} shows it. */
    static List<String> members(byte[] bundle, Path scratch) throws Exception {
        Path file = Files.write(scratch, bundle);
        Process tar = new ProcessBuilder("tar", "-tvf", file.toString())
                .redirectErrorStream(true)
                .start();
        List<String> lines = new String(tar.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                .lines()
                .toList();
        assertThat(tar.waitFor()).isZero();
        return lines;
    }

    private static String text(Path file) throws IOException {
        // Of a file with a terabyte of holes nobody wants the text.
        return Files.size(file) > MOST_TEXT_BYTES
                ? Files.size(file) + " bytes"
                : new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }
}
