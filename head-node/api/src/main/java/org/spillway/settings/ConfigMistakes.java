package org.spillway.settings;

import java.util.List;
import java.util.stream.Collectors;

/** A file that cannot be used, with everything that is wrong with it, in the order of its lines. */
public final class ConfigMistakes extends Exception {
    private static final long serialVersionUID = 1;
    private final String file;
    private final transient List<Mistake> mistakes;

    public ConfigMistakes(String file, List<Mistake> mistakes) {
        super(mistakes.stream().map(mistake -> mistake.at(file)).collect(Collectors.joining("\n")), null, false, false);
        this.file = file;
        this.mistakes = List.copyOf(mistakes);
    }

    public List<Mistake> mistakes() {
        return mistakes;
    }

    /** A line for each mistake, {@code FILE:LINE: key: message}. */
    public List<String> lines() {
        return mistakes.stream().map(mistake -> mistake.at(file)).toList();
    }
}
