package org.spillway.director;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.spillway.director.directory.PosixUser;
import org.spillway.director.reach.HomeQuestions;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.Report;

/**
 * The head's requests.
 *
 * <pre>
 * POST /v1/sync                                         a directive for a report
 * GET /v1/logs/JOB/ATTEMPT/NODE/stdout|stderr?after=N   what a running job wrote behind byte N
 * GET /v1/nodelogs?after=CURSOR                         what nodes said of themselves since
 * POST /v1/reach/questions                              what running jobs ask of their users' files; waits a moment for it
 * POST /v1/reach/answers                                one answer
 * POST /v1/sessions/JOB/ATTEMPT/NODE/ID                its end of a session in a job's room: {@link SessionDesk}
 * GET /v1/drift?node=NODE&look=ID&whole=true|false    a look at a node's root; again until it is over
 * GET /v1/accounts?login=LOGIN                          what is known here of a login; again until a node has answered
 * </pre>
 *
 * and what {@link PieceDesk}, {@link PullDesk} and {@link ForwardDesk} answer. Of a stream the last 64 KiB are here at most: the bytes of the answer are those from {@code X-From} to
 * {@code X-End}, which is where the next question goes on. A director that was restarted may know less than it told
 * before: whoever follows a stream does not go back. An order that is not current, or that has no NODE, is 404.
 */
final class HeadSide {
    private static final Pattern LOG_PATH =
            Pattern.compile("/v1/logs/([A-Za-z0-9-]{1,64})/([1-9][0-9]{0,5})/([^/]{1,200})/(stdout|stderr)");

    /** Shorter than anybody's limit of an answer. */
    private static final Duration REACH_POLL = Duration.ofSeconds(2);

    private final String site;
    private final String boot = UUID.randomUUID().toString();
    private final SiteState state;
    private final JoinDesk joins;
    private final StagingSpace staging;
    private final LogShelf logs;
    private final NodeLogShelf said;
    private final IdentitySource identities;
    private final SignOfHead sign;
    private final InstantSource steady;
    private final PieceDesk pieces;
    private final PullDesk pulls;
    private final HomeQuestions questions;
    private final SessionDesk sessions;
    private final ForwardDesk forwards;

    HeadSide(
            String site,
            SiteState state,
            JoinDesk joins,
            StagingSpace staging,
            LogShelf logs,
            NodeLogShelf said,
            IdentitySource identities,
            SignOfHead sign,
            PullDesk pulls,
            HomeQuestions questions,
            InstantSource steady) {
        this.site = site;
        this.state = state;
        this.joins = joins;
        this.staging = staging;
        this.logs = logs;
        this.said = said;
        this.identities = identities;
        this.sign = sign;
        this.steady = steady;
        this.pieces = new PieceDesk(staging, steady);
        this.pulls = pulls;
        this.questions = questions;
        this.sessions = new SessionDesk(state.sessions, state);
        this.forwards = new ForwardDesk(state, identities);
    }

    Answer answer(Request request) throws IOException, InterruptedException {
        if (request.path().equals("/v1/sync") && request.method().equals("POST")) {
            pieces.tick();
            pulls.tick();
            return sync(request);
        }
        if (request.path().startsWith("/v1/reach/") && request.method().equals("POST")) {
            return reach(request);
        }
        if (PieceDesk.isFor(request)) {
            return pieces.answer(request);
        }
        if (SessionDesk.isFor(request)) {
            return sessions.ofHead(request);
        }
        if (ForwardDesk.isFor(request)) {
            return forwards.ofHead(request);
        }
        if (PullDesk.isFor(request)) {
            return pulls.answer(request);
        }
        if (request.path().equals("/v1/accounts") && request.method().equals("GET")) {
            return accounts(request.queryFields().getOrDefault("login", ""));
        }
        if (request.path().equals(DriftDesk.PATH) && request.method().equals("GET")) {
            return new DriftDesk(state, steady).ofHead(request);
        }
        if (request.path().equals("/v1/nodelogs") && request.method().equals("GET")) {
            return new Answer.Text(200, WireJson.write(said.after(request.query("after"), steady.instant())));
        }
        Matcher log = LOG_PATH.matcher(request.path());
        return log.matches() && request.method().equals("GET")
                ? log(log, request.query("after"))
                : Answer.error(
                        404,
                        "the head may only POST /v1/sync, GET /v1/logs/..., /v1/nodelogs, /v1/drift and /v1/accounts");
    }

    private Answer reach(Request request) throws IOException, InterruptedException {
        byte[] body = request.body(WireJson.MAX_BYTES);
        return switch (request.path()) {
            case "/v1/reach/questions" -> new Answer.Text(200, questions.take(REACH_POLL));
            case "/v1/reach/answers" -> {
                questions.answered(body);
                yield Answer.ok("");
            }
            default -> Answer.error(404, "no such thing");
        };
    }

    private Answer accounts(String login) {
        if (!PosixUser.isLogin(login)) {
            return Answer.error(400, "login is none");
        }
        return new Answer.Text(
                200,
                WireJson.write(state.accounts(login, identities.account(login).orElse(null), steady.instant())));
    }

    private Answer log(Matcher path, String after) {
        var task = new SiteState.Task(path.group(1), Integer.parseInt(path.group(2)), path.group(3));
        if (state.order(task).isEmpty()) {
            return Answer.error(404, "this attempt is not ordered for this node");
        }
        long from = after.matches("[0-9]{1,15}") ? Long.parseLong(after) : 0;
        return new Answer.Piece(logs.after(new LogShelf.Stream(task, path.group(4)), from)
                .orElse(new LogShelf.Piece(0, 0, new byte[0])));
    }

    private Answer sync(Request request) throws IOException {
        Directive directive;
        try {
            directive = WireJson.readDirective(request.body(WireJson.MAX_BYTES));
        } catch (WireJson.Malformed e) {
            return Answer.error(400, String.valueOf(e.getMessage()));
        }
        if (directive.schema() != Directive.SCHEMA) {
            return Answer.error(
                    400,
                    "schema " + directive.schema() + " is not known here; this director speaks " + Directive.SCHEMA);
        }
        if (!directive.site().equals(site)) {
            return Answer.error(409, "this director serves site '" + site + "', not '" + directive.site() + "'");
        }
        sign.heard(steady.instant());
        state.accept(directive, steady.instant());
        Directive current = state.directive().orElse(directive);
        identities.follow(current.directory());
        return new Answer.Text(200, WireJson.write(report(current.sequence())));
    }

    private Report report(long sequence) throws IOException {
        return new Report(
                Directive.SCHEMA,
                version(),
                boot,
                staging.id(),
                sequence,
                joins.requests(),
                state.nodeReports(steady.instant()),
                state.jobReports(),
                staging.images(),
                identities.report(),
                staging.freeBytes());
    }

    private static String version() {
        String version = HeadSide.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
