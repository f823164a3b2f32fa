package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.spillway.head.trust.SiteAuthority;

/** Looks for every secret of a cluster in every place where others may read. */
final class Redaction {
    private Redaction() {}

    static void check(HeadFixture head) throws IOException {
        Map<String, String> places = places(head);
        assertThat(places.keySet().toString()).contains("head.log", "requests.log", "console.log", "journal.db");
        Set<String> secrets = secrets(head);
        assertThat(secrets.size()).isGreaterThanOrEqualTo(10);
        assertThat(found(places, secrets)).isEmpty();
        String told = "a log line with " + secrets.iterator().next();
        assertThat(found(Map.of("planted", told), secrets)).hasSize(1);
    }

    private static List<String> found(Map<String, String> places, Set<String> secrets) {
        List<String> found = new ArrayList<>();
        places.forEach((place, text) -> secrets.stream()
                .filter(text::contains)
                .forEach(secret -> found.add(place + ": " + secret.substring(0, 6) + "...")));
        return found;
    }

    private static Set<String> secrets(HeadFixture head) throws IOException {
        Set<String> secrets = new HashSet<>();
        secrets.add(head.cloud().token());
        secrets.add(Files.readString(head.state().resolve("web.token")).strip());
        try (Stream<Path> files = Files.list(head.state().resolve("secrets"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                secrets.addAll(privateLines(Files.readString(file)));
            }
        }
        var authority = SiteAuthority.open(head.state(), InstantSource.system());
        secrets.add(authority.directoryPassword("east"));
        for (LocalCloudAdmin.Machine machine : head.cloud().machines()) {
            secrets.add(authority.joinToken(machine.intent()));
        }
        return secrets;
    }

    /** Lines of keys; certificates and public halves may be known. */
    private static List<String> privateLines(String text) {
        List<String> lines = new ArrayList<>();
        boolean secret = !text.contains("-----BEGIN");
        for (String line : text.lines().toList()) {
            if (line.startsWith("-----BEGIN")) {
                secret = line.contains("PRIVATE");
            } else if (line.startsWith("-----END")) {
                secret = false;
            } else if (secret && line.length() >= 24 && !line.startsWith("ssh-") && !line.startsWith("ecdsa-")) {
                lines.add(line.strip());
            }
        }
        // An OpenSSH key begins with what all keys have in common, and its public half, twice: no secrets.
        return text.contains("OPENSSH PRIVATE KEY") ? lines.subList(5, lines.size()) : lines;
    }

    private static Map<String, String> places(HeadFixture head) throws IOException {
        Map<String, String> places = new LinkedHashMap<>();
        try (Stream<Path> all = Files.walk(head.folder())) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String name = file.getFileName().toString();
                if (name.contains(".db")
                        || name.contains(".log")
                        || file.toString().contains("/node-logs/")) {
                    places.put(
                            head.folder().relativize(file).toString(),
                            new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
                }
            }
        }
        for (long pid : Processes.ofRun(head.folder())) {
            places.put("process " + pid, Processes.commandLine(pid) + "\n" + Processes.workingFolder(pid));
        }
        return places;
    }
}
