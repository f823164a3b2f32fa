package org.spillway.slurm.manager;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.spillway.slurm.settings.SlurmSettings;

/** The nodes that Slurm declares: places that a node of the head may take. */
public final class Slots {
    /** @param number from 1 on */
    record Slot(String name, String site, String type, int number) {}

    private Slots() {}

    /** The name that slurm.conf declares. @param number from 1 on */
    public static String name(String site, String type, int number) {
        return plain(site) + "-" + plain(type) + "-" + number;
    }

    private static String plain(String text) {
        return text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "-");
    }

    /** Of all of them. */
    public static Set<String> names(SlurmSettings settings) {
        return declared(settings).keySet();
    }

    /** All of them by their names, in the configuration's order. */
    static Map<String, Slot> declared(SlurmSettings settings) {
        Map<String, Slot> slots = new LinkedHashMap<>();
        settings.nodes()
                .forEach((site, types) -> types.forEach((type, count) -> {
                    for (int number = 1; number <= count; number++) {
                        String name = name(site, type, number);
                        slots.putIfAbsent(name, new Slot(name, site, type, number));
                    }
                }));
        return slots;
    }
}
