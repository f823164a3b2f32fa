package org.spillway.slurm.conf;

/**
 * A thing that a Slurm lacks.
 *
 * @param key of slurm.conf, or what it is about
 * @param place {@code FILE:LINE} where it stands; empty where no line says it, or the file cannot be read
 * @param found what the running Slurm has; empty for nothing
 * @param breaks what does not work, as a sentence without its end
 * @param repair the line to write, or what to do
 */
public record Difference(String key, String place, String found, String breaks, String repair) {
    /** As it is printed. */
    public String text() {
        String head = place.isEmpty() ? key : place + ": " + key;
        String has = found.isEmpty() ? "missing" : "found " + found;
        return (head + ": " + has + "; " + breaks + "\n    repair: " + repair + "\n")
                .replaceAll("[\\p{Cc}&&[^\\n]]", "?");
    }
}
