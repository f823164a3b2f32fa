package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.director.wire.Directive.NodeGrant;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport.Phase;
import org.spillway.stage.Sha256;
import org.spillway.stage.store.Digest;
import org.spillway.stage.store.PackEnd;
import org.spillway.stage.store.PieceStore;
import org.spillway.stage.store.Recipe;
import org.spillway.stage.tree.TarFormat;

/**
 * A user who has got hold of a whole node, certificate and key, and who may have the head ask for whatever a submission can
 * make it ask for, guesses at what another has staged: over real TLS, with the real store. docs/guesses.md is its table.
 */
final class NodeGuessesTest {
    private static final Path PAGE = Path.of("../../docs/guesses.md");
    private static final String SECRET = "what-bob-has-staged";
    private static final byte[] FILE = (SECRET + " and more of it").getBytes(StandardCharsets.UTF_8);
    private static final byte[] NOTHING = {};
    private static final int BOB = 1001;
    private static final int EVE = 1002;
    private static final String ORDERS = "the director: a job is its node's";
    private static final String HEADS = "the director: the store is asked by the head only";
    private static final String OWN = "the store: digests of a user match that user's packs";

    @TempDir
    Path folder;

    private final GuessTable guesses = new GuessTable(SECRET);
    private TestSite site;
    private HttpClient eve;
    private String recipe;
    private String[] tar;

    @BeforeEach
    void bobHasStaged() throws Exception {
        site = new TestSite(folder);
        site.authority.issue("n1", "node:n1", "127.0.0.1");
        site.authority.issue("n2", "node:n2", "127.0.0.1");
        site.authority.issue("nobody", "somebody", "127.0.0.1");
        eve = site.clientOf("n2");
        put(PieceStore.packKey(BOB, "p1"), pack(FILE, FILE));
        byte[] encoded = recipe(FILE).encoded();
        recipe = digest(encoded).hex();
        put(PieceStore.recipeKey(BOB, recipe), encoded);
        String[] whole =
                asHead("POST", "/v1/inputs/bobs/" + BOB + "/" + recipe, NOTHING).split(" ");
        assertThat(whole).hasSize(2);
        tar = whole;
        OrderDraft bobs = new OrderDraft("bobs", "n1", BOB, "echo " + SECRET);
        bobs.inputs = List.of(new JobOrder.Input("jobs/bobs/in/0", Long.parseLong(tar[0]), tar[1].strip()));
        bobs.checkpoint = bobs.inputs.getFirst();
        bobs.environment = Map.of("SECRET", SECRET);
        bobs.sync = new JobOrder.Sync(5, 0, false);
        site.nodes.add(new NodeGrant("n1"));
        site.nodes.add(new NodeGrant("n2"));
        site.jobs.put("bobs", bobs.order());
        site.jobs.put("eves", new OrderDraft("eves", "n2", EVE, "exit 0").order());
        site.sync();
        try (HttpClient bob = site.clientOf("n1")) {
            guesses.shown("his own node gets it", () -> call(bob, "GET", "/v1/jobs/bobs/1/input", NOTHING));
        }
    }

    @AfterEach
    void stop() {
        eve.close();
        site.close();
    }

    private static Digest digest(byte[] bytes) {
        return Digest.of(Sha256.digest().digest(bytes));
    }

    private static Recipe recipe(byte[] file) {
        return new Recipe(List.of(new Recipe.Part(
                new TarFormat.Member("data", file.length, 1_700_000_000, false), List.of(digest(file)))));
    }

    /** @param told what the pack says that it holds */
    private static byte[] pack(byte[] held, byte[] told) {
        ByteArrayOutputStream pack = new ByteArrayOutputStream();
        pack.writeBytes(held);
        pack.writeBytes(PackEnd.of(List.of(digest(told)), List.of(told.length)));
        return pack.toByteArray();
    }

    /** The head's link sends to files that grow. */
    private void put(String key, byte[] bytes) throws IOException {
        site.growing(key, bytes);
    }

    private Path store() {
        return folder.resolve("state/store");
    }

    private String call(HttpClient client, String method, String path, byte[] body, String... header) throws Exception {
        Map<String, String> headers = header.length == 0 ? Map.of() : Map.of(header[0], header[1]);
        HttpResponse<byte[]> answer = site.send(client, method, path, body, headers);
        String said = new String(answer.body(), StandardCharsets.ISO_8859_1);
        return answer.statusCode() >= 400 ? "refused with " + answer.statusCode() + ": " + said : said;
    }

    private String asHead(String method, String path, byte[] body) throws Exception {
        return call(site.headClient(), method, path, body);
    }

    private void node(String name, String by, String method, String path, String... header) throws Exception {
        guesses.refused(name, by, () -> call(eve, method, path, NOTHING, header));
    }

    @Test
    void noGuessShowsAnything() throws Exception {
        aNodesChannel();
        othersCertificates();
        digestsAndPacks();
        ordersThatNameAnothers();
        guesses.documented(PAGE, "From a node");
    }

    private void aNodesChannel() throws Exception {
        node("another's input, by the job's id", ORDERS, "GET", "/v1/jobs/bobs/1/input");
        node("the same, from a byte on", ORDERS, "GET", "/v1/jobs/bobs/1/input", "Range", "bytes=5-");
        node("the same, as of a later attempt", ORDERS, "GET", "/v1/jobs/bobs/2/input");
        String climbs = "the director: paths are matched as they are written";
        node("the same, by a path of its own job that climbs", climbs, "GET", "/v1/jobs/eves/1/../../bobs/1/input");
        node("the same, with the dots encoded", climbs, "GET", "/v1/jobs/eves/1/%2e%2e/%2e%2e/bobs/1/input");
        node("the same, with the slash encoded", climbs, "GET", "/v1/jobs/eves%2F..%2Fbobs/1/input");
        node("what an attempt of another left behind", ORDERS, "GET", "/v1/jobs/bobs/1/checkpoint");
        node("another's script", ORDERS, "GET", "/v1/jobs/bobs/1/script");
        node("another's variables", ORDERS, "GET", "/v1/jobs/bobs/1/environment");
        node("how much of another's results has come", ORDERS, "GET", "/v1/jobs/bobs/1/results");
        node("another's round of outputs", ORDERS, "POST", "/v1/jobs/bobs/1/synced?round=1");
        node("what differs of another's input", ORDERS, "GET", "/v1/jobs/bobs/1/changes?of=" + tar[1].strip());
        node("what another's job has printed", HEADS, "GET", "/v1/logs/bobs/1/n1/stdout?after=0");
        String images = "the director: only images are images";
        node("another's input as an image, by its digest", images, "GET", "/v1/image/" + tar[1].strip());
        node(
                "another's file as an image, by its digest",
                images,
                "GET",
                "/v1/image/" + digest(FILE).hex());
        node("another's recipe as an image, by its digest", images, "GET", "/v1/image/" + recipe);
        guesses.refused(
                "whether another has a file, by its digest",
                HEADS,
                () -> call(eve, "POST", "/v1/pieces/" + BOB, prefix(FILE)));
        guesses.refused(
                "whether another has a file of some length",
                HEADS,
                () -> call(eve, "POST", "/v1/pieces/" + BOB + "/lengths", length(FILE.length)));
        node("another's results among its own pieces", HEADS, "POST", "/v1/pieces/" + EVE + "/of/bobs/1/0");
        node("another's recipe for its own job", HEADS, "POST", "/v1/inputs/eves/" + BOB + "/" + recipe);
        node("an order to pull into another's store", HEADS, "POST", "/v1/pulls/eves/" + BOB + "/b1");
    }

    private static byte[] prefix(byte[] file) {
        return ByteBuffer.allocate(Long.BYTES).putLong(digest(file).prefix()).array();
    }

    private static byte[] length(int bytes) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(bytes).array();
    }

    private void othersCertificates() throws Exception {
        try (HttpClient somebody = site.clientOf("nobody")) {
            guesses.refused(
                    "another's input, with a certificate of the site that is no node's",
                    "the director: nodes only",
                    () -> call(somebody, "GET", "/v1/jobs/bobs/1/input", NOTHING));
        }
        TestAuthority own = new TestAuthority(Files.createDirectories(folder.resolve("eves-keys")));
        for (var forged :
                List.of(Map.entry("node:n1", "the node's own name"), Map.entry("spillway-head", "the head's name"))) {
            own.issue("forged", forged.getKey(), "127.0.0.1");
            try (HttpClient forger = HttpClient.newBuilder()
                    .sslContext(SiteTls.context(
                            own.file("forged.key"), own.file("forged.pem"), site.authority.file("ca.pem")))
                    .build()) {
                guesses.refused(
                        "another's input, with a certificate of its own making under " + forged.getValue(),
                        "TLS of the director",
                        () -> {
                            try {
                                return call(forger, "GET", "/v1/jobs/bobs/1/input", NOTHING);
                            } catch (IOException e) {
                                return "refused: " + e.getMessage();
                            }
                        });
            }
        }
    }

    /** The head sends and asks for Eve whatever a submission of hers names: all of it with her number. */
    private void digestsAndPacks() throws Exception {
        guesses.refused("a digest of another's file, asked for as one's own", OWN, () -> {
            byte[] answer = site.send(site.headClient(), "POST", "/v1/pieces/" + EVE, prefix(FILE))
                    .body();
            return Arrays.equals(answer, new byte[] {0}) ? "refused" : "it is there";
        });
        guesses.refused("the length of another's file, asked for as of one's own", OWN, () -> {
            byte[] answer = site.send(site.headClient(), "POST", "/v1/pieces/" + EVE + "/lengths", length(FILE.length))
                    .body();
            return Arrays.equals(answer, new byte[] {0}) ? "refused" : "it is there";
        });
        guesses.refused("another's recipe, by its digest", OWN, () -> assemble(recipe));
        byte[] naming = recipe(FILE).encoded();
        put(PieceStore.recipeKey(EVE, digest(naming).hex()), naming);
        guesses.refused(
                "a manifest of one's own that names another's piece",
                OWN,
                () -> assemble(digest(naming).hex()));
        String compared = "the store: pieces are read and compared";
        put(PieceStore.packKey(EVE, "half"), Arrays.copyOf(pack(FILE, FILE), FILE.length / 2));
        guesses.refused(
                "half a pack, for the other half",
                compared,
                () -> assemble(digest(naming).hex()));
        byte[] end = PackEnd.of(List.of(digest(FILE)), List.of(FILE.length));
        put(PieceStore.packKey(EVE, "end"), end);
        guesses.refused(
                "the end of another's pack, replayed without a byte",
                compared,
                () -> assemble(digest(naming).hex()));
        put(PieceStore.packKey(EVE, "noise"), pack(new byte[FILE.length], FILE));
        guesses.refused(
                "the end of another's pack, behind bytes of one's own",
                compared,
                () -> assemble(digest(naming).hex()));
        String links = "the store: nothing is opened through a link";
        Path packs = store().resolve("users/" + EVE + "/packs");
        Path link = Files.createSymbolicLink(packs.resolve("link"), store().resolve(PieceStore.packKey(BOB, "p1")));
        guesses.refused(
                "a link to another's pack among one's own",
                links,
                () -> assemble(digest(naming).hex()));
        Files.delete(link);
        Path place = store().resolve(PieceStore.recipeKey(EVE, recipe));
        Files.deleteIfExists(place);
        Files.createSymbolicLink(place, store().resolve(PieceStore.recipeKey(BOB, recipe)));
        guesses.refused("a link to another's recipe among one's own", links, () -> assemble(recipe));
        Files.delete(place);
    }

    /** Bob's own question is answered; hers with the digests that she has to send, or with nothing. */
    private String assemble(String sha256) throws Exception {
        String answer = asHead("POST", "/v1/inputs/eves/" + EVE + "/" + sha256, NOTHING);
        assertThat(store().resolve("jobs/eves/in/0.recipe")).doesNotExist();
        return answer;
    }

    private void ordersThatNameAnothers() throws Exception {
        String keys = "the director: a job's keys are below its own folder";
        var input = new JobOrder.Input("jobs/bobs/in/0", Long.parseLong(tar[0]), tar[1].strip());
        order("an order with another's input", keys, draft -> draft.inputs = List.of(input));
        order(
                "an order with an input that climbs to another's",
                keys,
                draft -> draft.inputs =
                        List.of(new JobOrder.Input("jobs/eves/../bobs/in/0", input.bytes(), input.sha256())));
        order(
                "an order with a pack of another as its input",
                keys,
                draft -> draft.inputs =
                        List.of(new JobOrder.Input(PieceStore.packKey(BOB, "p1"), input.bytes(), input.sha256())));
        order("an order with another's input as what its own attempt left", keys, draft -> draft.checkpoint = input);
        order("an order with another's input as its results", keys, draft -> draft.outputKey = "jobs/bobs/in/0");
    }

    private interface Change {
        void make(OrderDraft draft);
    }

    private void order(String name, String by, Change change) throws Exception {
        OrderDraft draft = new OrderDraft("eves", "n2", EVE, "exit 0");
        change.make(draft);
        site.jobs.put("eves", draft.order());
        guesses.refused(name, by, () -> {
            var report = site.untilPhase("eves", Phase.REFUSED);
            return "refused: " + report.message() + call(eve, "GET", "/v1/jobs/eves/1/input", NOTHING);
        });
    }
}
