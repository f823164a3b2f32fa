package org.spillway.director;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.node.NodeUserData;
import org.spillway.director.reach.HomeQuestions;
import org.spillway.director.reach.LargeFiles;
import org.spillway.director.reach.ReachSession;
import org.spillway.director.reach.SmallFiles;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.director.wire.Directive.NodeProfile;
import org.spillway.director.wire.Isolation;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Mounts;
import org.spillway.director.wire.Reach;
import org.spillway.stage.Checksum;
import org.spillway.stage.store.PieceStore;
import org.spillway.stage.transfer.ChecksumMismatch;

/** Requests of a node with a certificate: its lease, its orders, and the files of jobs that are ordered for it. */
final class NodeSide {
    private static final Logger LOG = LoggerFactory.getLogger(NodeSide.class);

    /** Before the node's id in the common name of its certificate. */
    static final String SUBJECT_PREFIX = "node:";

    private static final int MAX_CSR_FORM_BYTES = 32 * 1024;
    private static final Duration LONG_POLL = Duration.ofSeconds(20);
    private static final Pattern JOB_PATH =
            Pattern.compile("/v1/jobs/([A-Za-z0-9-]{1,64})/([1-9][0-9]{0,5})/([a-z]{1,20}(?:/[a-z]{1,20})?)");
    private static final Pattern AHEAD_PATH = Pattern.compile("/v1/ahead/([A-Za-z0-9-]{1,64})/(facts|input)");
    /** As curl asks when it goes on, and as it says where an upload goes on. */
    private static final Pattern RANGE = Pattern.compile("bytes=([0-9]{1,15})-");

    private static final Pattern CONTENT_RANGE = Pattern.compile("bytes ([0-9]{1,15})-[0-9]{1,15}/([0-9]{1,15})");
    private static final Pattern BASES = Pattern.compile("[0-9a-f]{64}(,[0-9a-f]{64}){0,7}");
    private static final Pattern IMAGE_PATH = Pattern.compile("/v1/image/([0-9a-f]{64})(/suspect)?");

    /** Bytes of small files of homes. */
    private static final long MOST_SMALL = 64L << 20;

    private final SiteState state;
    private final StagingSpace staging;
    private final LogShelf logs;
    private final NodeLogShelf said;
    private final InstantSource steady;
    private final IdentitySource identities;
    private final ManagerSide managers;
    private final Syncs syncs;
    private final HomeQuestions questions;
    private final SmallFiles small =
            new SmallFiles(Math.min(MOST_SMALL, Runtime.getRuntime().maxMemory() / 8));
    private final LargeFiles large;
    private final SessionDesk sessions;
    private final ForwardDesk forwards;

    NodeSide(
            SiteState state,
            StagingSpace staging,
            LogShelf logs,
            NodeLogShelf said,
            IdentitySource identities,
            HomeQuestions questions,
            LargeFiles large,
            InstantSource steady) {
        this.state = state;
        this.staging = staging;
        this.logs = logs;
        this.said = said;
        this.identities = identities;
        this.steady = steady;
        this.questions = questions;
        this.large = large;
        this.managers = new ManagerSide(state);
        this.syncs = new Syncs(state, staging);
        this.sessions = new SessionDesk(state.sessions, state);
        this.forwards = new ForwardDesk(state, identities);
    }

    Answer answer(String node, Request request) throws IOException, InterruptedException {
        if (request.path().equals("/v1/lease")) {
            return request.method().equals("POST") ? lease(node, request) : Answer.error(405, "POST only");
        }
        // Also of one that is not named any more: its last words are about why.
        if (request.path().equals(NodeLogText.PATH)) {
            return request.method().equals("POST") ? said(node, request) : Answer.error(405, "POST only");
        }
        if (state.directive().isEmpty()) {
            return Answer.error(503, "no directive yet");
        }
        if (!state.isNamed(node)) {
            return Answer.error(403, "the head does not name this node");
        }
        return switch (request.path()) {
            case "/v1/certificate" -> state.renew(node, request.body(MAX_CSR_FORM_BYTES));
            case "/v1/orders" -> orders(node, request);
            case "/v1/image/manifest" -> manifest(node);
            case "/v1/program" -> Answer.ok(NodeUserData.attemptProgram(isolation()));
            case "/v1/mounts" -> Answer.ok(mounts(node));
            case ForwardDesk.LIST -> forwards.list();
            case DriftDesk.PATH -> new DriftDesk(state, steady).ofNode(node, request);
            case "/v1/directory" -> directory(request);
            case "/v1/accounts" -> accounts(node, request);
            default -> other(node, request);
        };
    }

    private Isolation isolation() {
        return state.directive().map(Directive::isolation).orElse(Isolation.PREFERRED);
    }

    private String mounts(String node) {
        String category = state.profile(node)
                .map(NodeProfile::category)
                .map(Directive.Category::name)
                .orElse("");
        return state.directive().map(Directive::mounts).orElse(Mounts.NONE).lines(category);
    }

    private Answer other(String node, Request request) throws IOException, InterruptedException {
        if (request.path().startsWith("/v1/image/")) {
            return image(request);
        }
        if (SessionDesk.isFor(request)) {
            return sessions.ofNode(node, request);
        }
        if (ForwardDesk.isFor(request)) {
            return forwards.ofNode(node, request);
        }
        if (request.path().startsWith("/v1/ahead/")) {
            return ahead(node, request);
        }
        return request.path().startsWith(ManagerSide.PREFIX) ? managers.answer(node, request) : job(node, request);
    }

    private Answer lease(String node, Request request) throws IOException {
        LeaseText said = LeaseText.parse(request.body(LeaseText.MAX_BYTES));
        if (!said.unread().isEmpty()) {
            LOG.warn("of the report of node {} was left out: {}", node, String.join("; ", said.unread()));
        }
        request.certificate()
                .ifPresent(leaf -> state.shown(
                        node, CertificateLife.of(leaf), InstantSource.system().instant()));
        var reports = new JobReports(state, staging, syncs, logs).of(node, said);
        return switch (state.lease(node, said, reports, steady.instant())) {
            case SiteState.Verdict.NotYet ignored -> Answer.error(503, "no directive names this node yet");
            case SiteState.Verdict.Granted(Duration lease) -> Answer.ok("lease " + lease.toMillis() + "\n");
            case SiteState.Verdict.End(String reason) -> Answer.ok("end " + reason + "\n");
        };
    }

    /** The answer names this process. A node that knew another one was not heard: it goes back, and says its latest again. */
    private Answer said(String node, Request request) throws IOException {
        Map<String, String> asked = request.queryFields();
        var pieces = NodeLogText.parse(node, asked.getOrDefault("boot", ""), request.body(NodeLogText.MAX_BYTES));
        String known = asked.getOrDefault("known", "");
        return !(known.isEmpty() || known.equals(said.id())) || said.add(node, pieces, steady.instant())
                ? Answer.ok(said.id() + "\n")
                : Answer.error(429, "this node says too much");
    }

    private Answer orders(String node, Request request) throws InterruptedException {
        return state.orders(node, request.query("after"), LONG_POLL)
                .map(Answer::ok)
                .orElseGet(() -> Answer.error(403, "the head does not name this node"));
    }

    /** The same as by LDAPS: curl sleeps a second or two in a bind that way, as it does not watch the connection then. */
    private Answer directory(Request request) {
        Map<String, String> asked = request.queryFields();
        if (asked.containsKey("count")) {
            return Answer.ok(identities.users() + "\n");
        }
        String attributes = asked.getOrDefault("attributes", "");
        try {
            return Answer.ok(identities.entries(
                    asked.getOrDefault("filter", ""),
                    attributes.isEmpty() ? List.of() : List.of(attributes.split(",", -1))));
        } catch (IllegalArgumentException e) {
            return Answer.error(400, String.valueOf(e.getMessage()));
        }
    }

    /** Logins that the node is asked for, and its own name service's word on one of them. */
    private Answer accounts(String node, Request request) throws IOException {
        if (request.method().equals("GET")) {
            return Answer.ok(String.join("\n", state.accounts.of(node)) + "\n");
        }
        String login = request.queryFields().getOrDefault("login", "");
        var said = AccountText.parse(login, request.body(AccountText.MAX_BYTES));
        state.accounts.heard(node, login, said, steady.instant());
        return Answer.ok("");
    }

    private Answer manifest(String node) {
        NodeProfile profile = state.profile(node).orElse(null);
        ImageGrant image =
                profile == null ? state.directive().map(Directive::image).orElse(ImageGrant.NONE) : profile.image();
        if (image.sha256().isEmpty()) {
            return Answer.error(503, "no image yet");
        }
        return Answer.ok(ManifestText.of(image, profile));
    }

    /** Any complete image by its digest: a node that began with one may end with it when the head grants another. */
    private Answer image(Request request) throws IOException {
        Matcher path = IMAGE_PATH.matcher(request.path());
        if (!path.matches()) {
            return Answer.error(404, "no such image");
        }
        String key = StagingSpace.imageKey(path.group(1));
        if (path.group(2) != null) {
            return request.method().equals("POST") ? suspect(path.group(1)) : Answer.error(405, "POST only");
        }
        var bytes = staging.sealedBytes(key);
        return bytes.isPresent()
                ? from(key, bytes.getAsLong(), request)
                : Answer.error(503, "the image is not here yet");
    }

    /** A node has fetched what is another: rotten here it goes, and the head sends it again. */
    private Answer suspect(String sha256) throws IOException {
        return switch (staging.look(sha256)) {
            case WHOLE -> Answer.ok("whole\n");
            case BUSY -> Answer.error(503, "another look at an image is under way");
            case GONE -> {
                LOG.warn("the image {} had rotted here: it was removed, and comes again", sha256);
                yield Answer.ok("gone\n");
            }
        };
    }

    /** An input that this node may get a job with: who needs it, how long it is, and as much of it as has come. */
    private Answer ahead(String node, Request request) throws IOException {
        Matcher path = AHEAD_PATH.matcher(request.path());
        if (!path.matches() || !request.method().equals("GET")) {
            return Answer.error(404, "no such thing");
        }
        var coming = state.directive().flatMap(current -> Aheads.of(current, node, path.group(1)));
        if (coming.isEmpty()) {
            return Answer.error(403, "this input is not for this node");
        }
        String key = PieceStore.inputKey(path.group(1));
        OptionalLong bytes = staging.pieces().expected(key);
        if (bytes.isEmpty()) {
            return Answer.error(404, "nothing of it is on its way");
        }
        String of = request.query("of");
        if (BASES.matcher(of).matches() && staging.changes().isNearly(key, List.of(of.split(",")))) {
            return Answer.ok("nearly\n");
        }
        return path.group(2).equals("facts")
                ? Answer.ok(facts(coming.get(), bytes.getAsLong()))
                : from(key, bytes.getAsLong(), request);
    }

    private String facts(JobOrder order) throws IOException {
        List<JobOrder> all = state.directive().map(Directive::jobs).orElse(List.of());
        return OrderText.facts(order) + reachFacts() + forwards.facts() + "names " + Gang.names(order, all) + "\nroom "
                + staging.mostBytes() + "\n";
    }

    private static String facts(Directive.Coming coming, long bytes) {
        return coming.uid() + " " + coming.gid() + " " + bytes + " " + coming.user() + "\n";
    }

    private Answer job(String node, Request request) throws IOException, InterruptedException {
        Matcher path = JOB_PATH.matcher(request.path());
        if (!path.matches()) {
            return Answer.error(404, "no such thing");
        }
        var task = new SiteState.Task(path.group(1), Integer.parseInt(path.group(2)), node);
        var order = state.order(task);
        if (order.isEmpty()) {
            return Answer.error(403, "this attempt is not ordered for this node");
        }
        return switch (request.method() + " " + path.group(3)) {
            case "GET input" -> bundle(order.get().inputs().stream().findFirst(), 503, request);
            case "GET changes" -> changes(order.get(), request.query("of"));
            case "GET layer" -> layer(order.get(), request.query("on"));
            // Once gone it does not come back.
            case "GET checkpoint" -> bundle(Optional.ofNullable(order.get().checkpoint()), 404, request);
            case "PUT results" -> upload(order.get().outputKey(), request);
            case "PUT sync" -> sync(order.get(), request);
            case "POST synced" -> syncs.told(order.get(), request);
            case "GET facts" -> Answer.ok(facts(order.get()));
            case "GET results" -> Answer.ok(staging.receivedBytes(order.get().outputKey()) + "\n");
            case "POST reach" -> reach(task, order.get());
            case "POST prepared" -> prepared(task);
            case "PUT log/stdout" -> log(new LogShelf.Stream(task, "stdout"), request);
            case "PUT log/stderr" -> log(new LogShelf.Stream(task, "stderr"), request);
            default ->
                request.method().equals("GET")
                        ? OrderText.part(order.get(), path.group(3))
                        : Answer.error(404, "no such thing");
        };
    }

    /** Whether the input is nearly one of those that the node has, and which: BASE BYTES SHA256 of what is other. */
    private Answer changes(JobOrder order, String of) throws IOException {
        if (order.inputs().isEmpty() || !BASES.matcher(of).matches()) {
            return Answer.error(404, "no such input");
        }
        return staging.changes()
                .layer(order.inputs().getFirst().key(), List.of(of.split(",")))
                .map(layer -> Answer.ok(layer.base() + " " + layer.stream().bytes() + " "
                        + layer.stream().sha256() + "\n"))
                .orElseGet(() -> Answer.error(404, "it is mostly another one"));
    }

    private static Answer layer(JobOrder order, String on) {
        return order.inputs().isEmpty() || !BASES.matcher(on).matches()
                ? Answer.error(404, "no such input")
                : new Answer.Layer(order.inputs().getFirst().key(), on);
    }

    /** From the byte on that is asked for, where a fetch that was cut off goes on. */
    private Answer bundle(Optional<JobOrder.Input> named, int absent, Request request) throws IOException {
        if (named.isEmpty()) {
            return Answer.error(404, "no such input");
        }
        String key = named.get().key();
        var bytes = staging.sealedBytes(key);
        if (bytes.isEmpty()) {
            return Answer.error(absent, "this input is not here");
        }
        return from(key, bytes.getAsLong(), request);
    }

    private static Answer from(String key, long bytes, Request request) {
        Matcher range = RANGE.matcher(request.header("Range").orElse(""));
        long from = range.matches() ? Long.parseLong(range.group(1)) : 0;
        return from == 0 || from < bytes
                ? new Answer.Sealed(key, bytes, from)
                : Answer.error(416, "it has " + bytes + " bytes");
    }

    private Answer sync(JobOrder order, Request request) throws IOException {
        Optional<String> key = syncs.begin(order, request);
        return key.isPresent() ? upload(key.get(), request) : Answer.error(404, "no such round");
    }

    private Answer upload(String key, Request request) throws IOException {
        String sha256 = request.header("X-Sha256").orElse("");
        String length = request.header("Content-Length").orElse("");
        if (!sha256.matches("[0-9a-f]{64}") || !length.matches("[0-9]{1,15}")) {
            return Answer.error(411, "X-Sha256 and Content-Length are needed");
        }
        Matcher range = CONTENT_RANGE.matcher(request.header("Content-Range").orElse("bytes 0-0/" + length));
        if (!range.matches()) {
            return Answer.error(400, "Content-Range must be bytes FIRST-LAST/ALL");
        }
        Checksum checksum = new Checksum(Long.parseLong(range.group(2)), sha256);
        try {
            return switch (staging.store(key, Long.parseLong(range.group(1)), request.stream(), checksum)) {
                case STORED -> Answer.ok("sealed\n");
                case BUSY -> Answer.error(409, "another upload of it is under way");
                case GAP -> Answer.error(409, "less than that has come");
                case NO_ROOM -> Answer.error(507, "no room in the staging space");
                case TOO_LARGE -> Answer.error(413, "larger than the staging space");
            };
        } catch (ChecksumMismatch | FileAlreadyExistsException e) {
            return Answer.error(409, String.valueOf(e.getMessage()));
        }
    }

    private Optional<Reach> reach() {
        return state.directive().map(Directive::reach);
    }

    private String reachFacts() {
        return reach().map(reach -> "reach ~ " + String.join(" ", reach.paths()) + "\n")
                .orElse("");
    }

    private Answer reach(SiteState.Task task, JobOrder order) {
        if (reach().isEmpty()) {
            return Answer.error(404, "home is not within reach");
        }
        var session = new ReachSession(questions, small, large, steady, () -> asker(task, order));
        return new Answer.TwoWay((from, answer) -> session.serve(from, answer.open()));
    }

    /**
     * For whose run a node asks. A workload manager's jobs of one user are in one place there, so any of them may be the reason;
     * a job of the node's own program has a room, and nobody asks for it when it is over.
     */
    private Optional<HomeQuestions.Asker> asker(SiteState.Task task, JobOrder begun) {
        Optional<SiteState.Task> now = state.order(task).isPresent() ? Optional.of(task) : Optional.empty();
        return now.or(() -> begun.foreign() == null ? Optional.empty() : another(begun))
                .map(one ->
                        new HomeQuestions.Asker(one.job(), one.attempt(), one.node(), Integer.toString(begun.uid())));
    }

    /** An order for a job of that user that a workload manager runs on that node. */
    private Optional<SiteState.Task> another(JobOrder begun) {
        return state.directive().stream()
                .flatMap(directive -> directive.jobs().stream())
                .filter(order -> order.foreign() != null
                        && order.node().equals(begun.node())
                        && order.uid() == begun.uid()
                        && order.user().equals(begun.user()))
                .map(order -> new SiteState.Task(order.job(), order.attempt(), order.node()))
                .filter(order -> state.order(order).isPresent())
                .findFirst();
    }

    private Answer prepared(SiteState.Task task) throws InterruptedException {
        return switch (state.start(task, LONG_POLL)) {
            case GO -> Answer.ok("go\n");
            case WAIT -> Answer.text(202, "wait\n");
            case CANCELLED -> Answer.error(409, "cancelled");
            case GONE -> Answer.error(403, "this attempt is not ordered for this node");
        };
    }

    private Answer log(LogShelf.Stream stream, Request request) throws IOException {
        String from = request.query("from");
        if (!from.matches("[0-9]{1,15}")) {
            return Answer.error(400, "from must be an offset");
        }
        logs.add(stream, Long.parseLong(from), request.body(LogShelf.PIECE_BYTES));
        return Answer.ok("");
    }
}
