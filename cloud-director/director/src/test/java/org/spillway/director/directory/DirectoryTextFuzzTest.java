package org.spillway.director.directory;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.RDN;
import com.unboundid.ldap.sdk.ReadOnlyEntry;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldif.LDIFReader;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.director.FuzzSeeds;
import org.spillway.director.node.NodeUserData;

/** A directory in which anything may stand, as a node reads it: nobody becomes bob, and bob is nobody else. */
final class DirectoryTextFuzzTest {
    private static final String FILTER = "(|(&(objectClass=posixAccount)(|(uid=bob)(uidNumber=7002)))"
            + "(&(objectClass=posixGroup)(memberUid=bob)))";
    private static final List<String> PIECES = List.of(
            "bob",
            "bob smith",
            "Bob",
            "7002",
            "7009",
            "uid: bob",
            "\nuid: bob",
            "\ndn: uid=bob",
            "\n\n",
            "\r",
            " ",
            ":",
            ": ",
            "::",
            "uidNumber: 7002",
            "\nuidNumber: 7002",
            "=",
            ",",
            "+",
            "\\",
            "\"",
            "#",
            "-",
            "\0",
            "\u00e9",
            "\ud83d\ude00",
            "\u2028",
            "{SSHA}x",
            "x".repeat(300));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private static String drawn(Random random) {
        var text = new StringBuilder();
        for (int n = 1 + random.nextInt(3); n > 0; n--) {
            text.append(PIECES.get(random.nextInt(PIECES.size())));
        }
        return text.toString();
    }

    private static String often(Random random, String usual) {
        return random.nextInt(3) == 0 ? drawn(random) : usual;
    }

    private static Entry entry(Random random) {
        boolean group = random.nextInt(3) == 0;
        var dn = new DN(
                new RDN(group ? "cn" : "uid", often(random, "e" + random.nextInt(4))), DirectoryStore.dn(People.BASE));
        List<Attribute> attributes = new ArrayList<>();
        attributes.add(new Attribute("objectClass", group ? "posixGroup" : "posixAccount"));
        for (String name : List.of("uid", "cn", "uidNumber", "gidNumber", "memberUid", "homeDirectory")) {
            List<String> values = new ArrayList<>();
            for (int n = random.nextInt(3); n > 0; n--) {
                values.add(often(random, name.endsWith("Number") ? "7002" : "bob"));
            }
            if (!values.isEmpty()) {
                attributes.add(new Attribute(name, values));
            }
        }
        return new Entry(dn, attributes);
    }

    /** A line for each account: its number where the login is bob, a dash where it is not, and ? for no number. */
    private static List<String> expected(List<ReadOnlyEntry> found) {
        List<String> lines = new ArrayList<>();
        for (ReadOnlyEntry entry : found) {
            List<String> logins = values(entry, "uid");
            List<String> numbers = values(entry, "uidNumber");
            for (String number : numbers.isEmpty() && !logins.isEmpty() ? List.of("") : numbers) {
                lines.add(!logins.contains("bob") ? "-" : number.matches("[0-9]+") ? number : "?");
            }
        }
        return lines;
    }

    private static List<String> values(Entry entry, String name) {
        String[] values = entry.getAttributeValues(name);
        return values == null ? List.of() : List.of(values);
    }

    @Test
    void nobodyBecomesBobAndBobIsNobodyElse() throws Exception {
        Path node = Path.of(Objects.requireNonNull(NodeUserData.class.getResource("attempt.sh"))
                .toURI());
        List<List<String>> wanted = new ArrayList<>();
        List<String> command = new ArrayList<>(List.of(
                "sh",
                "-c",
                ". \"$0\"; user=bob; for each; do echo \"= ${each##*/}\"; accounts <\"$each\"; done",
                node.toString()));
        long[] seeds = FuzzSeeds.of("entries of a directory", 150, 10_000);
        for (long seed : seeds) {
            var random = new Random(seed);
            var store = new DirectoryStore(People.BASE);
            for (int n = 1 + random.nextInt(4); n > 0; n--) {
                Entry entry = entry(random);
                store.put(
                        DirectoryStore.idOf(DirectoryStore.parsed(entry)),
                        DirectoryStore.parsed(entry),
                        entry.getAttributes());
            }
            String text = DirectoryText.of(store, FILTER, List.of("uid", "uidNumber", "gidNumber"));
            int entries = 0;
            try (var reader = new LDIFReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))) {
                while (reader.readEntry() != null) {
                    entries++;
                }
            }
            List<ReadOnlyEntry> found =
                    Objects.requireNonNull(store.search(store.base(), SearchScope.SUB, Filter.create(FILTER)));
            assertThat(entries).as("seed %d", seed).isEqualTo(found.size());
            wanted.add(expected(found));
            command.add(
                    Files.writeString(folder.resolve(Long.toString(seed)), text).toString());
        }
        Process process = new ProcessBuilder(command).start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        List<String> answers = List.of(said.split("(?m)^= [0-9]+\n", -1));
        assertThat(answers).hasSize(seeds.length + 1);
        for (int n = 0; n < seeds.length; n++) {
            assertThat(answers.get(n + 1)
                            .lines()
                            .map(line -> line.replaceFirst(" .*", ""))
                            .toList())
                    .as("seed %d", seeds[n])
                    .isEqualTo(wanted.get(n));
        }
    }
}
