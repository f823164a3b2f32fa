package org.spillway.head.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.spillway.settings.Section;

/** The section {@code web}. */
final class WebReader {
    private static final int LEAST_TOKEN_CHARACTERS = 16;

    private WebReader() {}

    /** @param base of relative paths */
    static WebSettings read(Section section, Path base) {
        boolean enabled = section.flag("enabled", true);
        var address = section.matching(
                "address",
                "127.0.0.1",
                "127(\\.(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)){3}|::1",
                "a loopback address in numbers: 127.0.0.1 or another of 127.0.0.0/8, or ::1");
        var allowed = "0 for any free port, or a whole number from 1024 to 65535";
        int port = section.value("port", 0, 0, allowed, text -> {
            if (!text.matches("0|[1-9]\\d{3,4}") || (!text.equals("0") && !isPort(Integer.parseInt(text)))) {
                throw new IllegalArgumentException("found '" + text + "'; allowed: " + allowed);
            }
            return Integer.valueOf(text);
        });
        var userLinks =
                section.duration("userLinksEndAfter", Duration.ofHours(12), Duration.ofMinutes(1), Duration.ofDays(30));
        var metricsToken = DirectoryReader.file(section, "metricsTokenFile", base);
        metricsToken.ifPresent(path -> checkToken(section, path));
        if (metricsToken.isPresent() && !enabled) {
            section.mistake("metricsTokenFile", "found with enabled: false; allowed: only where the page is served");
        }
        section.noMore();
        return new WebSettings(enabled, address, port, userLinks, metricsToken);
    }

    private static void checkToken(Section section, Path path) {
        SecretFile.check(section, "metricsTokenFile", path);
        try {
            if (Files.isReadable(path) && Files.readString(path).strip().length() < LEAST_TOKEN_CHARACTERS) {
                section.mistake(
                        "metricsTokenFile",
                        "found '" + path + "' with fewer than " + LEAST_TOKEN_CHARACTERS
                                + " characters; allowed: as many or more");
            }
        } catch (IOException unreadable) {
            section.mistake("metricsTokenFile", "found '" + path + "', which cannot be read: " + unreadable);
        }
    }

    private static boolean isPort(int number) {
        return number >= 1024 && number <= 65_535;
    }
}
