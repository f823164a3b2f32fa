package org.spillway.cli;

import java.util.Map;
import java.util.function.Supplier;

/** Commands beside the client's own; found by {@code ServiceLoader} when the client does not know the one asked for. */
@FunctionalInterface
public interface CommandSource {
    /** Picocli command objects, or command lines, by the name that is typed. */
    Map<String, Supplier<Object>> commands();

    /** Title of the help's list below which those stand that the list itself does not name. */
    default String title() {
        return "More";
    }
}
