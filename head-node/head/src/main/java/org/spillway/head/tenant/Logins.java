package org.spillway.head.tenant;

import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;

/**
 * Users by the directory that nodes have, too.
 *
 * @param names login names by uid; empty for one that nobody there has
 * @param homes where a user's home is, by login name; empty for one who is not there
 */
public record Logins(IntFunction<Optional<String>> names, Function<String, Optional<String>> homes) {}
