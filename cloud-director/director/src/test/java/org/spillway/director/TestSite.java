package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.spillway.director.directory.ContentSyncProvider;
import org.spillway.director.directory.DirectoryAccess;
import org.spillway.director.directory.DirectoryServer;
import org.spillway.director.directory.DirectoryStore;
import org.spillway.director.node.NodeUserData;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.director.wire.Directive.JoinAnswer;
import org.spillway.director.wire.Directive.LaunchGrant;
import org.spillway.director.wire.Directive.NodeGrant;
import org.spillway.director.wire.Forwards;
import org.spillway.director.wire.Isolation;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.ManagerGrant;
import org.spillway.director.wire.Mounts;
import org.spillway.director.wire.Reach;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.Report.JobReport;
import org.spillway.stage.Sha256;

/** A director with real sockets, an LDAP server beside it, and the head's part played by the test. */
final class TestSite implements AutoCloseable {
    static final String TOKEN = "token-of-sixteen-or-more";
    static final String BASE = "dc=spillway";
    private static final AtomicInteger ADDRESSES = new AtomicInteger(1);

    final Path folder;
    final TestAuthority authority;
    final String address = "127.78." + (ProcessHandle.current().pid() % 250) + "." + ADDRESSES.getAndIncrement();
    private final DirectoryStore home = new DirectoryStore(BASE);
    private final Map<String, UUID> ids = new HashMap<>();
    private final DirectoryServer homeServer;
    private final HttpClient headClient;
    private Director director;
    private int port;
    private int ldapsPort;
    private final Path store;
    private final AtomicInteger unpacked = new AtomicInteger();

    // The head's wishes.
    /** Asked for anew each six seconds. */
    int leaseSeconds = 120;

    private long sequence = 100;
    List<LaunchGrant> launches = new ArrayList<>();
    final Map<String, JoinAnswer> joins = new LinkedHashMap<>();
    final List<NodeGrant> nodes = new ArrayList<>();
    final Map<String, JobOrder> jobs = new LinkedHashMap<>();
    List<ManagerGrant.Program> programs = List.of();
    ImageGrant image = ImageGrant.NONE;
    boolean answersJoins = true;
    /** How long the certificates are good with which nodes join; zero for two days. */
    Duration firstCertificates = Duration.ZERO;

    TestSite(Path folder) throws Exception {
        this.folder = folder;
        this.store = folder.resolve("state/store");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        authority = new TestAuthority(Files.createDirectories(folder.resolve("keys")));
        authority.issue("server", "director", address);
        authority.issue("head", "spillway-head", "127.0.0.1");
        headClient = HttpClient.newBuilder().sslContext(authority.tls("head")).build();
        homeServer = DirectoryServer.start(
                home,
                new InetSocketAddress("127.0.0.1", 0),
                null,
                new DirectoryAccess(false, (dn, password) -> true),
                new ContentSyncProvider(home, 4));
        startDirector(0);
        launches.add(
                new LaunchGrant("intent-1", Digests.hex(TOKEN), Instant.now().getEpochSecond() + 600, 600));
        image = makeImage("hello from the image");
    }

    void addUser(String name, int uid) throws Exception {
        addUser(name, uid, BASE);
    }

    void addUser(String name, int uid, String above) throws Exception {
        var user = new Entry(
                "dn: uid=" + name + "," + above,
                "objectClass: posixAccount",
                "uid: " + name,
                "cn: " + name,
                "homeDirectory: " + homes + "/" + name,
                "uidNumber: " + uid,
                "gidNumber: " + uid);
        home.put(ids.computeIfAbsent(name + above, any -> UUID.randomUUID()), user.getParsedDN(), user.getAttributes());
        home.markComplete();
    }

    /** The account stays, under another login. */
    void renameUser(String from, String to, int uid) throws Exception {
        ids.put(to + BASE, Objects.requireNonNull(ids.remove(from + BASE)));
        addUser(to, uid);
    }

    /** All changes of before are in the region: one more is. */
    void untilDirectoryIsThere() throws Exception {
        addGroup("mark" + ids.size(), 59_000 + ids.size(), "nobody");
        until("directory", report -> report.directory().entries() == home.size());
    }

    void addGroup(String name, int gid, String member) throws Exception {
        var group = new Entry(
                "dn: cn=" + name + "," + BASE,
                "objectClass: posixGroup",
                "cn: " + name,
                "gidNumber: " + gid,
                "memberUid: " + member);
        home.put(UUID.randomUUID(), group.getParsedDN(), group.getAttributes());
    }

    void startDirector(int atPort) throws IOException {
        var config = new DirectorConfig(
                "site",
                address,
                atPort,
                ldapsPort,
                BASE,
                folder.resolve("state"),
                authority.file("server.key"),
                authority.file("server.pem"),
                authority.file("ca.pem"),
                "spillway-head");
        SiteIdentities identities = SiteIdentities.start(config);
        ldapsPort = identities.port();
        director = Director.start(config, identities);
        port = director.httpsPort();
    }

    void stopDirector() {
        director.close();
    }

    void restartDirector() throws IOException {
        stopDirector();
        startDirector();
    }

    /** Where the one before was. */
    void startDirector() throws IOException {
        startDirector(port);
    }

    /** A signed image with a program {@code greet}, in the staging space. */
    ImageGrant makeImage(String greeting) throws Exception {
        Path bin = Files.createDirectories(folder.resolve("tree/bin"));
        Files.writeString(bin.resolve("greet"), "#!/bin/sh\necho " + greeting + "\n");
        bin.resolve("greet").toFile().setExecutable(true, false);
        byte[] tar = Tar.of(folder.resolve("tree"), List.of("."));
        String sha = stage("images/x", tar);
        Files.move(store.resolve("images/x"), store.resolve("images/" + sha));
        return ImageGrant.archive("base", sha, tar.length, authority.signImage("base", sha, tar.length));
    }

    String signature(String name, String sha, long bytes) throws Exception {
        return authority.signImage(name, sha, bytes);
    }

    /** The work of the head's link, in the same layout. @return the digest */
    String stage(String key, byte[] bytes) throws IOException {
        Files.createDirectories(store.resolve(key).getParent());
        Files.write(store.resolve(key), bytes);
        return HexFormat.of().formatHex(Sha256.digest().digest(bytes));
    }

    /** As an upload leaves it that was cut off. */
    void growing(String key, byte[] bytes) throws IOException {
        Path part = store.resolve(key + ".part");
        Files.createDirectories(part.getParent());
        Files.write(part, bytes);
    }

    byte[] staged(String key) throws IOException {
        return Files.readAllBytes(store.resolve(key));
    }

    /** Of the director, without a path. */
    String url() {
        return "https://" + address + ":" + port;
    }

    /** Said by the head; null by one of an earlier release. */
    @Nullable
    Isolation isolation;

    /** Said by the head; null by one of an earlier release. */
    @Nullable
    Mounts mounts;

    @Nullable
    Reach reach;

    @Nullable
    Forwards forwards;

    /** Where users that are added from now on have their homes. */
    String homes = "/home";

    Directive directive(long number) {
        return new Directive(
                Directive.SCHEMA,
                "site",
                number,
                leaseSeconds,
                launches,
                List.copyOf(joins.values()),
                nodes,
                List.copyOf(jobs.values()),
                programs,
                image,
                new Directive.DirectoryGrant(homeServer.address().getPort(), BASE, "cn=site," + BASE, "secret"),
                isolation,
                mounts,
                reach,
                forwards);
    }

    /** An exchange; new join requests are admitted with it when the head answers joins. */
    Report sync() throws Exception {
        HttpResponse<byte[]> answer = send(headClient, "POST", "/v1/sync", WireJson.write(directive(++sequence)));
        assertThat(answer.statusCode()).isEqualTo(200);
        Report report = WireJson.hearReport(answer.body()).report();
        for (Report.JoinRequest request : report.joins()) {
            if (answersJoins && !joins.containsKey(request.request())) {
                String node = "n-" + request.instance();
                String certificate = firstCertificates.isZero()
                        ? authority.admit(request.csr(), node)
                        : authority.admitFor(firstCertificates, request.csr(), node);
                joins.put(request.request(), new JoinAnswer(request.request(), node, true, certificate, ""));
                nodes.add(new NodeGrant(node));
            }
        }
        for (Report.NodeReport node : report.nodes()) {
            Report.Renewal wanted = node.renewal();
            if (wanted != null && answersJoins && !joins.containsKey(wanted.request())) {
                String certificate = authority.admit(wanted.csr(), node.node());
                joins.put(wanted.request(), new JoinAnswer(wanted.request(), node.node(), true, certificate, ""));
            }
        }
        return report;
    }

    Report until(String what, Predicate<Report> condition) throws Exception {
        Instant end = Instant.now().plusSeconds(180);
        Report report = sync();
        while (!condition.test(report)) {
            List<Report.NodeReport> last = report.nodes();
            assertThat(Instant.now())
                    .as(() -> "still waiting for " + what + "; nodes are " + last)
                    .isBefore(end);
            LockSupport.parkNanos(Duration.ofMillis(40).toNanos());
            report = sync();
        }
        return report;
    }

    void untilReady(String instance) throws Exception {
        until(
                "node ready",
                report ->
                        report.nodes().stream().anyMatch(node -> node.node().equals("n-" + instance) && node.ready()));
    }

    JobReport untilPhase(String job, JobReport.Phase phase) throws Exception {
        Predicate<JobReport> wanted = told -> told.job().equals(job) && told.phase() == phase;
        return until(job + " " + phase, report -> report.jobs().stream().anyMatch(wanted)).jobs().stream()
                .filter(wanted)
                .findFirst()
                .orElseThrow();
    }

    HttpResponse<byte[]> send(HttpClient client, String method, String path, byte[] body) throws Exception {
        return send(client, method, path, body, Map.of());
    }

    HttpResponse<byte[]> send(HttpClient client, String method, String path, byte[] body, Map<String, String> headers)
            throws Exception {
        var request = HttpRequest.newBuilder(URI.create("https://" + address + ":" + port + path))
                .timeout(Duration.ofSeconds(30))
                .method(method, body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
        headers.forEach(request::header);
        try {
            return client.send(request.build(), BodyHandlers.ofByteArray());
        } catch (HttpTimeoutException lost) {
            // Seen once in hundreds of runs, on a busy machine. A node asks again in such a case; twice is a fault.
            return client.send(request.build(), BodyHandlers.ofByteArray());
        }
    }

    /** A piece of a job's stream as the head gets it: {@code FROM-END:BYTES}. */
    String log(String path) {
        try {
            HttpResponse<byte[]> answer = send(headClient, "GET", path, new byte[0]);
            assertThat(answer.statusCode()).isEqualTo(200);
            return answer.headers().firstValue("X-From").orElseThrow() + "-"
                    + answer.headers().firstValue("X-End").orElseThrow() + ":"
                    + new String(answer.body(), StandardCharsets.UTF_8);
        } catch (Exception e) {
            throw new AssertionError(path, e);
        }
    }

    /** A connection on which nothing is said. */
    Socket connection() throws IOException {
        return new Socket(address, port);
    }

    HttpClient clientOf(String name) throws IOException {
        return HttpClient.newBuilder().sslContext(authority.tls(name)).build();
    }

    HttpClient headClient() {
        return headClient;
    }

    String userData() throws IOException {
        // A minute until it is admitted has been too short for one of many on a busy machine.
        return NodeUserData.render(new NodeUserData.Settings(
                address, port, authority.text("ca.pem"), TOKEN, "intent-1", authority.text("image.pub"), 600));
    }

    /** The contents of the node's bundle of results. */
    Map<String, String> results(String job, String node) throws Exception {
        byte[] bundle = staged("jobs/" + job + "/1/out/" + node + ".tar");
        return Tar.files(bundle, folder.resolve("unpacked-" + unpacked.incrementAndGet()));
    }

    @Override
    public void close() {
        director.close();
        homeServer.close();
        headClient.close();
    }
}
