package org.spillway.proof.bench;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A site's slapd with many users, and another one that copies it by syncrepl: OpenLDAP's own way. Closing ends both. */
final class SlapdPair implements AutoCloseable {
    static final String BASE = "dc=lab";
    static final String ADMIN = "cn=admin,dc=lab";
    private static final Duration LOAD = Duration.ofMinutes(10);
    private static final int USERS_OF_A_GROUP = 100;
    private static final String SCHEMA = "/etc/ldap/schema/";

    private final Path folder;
    private final String password;
    private final List<Process> running = new ArrayList<>();
    private int home;
    private int copy;

    private SlapdPair(Path folder, String password) {
        this.folder = folder;
        this.password = password;
    }

    /** Why there can be none here; empty when there can. */
    static Optional<String> missing() {
        return Stream.of("/usr/sbin/slapd", "/usr/sbin/slapadd", "/usr/sbin/slapcat", SCHEMA + "nis.schema")
                .filter(file -> !Files.isReadable(Path.of(file)))
                .findFirst()
                .map(file -> file + " is not there (packages slapd, ldap-utils)");
    }

    /** @param folder its own */
    static SlapdPair start(Path folder, int users) throws IOException, InterruptedException {
        var pair = new SlapdPair(folder, java.util.UUID.randomUUID().toString());
        try {
            pair.home = pair.configure(
                    "home", "overlay syncprov\nsyncprov-checkpoint 1000 10\nsyncprov-sessionlog 20000\n");
            pair.load("home", pair.people(users));
            Path all = folder.resolve("all.ldif");
            pair.run(pair.tool("slapcat", "home", "-l", all.toString()));
            pair.copy = pair.configure("copy", """
                    syncrepl rid=1 provider=ldap://127.0.0.1:%d type=refreshAndPersist retry="1 +" searchbase="%s"
                      bindmethod=simple binddn="%s" credentials=%s
                    """.formatted(pair.home, BASE, ADMIN, pair.password));
            pair.load("copy", all);
            Files.delete(all);
            pair.serve("home", pair.home);
            pair.serve("copy", pair.copy);
            return pair;
        } catch (IOException | InterruptedException | RuntimeException failed) {
            pair.close();
            throw failed;
        }
    }

    static String login(int number) {
        return "u%06d".formatted(number);
    }

    static String dn(int number) {
        return "uid=" + login(number) + ",ou=people," + BASE;
    }

    int homePort() {
        return home;
    }

    Path passwordFile() throws IOException {
        Path file = folder.resolve("password");
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.writeString(file, password);
        }
        return file;
    }

    LDAPConnection toHome() throws LDAPException {
        return new LDAPConnection("127.0.0.1", home, ADMIN, password);
    }

    LDAPConnection toCopy() throws LDAPException {
        return new LDAPConnection("127.0.0.1", copy, ADMIN, password);
    }

    private Path people(int users) throws IOException {
        Path file = folder.resolve("people.ldif");
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            out.write("dn: dc=lab\nobjectClass: dcObject\nobjectClass: organization\no: lab\ndc: lab\n\n");
            for (String unit : List.of("people", "group")) {
                out.write("dn: ou=" + unit + ",dc=lab\nobjectClass: organizationalUnit\nou: " + unit + "\n\n");
            }
            for (int n = 0; n < users; n++) {
                String login = login(n);
                out.write("dn: " + dn(n) + "\nobjectClass: account\nobjectClass: posixAccount\nuid: " + login
                        + "\ncn: User "
                        + n + "\nuidNumber: " + (100_000 + n) + "\ngidNumber: " + (100_000 + n / USERS_OF_A_GROUP)
                        + "\nhomeDirectory: /home/" + login + "\nloginShell: /bin/bash\ngecos: User number " + n
                        + "\n\n");
            }
            for (int first = 0; first < users; first += USERS_OF_A_GROUP) {
                out.write("dn: cn=g" + first + ",ou=group,dc=lab\nobjectClass: posixGroup\ncn: g" + first
                        + "\ngidNumber: " + (100_000 + first / USERS_OF_A_GROUP) + "\n");
                for (int n = first; n < Math.min(users, first + USERS_OF_A_GROUP); n++) {
                    out.write("memberUid: " + login(n) + "\n");
                }
                out.write("\n");
            }
        }
        return file;
    }

    private int configure(String name, String more) throws IOException {
        Files.createDirectories(folder.resolve(name));
        Path file = folder.resolve(name + ".conf");
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(file, """
                include %1$score.schema
                include %1$scosine.schema
                include %1$snis.schema
                include %1$sinetorgperson.schema
                modulepath /usr/lib/ldap
                moduleload back_mdb
                moduleload syncprov
                sizelimit unlimited
                database mdb
                suffix "dc=lab"
                rootdn "%2$s"
                rootpw %3$s
                directory %4$s
                maxsize 4294967296
                dbnosync
                index objectClass,entryCSN,entryUUID eq
                index uid,uidNumber,gidNumber eq
                """.formatted(SCHEMA, ADMIN, password, folder.resolve(name)) + more);
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        }
    }

    private void load(String name, Path ldif) throws IOException, InterruptedException {
        run(tool("slapadd", name, "-q", "-w", "-l", ldif.toString()));
    }

    private List<String> tool(String program, String name, String... more) {
        List<String> command = new ArrayList<>(List.of(
                "/usr/sbin/" + program, "-f", folder.resolve(name + ".conf").toString()));
        command.addAll(List.of(more));
        return command;
    }

    private void run(List<String> command) throws IOException, InterruptedException {
        Path said = folder.resolve("said");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            if (!process.waitFor(LOAD.toSeconds(), TimeUnit.SECONDS) || process.exitValue() != 0) {
                String text = Files.readString(said);
                throw new IOException(command.getFirst() + ": " + text.substring(Math.max(0, text.length() - 500)));
            }
        } finally {
            process.destroyForcibly();
        }
    }

    private void serve(String name, int port) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(tool("slapd", name, "-h", "ldap://127.0.0.1:" + port + "/", "-d", "0"))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve(name + ".log").toFile())
                .start();
        running.add(process);
        HeadUnderTest.await("slapd answers", Duration.ofMinutes(1), () -> {
            try (var connection = new LDAPConnection("127.0.0.1", port, ADMIN, password)) {
                return connection.isConnected();
            } catch (LDAPException notYet) {
                return false;
            }
        });
    }

    @Override
    public void close() {
        running.forEach(Process::destroy);
        for (Process one : running) {
            try {
                if (!one.waitFor(20, TimeUnit.SECONDS)) {
                    one.destroyForcibly();
                }
            } catch (InterruptedException stop) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
