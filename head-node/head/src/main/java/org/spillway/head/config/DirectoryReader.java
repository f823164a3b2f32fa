package org.spillway.head.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.spillway.director.directory.DirectorySchema;
import org.spillway.director.directory.FileSource;
import org.spillway.settings.Section;

/** The section {@code directory}. */
final class DirectoryReader {
    private DirectoryReader() {}

    static DirectorySetting read(Section section, Path base) {
        var source = section.oneOf("source", null, List.of("nss", "file", "ldap"));
        int minUid = section.integer("minUid", 1000, 1, Integer.MAX_VALUE);
        var directory = switch (source) {
            case "ldap" -> ldap(section, base, minUid);
            case "file" -> accountFiles(section, base, minUid);
            default -> new DirectorySetting.Nss(minUid);
        };
        if (section.says("source", source)) {
            section.noMore();
        }
        return directory;
    }

    private static DirectorySetting accountFiles(Section section, Path base, int minUid) {
        var passwd = account(section, "passwd", base);
        var group = account(section, "group", base);
        if (passwd.isPresent() && group.isPresent()) {
            try {
                FileSource.check(passwd.get(), group.get());
            } catch (IOException malformed) {
                section.mistake("source", String.valueOf(malformed.getMessage()));
            }
        }
        return new DirectorySetting.AccountFiles(passwd.orElse(base), group.orElse(base), minUid);
    }

    /** Whoever may write it decides who is who. */
    private static Optional<Path> account(Section section, String key, Path base) {
        if (!section.has(key)) {
            section.mistake(key, "missing; allowed: a file in the form of " + key + "(5)");
        }
        var file = file(section, key, base);
        file.ifPresent(path -> {
            try {
                if (Files.getPosixFilePermissions(path).contains(PosixFilePermission.OTHERS_WRITE)) {
                    section.mistake(key, "found '" + path + "', which others may write; allowed: chmod o-w");
                }
            } catch (IOException unreadable) {
                section.mistake(key, "found '" + path + "', whose mode cannot be read: " + unreadable);
            }
        });
        return file;
    }

    private static DirectorySetting ldap(Section section, Path base, int minUid) {
        var url = section.matching("url", null, "ldaps?://\\S+", "ldap://HOST[:PORT] or ldaps://HOST[:PORT]");
        var search = section.matching("base", null, "\\w+=.+", "a distinguished name such as dc=example,dc=org");
        var schema = section.oneOf("schema", "rfc2307", List.of("rfc2307", "rfc2307bis", "ad"));
        var bindDn = section.text("bindDn", "", "a distinguished name, or absent for an anonymous bind");
        var passwordFile = file(section, "passwordFile", base);
        passwordFile.ifPresent(path -> SecretFile.check(section, "passwordFile", path));
        boolean startTls = section.flag("startTls", false);
        if (startTls && url.startsWith("ldaps:")) {
            section.mistake("startTls", "found 'true' with an ldaps:// url, which is TLS already; allowed: false");
        }
        boolean own = url.matches("ldap://(localhost|127(\\.[0-9]{1,3}){3}|\\[::1])([:/].*)?");
        if (url.startsWith("ldap:") && !own && !startTls && !bindDn.isEmpty()) {
            section.mistake(
                    "startTls", "found 'false' with a password for a server elsewhere; allowed: true, or ldaps://");
        }
        if (bindDn.isEmpty() == section.has("passwordFile")) {
            section.mistake(
                    bindDn.isEmpty() ? "passwordFile" : "bindDn",
                    bindDn.isEmpty()
                            ? "found without bindDn; allowed: both or neither"
                            : "found without passwordFile; allowed: both or neither");
        }
        return new DirectorySetting.Ldap(
                url,
                search,
                DirectorySchema.valueOf(schema.toUpperCase(Locale.ROOT)),
                bindDn,
                passwordFile,
                startTls,
                file(section, "caFile", base),
                minUid);
    }

    /** A file that is there and can be read. */
    static Optional<Path> file(Section section, String key, Path base) {
        if (!section.has(key)) {
            // Asked for all the same, so that it is named among the allowed keys.
            section.text(key, "", "a path");
            return Optional.empty();
        }
        var path = section.path(key, null, base);
        if (!Files.isRegularFile(path) || !Files.isReadable(path)) {
            section.mistake(
                    key, "found '" + path + "', which is not a file that can be read; allowed: an existing file");
            return Optional.empty();
        }
        return Optional.of(path);
    }
}
