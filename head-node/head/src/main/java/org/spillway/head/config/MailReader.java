package org.spillway.head.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.spillway.head.config.HeadConfig.Mail;
import org.spillway.settings.Section;

/** The section {@code mail}. */
final class MailReader {
    private static final String ADDRESS = "[A-Za-z0-9][A-Za-z0-9._+=-]{0,63}@[A-Za-z0-9][A-Za-z0-9.-]{0,252}";
    private static final String DOMAIN = "[A-Za-z0-9][A-Za-z0-9.-]{0,252}";

    private MailReader() {}

    /** Empty where there is no such section. */
    static Optional<Mail> read(Section root, Path base) {
        boolean given = root.has("mail");
        var section = root.section("mail", false);
        if (!given) {
            return Optional.empty();
        }
        var host = section.matching(
                "host", null, "[A-Za-z0-9][A-Za-z0-9.:-]{0,252}", "the name or the address of a mail server");
        var tls = section.oneOf("tls", "starttls", List.of("required", "starttls", "none"));
        if (tls.equals("none") && !isLoopback(host)) {
            section.mistake("tls", "found 'none' for a server elsewhere; allowed: required, starttls");
        }
        int usual = switch (tls) {
            case "required" -> 465;
            case "starttls" -> 587;
            default -> 25;
        };
        int port = section.integer("port", usual, 1, 65_535);
        var from = section.matching("from", null, ADDRESS, "an address such as spillway@example.org");
        var user = section.text("user", "", "a login name, or absent for a server that wants none");
        var password = DirectoryReader.file(section, "passwordFile", base);
        password.ifPresent(path -> SecretFile.check(section, "passwordFile", path));
        if (user.isEmpty() == section.has("passwordFile")) {
            section.mistake(
                    user.isEmpty() ? "passwordFile" : "user",
                    user.isEmpty()
                            ? "found without user; allowed: both or neither"
                            : "found without passwordFile; allowed: both or neither");
        }
        if (!user.isEmpty() && tls.equals("none")) {
            section.mistake("tls", "found 'none' with a password; allowed: required, starttls");
        }
        var caFile = DirectoryReader.file(section, "caFile", base);
        var domain = section.has("domain")
                ? section.matching("domain", "", DOMAIN, "a domain such as example.org")
                : section.text("domain", "", "a domain such as example.org");
        section.noMore();
        return Optional.of(new Mail(
                host, port, Mail.Tls.valueOf(tls.toUpperCase(Locale.ROOT)), from, user, password, caFile, domain));
    }

    private static boolean isLoopback(String host) {
        return host.matches("localhost|127(\\.\\d{1,3}){3}|::1");
    }
}
