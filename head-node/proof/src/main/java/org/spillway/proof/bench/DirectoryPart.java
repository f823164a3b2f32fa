package org.spillway.proof.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.spillway.director.directory.DirectoryAccess;
import org.spillway.director.directory.DirectoryReplica;
import org.spillway.director.directory.DirectoryStore;
import org.spillway.director.directory.HomeDirectory;
import org.spillway.director.directory.LdapEndpoint;
import org.spillway.director.directory.LdapSource;
import org.spillway.director.directory.SavedDirectory;
import org.spillway.director.wire.Directive.DirectoryGrant;

/**
 * The head's directory and the copy of a region, each in a process of its own with the head's and the director's memory:
 * {@code home PORT PASSWORD_FILE FOLDER} and {@code region PORT}. Prints its port when the first whole content is there, and
 * ends with its standard input.
 */
public final class DirectoryPart {
    private static final String NAME = "dc=spillway";
    private static final String SITE = "east";
    /** On the loopback, between two processes of a measurement. */
    private static final String SECRET = "of-a-measurement";

    private static final Duration LOADING = Duration.ofMinutes(15);

    private DirectoryPart() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int port = Integer.parseInt(arguments[1]);
        if (arguments[0].equals("home")) {
            home(port, Path.of(arguments[2]), Path.of(arguments[3]));
        } else {
            region(port);
        }
    }

    private static void home(int port, Path password, Path folder) throws IOException, InterruptedException {
        var endpoint = new LdapEndpoint(
                "127.0.0.1",
                port,
                LdapEndpoint.Security.PLAIN,
                Optional.empty(),
                SlapdPair.BASE,
                SlapdPair.ADMIN,
                LdapEndpoint.passwordFile(password));
        Files.createDirectories(folder);
        try (var home = new HomeDirectory(
                NAME,
                new LdapSource(endpoint),
                site -> Optional.of(SECRET),
                SavedDirectory.in(folder.resolve("directory.saved"), "bench"))) {
            told(home.store().await(DirectoryStore::complete, LOADING), home.trouble(), home.port());
        }
    }

    private static void region(int port) throws IOException, InterruptedException {
        try (var replica = new DirectoryReplica(
                new InetSocketAddress("127.0.0.1", 0), null, NAME, DirectoryAccess.ANONYMOUS_READ)) {
            replica.follow(new DirectoryGrant(port, NAME, "cn=" + SITE + ",ou=directors," + NAME, SECRET));
            long end = System.nanoTime() + LOADING.toNanos();
            while (!replica.report().connected() && System.nanoTime() < end) {
                Thread.sleep(50);
            }
            told(
                    replica.report().connected(),
                    replica.trouble(),
                    replica.address().getPort());
        }
    }

    private static void told(boolean there, String trouble, int port) throws IOException {
        System.out.println(there ? "port " + port : "trouble " + trouble);
        while (System.in.read() >= 0) {
            continue;
        }
    }
}
