package org.spillway.proof.bench;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchScope;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.spillway.api.NodeOrder;
import org.spillway.cli.CliFailure;

/**
 * A directory of many users: memory of the head's side and of a region's, and how soon a change at home is found in the
 * region, in turns with a second slapd that copies the first by syncrepl.
 */
final class DirectoryBench {
    private static final double TARGET_MILLIS = 5;
    private static final double TARGET_MEBI = 400;
    private static final int CHANGES = 200;
    /** Made before those that are measured: a head and a slapd run for months, these have just begun. */
    private static final int WARMING = 200;

    private static final Duration VISIBLE = Duration.ofMinutes(1);
    private static final double MEBI = 1 << 20;

    private final Path launcher;
    private final int users;

    DirectoryBench(Path launcher, int users) {
        this.launcher = launcher;
        this.users = users;
    }

    List<Figure> measure() throws IOException, InterruptedException {
        var missing = SlapdPair.missing();
        if (missing.isPresent()) {
            throw new IOException(missing.get());
        }
        Path folder = Files.createTempDirectory(
                "spillway-bench", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        try (var slapd = SlapdPair.start(folder, users)) {
            List<Figure> figures = new ArrayList<>();
            figures.addAll(parts(slapd, folder));
            // The real head comes later and takes long: what was measured is not lost with it.
            figures.forEach(one -> System.err.println("measured " + one.name() + " " + one.value() + " " + one.unit()));
            figures.addAll(processes(slapd));
            return figures;
        } catch (LDAPException failed) {
            throw new IOException(failed.getMessage(), failed);
        } finally {
            delete(folder);
        }
    }

    /** With the heaps of a head and of a director. */
    private List<Figure> parts(SlapdPair slapd, Path folder) throws IOException, InterruptedException, LDAPException {
        long begin = System.nanoTime();
        try (var home = Part.start(
                        "-Xmx256m",
                        "home",
                        Integer.toString(slapd.homePort()),
                        slapd.passwordFile().toString(),
                        folder.resolve("state").toString());
                var region = Part.start("-Xmx256m", "region", Integer.toString(home.port));
                LDAPConnection at = slapd.toHome();
                LDAPConnection copy = slapd.toCopy();
                var there = new LDAPConnection("127.0.0.1", region.port)) {
            double loaded = (System.nanoTime() - begin) / 1e9;
            List<Double> ours = new ArrayList<>();
            List<Double> theirs = new ArrayList<>();
            int all = WARMING + CHANGES;
            for (int n = 0; n < all; n++) {
                int user = (int) ((long) n * users / all);
                double our = change(at, there, "dc=spillway", user, "/bin/a" + n);
                double their = change(at, copy, SlapdPair.BASE, user, "/bin/b" + n);
                if (n >= WARMING) {
                    ours.add(our);
                    theirs.add(their);
                }
            }
            var own = Samples.of(ours);
            var peer = Samples.of(theirs);
            String how = CHANGES + " changes of a login shell among " + users + " users, after " + WARMING
                    + " others, from before ldapmodify until a search finds it";
            return List.of(
                    Figure.plain(
                            "directory.load", loaded, "s", "all users from slapd to the head's side and a region's"),
                    Figure.below(TARGET_MILLIS, "directory.change.median", own.median(), "ms", how),
                    Figure.plain("directory.change.p95", own.p95(), "ms", how),
                    Figure.plain("directory.syncrepl.median", peer.median(), "ms", "the same in a second slapd"),
                    Figure.plain("directory.syncrepl.p95", peer.p95(), "ms", "the same in a second slapd"),
                    Figure.plain(
                            "directory.change.ratio", own.median() / peer.median(), "x", "ours to syncrepl, medians"),
                    Figure.plain("directory.home.part", home.mebibytes(), "MiB", "the head's side alone, resident"),
                    Figure.plain(
                            "directory.region.part", region.mebibytes(), "MiB", "a region's side alone, resident"));
        }
    }

    private static double change(LDAPConnection at, LDAPConnection there, String base, int user, String shell)
            throws LDAPException, IOException {
        String filter = "(uid=" + SlapdPair.login(user) + ")";
        long begin = System.nanoTime();
        at.modify(SlapdPair.dn(user), new Modification(ModificationType.REPLACE, "loginShell", shell));
        while (true) {
            SearchResultEntry found = there.searchForEntry(base, SearchScope.SUB, filter, "loginShell");
            long took = System.nanoTime() - begin;
            if (found != null && shell.equals(found.getAttributeValue("loginShell"))) {
                return took / 1e6;
            }
            if (took > VISIBLE.toNanos()) {
                throw new IOException("a change is not there after " + VISIBLE.toSeconds() + " s");
            }
        }
    }

    /** A real head with that directory, and its director. */
    private List<Figure> processes(SlapdPair slapd) throws IOException, InterruptedException {
        String directory = "directory: { source: ldap, url: 'ldap://127.0.0.1:" + slapd.homePort() + "', base: '"
                + SlapdPair.BASE + "', bindDn: '" + SlapdPair.ADMIN + "', passwordFile: '" + slapd.passwordFile()
                + "' }";
        String configuration = HeadUnderTest.configuration().replaceFirst("(?m)^directory:.*$", directory);
        try (var head = HeadUnderTest.start(launcher, configuration, state -> {})) {
            HeadUnderTest.await("a node is ordered", Duration.ofMinutes(1), () -> isOrdered(head));
            HeadUnderTest.await("a node is ready", Duration.ofMinutes(10), () -> Benchmarks.isIdleWithNode(head));
            Path folder = java.util.Objects.requireNonNull(head.state().getParent());
            double director = 0;
            for (ProcessHandle one : HeadUnderTest.processesOf(folder)) {
                if (command(one.pid()).contains("DirectorMain")) {
                    director = resident(one.pid());
                }
            }
            return List.of(
                    Figure.below(
                            TARGET_MEBI,
                            "directory.head.resident",
                            resident(head.pid()),
                            "MiB",
                            "a head with " + users + " users, a director and a node"),
                    Figure.below(TARGET_MEBI, "directory.director.resident", director, "MiB", "its director"));
        }
    }

    /** Not before the site has said what it offers. */
    private static boolean isOrdered(HeadUnderTest head) {
        try {
            head.client().post("/nodes", new NodeOrder("east", "small", "", "on-demand", 1, true));
            return true;
        } catch (CliFailure notYet) {
            return false;
        }
    }

    /** Empty when it has just ended. */
    private static String command(long pid) {
        try {
            return Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"), StandardCharsets.ISO_8859_1);
        } catch (IOException gone) {
            return "";
        }
    }

    private static double resident(long pid) throws IOException {
        return Machine.memoryBytes(Files.readString(Path.of("/proc", Long.toString(pid), "status")), "VmRSS") / MEBI;
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        }
    }

    /** A process of {@link DirectoryPart}. */
    private record Part(Process process, int port) implements AutoCloseable {
        static Part start(String heap, String... arguments) throws IOException {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:+UseSerialGC",
                    heap,
                    "-cp",
                    System.getProperty("java.class.path"),
                    DirectoryPart.class.getName()));
            command.addAll(List.of(arguments));
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            BufferedReader said = process.inputReader(StandardCharsets.UTF_8);
            String line = said.readLine();
            if (line == null || !line.startsWith("port ")) {
                process.destroyForcibly();
                throw new IOException(arguments[0] + ": " + (line == null ? "it ended" : line));
            }
            return new Part(process, Integer.parseInt(line.substring(5)));
        }

        double mebibytes() throws IOException {
            return resident(process.pid());
        }

        @Override
        public void close() {
            process.destroy();
        }
    }
}
