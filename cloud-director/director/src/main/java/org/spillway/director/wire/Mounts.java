package org.spillway.director.wire;

import java.util.List;

/** Storage that the nodes of a site have besides their own disk. */
public record Mounts(List<Mount> all) {
    public static final Mounts NONE = new Mounts(List.of());

    public Mounts {
        all = List.copyOf(all);
    }

    /**
     * A file system at its place. No text has a blank in it.
     *
     * @param at absolute path on nodes, none below another mount's
     * @param from as {@code mount} takes it
     * @param type as {@code mount -t} takes it, or one that the node's image or an overlay has a program for
     * @param options with commas; empty for none
     * @param limitSeconds for all that mounting and each look at it take
     * @param category of the nodes that have it; empty for all of the site
     */
    public record Mount(String at, String from, String type, String options, int limitSeconds, String category) {}

    /**
     * The lines for a node: seconds, type, place, source, options or a dash.
     *
     * @param category the node's; empty for none
     */
    public String lines(String category) {
        StringBuilder text = new StringBuilder();
        for (Mount each : all) {
            if (each.category().isEmpty() || each.category().equals(category)) {
                text.append(each.limitSeconds())
                        .append(' ')
                        .append(each.type())
                        .append(' ')
                        .append(each.at())
                        .append(' ')
                        .append(each.from())
                        .append(' ')
                        .append(each.options().isEmpty() ? "-" : each.options())
                        .append('\n');
            }
        }
        return text.toString();
    }
}
