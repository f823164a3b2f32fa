package org.spillway.policy.builtin;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.spillway.policy.Money;

/** Refusals of built-in policies' settings, each with its key. */
final class Check {
    private Check() {}

    static void notNegative(String key, Duration time) {
        if (time.isNegative()) {
            throw new IllegalArgumentException(key + " is negative: " + time + "; allowed: 0s or more");
        }
    }

    static void notNegative(String key, Money amount) {
        if (amount.micros() < 0) {
            throw new IllegalArgumentException(key + " is negative: " + amount + "; allowed: 0 or more");
        }
    }

    static void atLeast(String key, long least, long number) {
        if (number < least) {
            throw new IllegalArgumentException(key + " is less than " + least + ": " + number);
        }
    }

    static void within(String key, long least, long most, long number) {
        if (number < least || number > most) {
            throw new IllegalArgumentException(key + " is " + number + "; allowed: " + least + " to " + most);
        }
    }

    /** Names as they are written in one text: {@code a,b}. */
    static Set<String> names(String key, String text) {
        Set<String> names = new LinkedHashSet<>();
        for (String name : text.isBlank() ? new String[0] : text.split(",", -1)) {
            if (name.isBlank() || !names.add(name.strip())) {
                throw new IllegalArgumentException(key + " is '" + text + "'; allowed: different names, such as a,b");
            }
        }
        return names;
    }

    /** Numbers by name as they are written in one text: {@code a=1,b=2}. */
    static Map<String, Long> numbers(String key, long least, long most, String text) {
        Map<String, Long> numbers = new LinkedHashMap<>();
        for (String pair : names(key, text)) {
            String[] parts = pair.split("=", -1);
            if (parts.length != 2 || parts[0].isBlank() || !parts[1].strip().matches("-?\\d{1,12}")) {
                throw new IllegalArgumentException(key + " has '" + pair + "'; allowed: a name and a number, as a=1");
            }
            long number = Long.parseLong(parts[1].strip());
            within(key + " of " + parts[0].strip(), least, most, number);
            if (numbers.put(parts[0].strip(), number) != null) {
                throw new IllegalArgumentException(key + " has " + parts[0].strip() + " twice; allowed: once");
            }
        }
        return numbers;
    }
}
