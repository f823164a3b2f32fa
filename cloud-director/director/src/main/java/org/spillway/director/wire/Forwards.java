package org.spillway.director.wire;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Services of home that jobs of a site may reach (ADR 77). Where they are is the head's to know. */
public record Forwards(List<Forward> all) {
    public static final Forwards NONE = new Forwards(List.of());
    /** In the place of groups: whoever has a job. */
    public static final String EVERYBODY = "*";

    public Forwards {
        all = List.copyOf(all);
    }

    /**
     * A service.
     *
     * @param name letters, digits and dashes; no other has it
     * @param host by which a job knows it
     * @param ports of that host, as a job knows them
     * @param groups whose members may reach it; {@link #EVERYBODY} for all
     */
    public record Forward(String name, String host, List<Integer> ports, List<String> groups) {
        public Forward {
            ports = List.copyOf(ports);
            groups = List.copyOf(groups);
        }

        /** Whether a user of these groups may. */
        public boolean isFor(List<String> theirs) {
            return groups.contains(EVERYBODY) || groups.stream().anyMatch(theirs::contains);
        }

        String line() {
            return name + " " + host + " "
                    + ports.stream().map(port -> Integer.toString(port)).collect(Collectors.joining(","));
        }
    }

    public Optional<Forward> named(String name) {
        return all.stream().filter(each -> each.name().equals(name)).findFirst();
    }

    /** A line for each, behind that word: name, host, ports with commas. */
    public String lines(String before) {
        return all.stream().map(each -> before + each.line() + "\n").collect(Collectors.joining());
    }
}
