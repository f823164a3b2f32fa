package org.spillway.head.config;

import java.lang.reflect.RecordComponent;
import org.jspecify.annotations.Nullable;
import org.spillway.policy.SettingTexts;
import org.spillway.settings.Section;

/**
 * Fills a policy's settings record from the file: its components are the keys, its defaults the defaults, and what its
 * constructor refuses is shown at the key that it refuses.
 */
final class PolicySettings {
    private PolicySettings() {}

    static Record read(Section section, Record defaults) {
        var components = defaults.getClass().getRecordComponents();
        var values = new @Nullable Object[components.length];
        for (int i = 0; i < components.length; i++) {
            values[i] = SettingTexts.get(components[i], defaults);
        }
        var alone = values.clone();
        boolean good = true;
        for (int i = 0; i < components.length; i++) {
            var text = text(section, components[i]);
            if (text == null) {
                good &= !section.has(components[i].getName());
                continue;
            }
            try {
                values[i] = SettingTexts.parse(components[i].getType(), text);
                var one = alone.clone();
                one[i] = values[i];
                SettingTexts.make(defaults, one);
            } catch (IllegalArgumentException refused) {
                section.mistake(components[i].getName(), "found '" + text + "'; " + refused.getMessage());
                good = false;
            }
        }
        section.noMore();
        return good ? together(section, defaults, values) : defaults;
    }

    /** A text may be written as a list or a mapping. */
    private static @Nullable String text(Section section, RecordComponent component) {
        var key = component.getName();
        var allowed = SettingTexts.allowed(component.getType());
        boolean flat = component.getType() == String.class && section.has(key);
        return flat ? section.flat(key, allowed) : section.scalar(key, allowed);
    }

    /** Each value is allowed with the others at their defaults; together they may still contradict. */
    private static Record together(Section section, Record defaults, @Nullable Object[] values) {
        try {
            return SettingTexts.make(defaults, values);
        } catch (IllegalArgumentException refused) {
            var first = section.keys().stream().findFirst();
            section.mistake(first.orElse(""), "together with the other settings: " + refused.getMessage());
            return defaults;
        }
    }
}
