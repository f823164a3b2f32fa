package org.spillway.director;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.director.wire.JobOrder;
import org.spillway.stage.Checksum;
import org.spillway.stage.transfer.ChecksumMismatch;

/** What a node with a certificate may ask: its lease, its orders, and the files of jobs that are ordered for it. */
final class NodeSide {
    /** Before the node's id in the common name of its certificate. */
    static final String SUBJECT_PREFIX = "node:";

    private static final Duration LONG_POLL = Duration.ofSeconds(20);
    private static final Pattern JOB_PATH = Pattern.compile(
            "/v1/jobs/([A-Za-z0-9-]{1,64})/([1-9][0-9]{0,5})/(script|arguments|environment|inputs|outputs|facts)");
    private static final Pattern JOB_FILE =
            Pattern.compile("/v1/jobs/([A-Za-z0-9-]{1,64})/([1-9][0-9]{0,5})/(input|output)/([0-9]{1,4})");

    private final SiteState state;
    private final StagingSpace staging;
    private final InstantSource steady;

    NodeSide(SiteState state, StagingSpace staging, InstantSource steady) {
        this.state = state;
        this.staging = staging;
        this.steady = steady;
    }

    Answer answer(String node, Request request) throws IOException, InterruptedException {
        if (request.path().equals("/v1/lease")) {
            return request.method().equals("POST") ? lease(node, request) : Answer.error(405, "POST only");
        }
        if (state.directive().isEmpty()) {
            return Answer.error(503, "no directive yet");
        }
        if (!state.isNamed(node)) {
            return Answer.error(403, "the head does not name this node");
        }
        return switch (request.path()) {
            case "/v1/orders" -> orders(node, request);
            case "/v1/image" -> image();
            case "/v1/image/manifest" -> manifest();
            default -> job(node, request);
        };
    }

    private Answer lease(String node, Request request) throws IOException {
        LeaseText said;
        try {
            said = LeaseText.parse(new String(request.body(LeaseText.MAX_BYTES), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            return Answer.error(400, String.valueOf(e.getMessage()));
        }
        var reports = new JobReports(state, staging).of(node, said);
        return switch (state.lease(node, said, reports, steady.instant())) {
            case SiteState.Verdict.NotYet ignored -> Answer.error(503, "no directive names this node yet");
            case SiteState.Verdict.Granted(Duration lease) -> Answer.ok("lease " + lease.toMillis() + "\n");
            case SiteState.Verdict.End(String reason) -> Answer.ok("end " + reason + "\n");
        };
    }

    private Answer orders(String node, Request request) throws InterruptedException {
        String query = Optional.ofNullable(request.exchange().getRequestURI().getRawQuery())
                .orElse("");
        String known = query.startsWith("after=") ? query.substring("after=".length()) : "";
        return state.orders(node, known, LONG_POLL)
                .map(Answer::ok)
                .orElseGet(() -> Answer.error(403, "the head does not name this node"));
    }

    private Answer manifest() {
        ImageGrant image = image(state);
        if (image.sha256().isEmpty()) {
            return Answer.error(503, "no image yet");
        }
        return Answer.ok("name " + image.name() + "\nsha256 " + image.sha256() + "\nbytes " + image.bytes()
                + "\nsignature " + image.signature() + "\n");
    }

    private Answer image() throws IOException {
        ImageGrant image = image(state);
        if (!image.sha256().matches("[0-9a-f]{64}")) {
            return Answer.error(503, "no image yet");
        }
        String key = StagingSpace.imageKey(image.sha256());
        var bytes = staging.sealedBytes(key);
        return bytes.isPresent()
                ? new Answer.Sealed(key, bytes.getAsLong())
                : Answer.error(503, "the image is not here yet");
    }

    private static ImageGrant image(SiteState state) {
        return state.directive().map(Directive::image).orElse(ImageGrant.NONE);
    }

    private Answer job(String node, Request request) throws IOException {
        Matcher whole = JOB_PATH.matcher(request.path());
        Matcher file = JOB_FILE.matcher(request.path());
        Matcher match = whole.matches() ? whole : file;
        if (!whole.matches() && !file.matches()) {
            return Answer.error(404, "no such thing");
        }
        var order = state.order(node, match.group(1), Integer.parseInt(match.group(2)));
        if (order.isEmpty()) {
            return Answer.error(403, "this attempt is not ordered for this node");
        }
        if (whole.matches()) {
            return OrderText.part(order.get(), match.group(3));
        }
        int index = Integer.parseInt(match.group(4));
        return match.group(3).equals("input")
                ? input(order.get(), index, request)
                : output(order.get(), index, request);
    }

    private Answer input(JobOrder order, int index, Request request) throws IOException {
        if (!request.method().equals("GET") || index >= order.inputs().size()) {
            return Answer.error(404, "no such input");
        }
        String key = order.inputs().get(index).key();
        var bytes = staging.sealedBytes(key);
        return bytes.isPresent()
                ? new Answer.Sealed(key, bytes.getAsLong())
                : Answer.error(503, "this input is not here yet");
    }

    private Answer output(JobOrder order, int index, Request request) throws IOException {
        if (!request.method().equals("PUT") || index >= order.outputs().size()) {
            return Answer.error(404, "no such output");
        }
        String sha256 = request.header("X-Sha256").orElse("");
        String length = request.header("Content-Length").orElse("");
        if (!sha256.matches("[0-9a-f]{64}") || !length.matches("[0-9]{1,15}")) {
            return Answer.error(411, "X-Sha256 and Content-Length are needed");
        }
        Checksum checksum = new Checksum(Long.parseLong(length), sha256);
        String key = order.outputs().get(index).key();
        try {
            return switch (staging.store(key, request.stream(), checksum)) {
                case STORED -> Answer.ok("sealed\n");
                case BUSY -> Answer.error(409, "another upload of it is under way");
                case NO_ROOM -> Answer.error(507, "no room in the staging space");
            };
        } catch (ChecksumMismatch | FileAlreadyExistsException e) {
            return Answer.error(409, String.valueOf(e.getMessage()));
        }
    }
}
