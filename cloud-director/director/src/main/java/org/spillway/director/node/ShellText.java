package org.spillway.director.node;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/** Parts of a node's program, as they travel: without comments and indentation. */
public final class ShellText {
    private ShellText() {}

    /** @param parts resources beside that class, in order; a program that lacks one is refused as a build that is not whole */
    public static String of(Class<?> beside, List<String> parts) {
        return parts.stream().map(part -> withoutComments(beside, part)).collect(Collectors.joining());
    }

    private static String withoutComments(Class<?> beside, String part) {
        try (InputStream in = beside.getResourceAsStream(part)) {
            if (in == null) {
                throw new IllegalStateException(part + " is missing in this build");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .map(String::stripLeading)
                    .filter(line -> !line.startsWith("#") && !line.isEmpty())
                    .collect(Collectors.joining("\n", "", "\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
