package org.spillway.stage.worker;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;

/** Passwords of a {@code ~/.netrc}. Pure. */
final class Netrc {
    private Netrc() {}

    /** Of a login at a machine, or at any other; macros are left out. */
    static Optional<String> password(String text, String host, String login) {
        Deque<String> words = new ArrayDeque<>();
        boolean macro = false;
        for (String line : text.lines().toList()) {
            macro = macro ? !line.isBlank() : line.strip().startsWith("macdef");
            if (!macro && !line.strip().startsWith("#")) {
                words.addAll(Arrays.stream(line.strip().split("\\s+"))
                        .filter(word -> !word.isEmpty())
                        .toList());
            }
        }
        boolean here = false;
        String who = "";
        while (!words.isEmpty()) {
            String word = words.pop();
            if (word.equals("default")) {
                here = true;
                who = "";
            } else if (words.isEmpty()) {
                break;
            } else if (word.equals("machine")) {
                here = words.pop().equalsIgnoreCase(host);
                who = "";
            } else if (word.equals("login")) {
                who = words.pop();
            } else if (word.equals("password")) {
                String password = words.pop();
                if (here && who.equals(login)) {
                    return Optional.of(password);
                }
            } else if (word.equals("account")) {
                words.pop();
            }
        }
        return Optional.empty();
    }
}
