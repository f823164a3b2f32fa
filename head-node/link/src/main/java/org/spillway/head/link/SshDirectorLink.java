package org.spillway.head.link;

import java.net.Socket;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.WireJson;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.NodeLogs;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.SiteAccounts;
import org.spillway.director.wire.SiteDrift;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.stage.reach.Messages;
import org.spillway.stage.transfer.Transfer;

/**
 * The link over SSH: head -> director:22 and nothing else. Per site one control connection with two forwards, one
 * for what comes home, and some for what goes there, so that a large file does not delay a sign of life. Connections are made when they are
 * first needed, and again after a break. Safe for several threads.
 */
public final class SshDirectorLink implements DirectorLink, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SshDirectorLink.class);

    /** Where a director keeps the staging space, below its user's login folder. */
    public static final String STORE = "spillway-director/state/store";

    private static final String SYNC = "/v1/sync";
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final int MAX_ERROR_CHARACTERS = 300;

    private final SiteAuthority authority;
    private final DirectorSessions sessions;
    private final LinkTimes times;
    private final IntSupplier directoryProviderPort;
    private final int httpsPort;
    private final Map<String, String> told = new ConcurrentHashMap<>();
    private final Map<String, SiteLine> lines = new ConcurrentHashMap<>();

    /**
     * @param sessions is not closed by {@link #close}
     * @param directoryProviderPort port of the head's LDAP provider on 127.0.0.1, asked at each new connection
     * @param httpsPort on which every director listens
     */
    public SshDirectorLink(
            SiteAuthority authority,
            DirectorSessions sessions,
            LinkTimes times,
            IntSupplier directoryProviderPort,
            int httpsPort) {
        this.authority = authority;
        this.sessions = sessions;
        this.times = times;
        this.directoryProviderPort = directoryProviderPort;
        this.httpsPort = httpsPort;
    }

    @Override
    public Report sync(DirectorTarget director, Directive directive) throws LinkDownException {
        var answer = line(director).call("POST", SYNC, WireJson.write(directive));
        if (answer.status() != OK) {
            throw new LinkDownException("the director of " + director.site() + " answered " + answer.status() + ": "
                    + printable(answer.text()));
        }
        try {
            WireJson.Heard heard = WireJson.hearReport(answer.body());
            tell(director.site(), String.join("; ", heard.unread()));
            return heard.report();
        } catch (WireJson.Malformed e) {
            throw new LinkDownException("the director of " + director.site() + " sent " + e.getMessage(), e);
        }
    }

    /** Once for each change: a report comes every second or two. */
    private void tell(String site, String unread) {
        String before = unread.isEmpty() ? told.remove(site) : told.put(site, unread);
        if (!unread.isEmpty() && !unread.equals(before)) {
            LOG.warn("of the report of the director of {} was left out: {}", site, printable(unread));
        }
    }

    @Override
    public Optional<LogPart> log(
            DirectorTarget director, String job, int attempt, String node, String stream, long after)
            throws LinkDownException {
        var path = "/v1/logs/" + job + "/" + attempt + "/" + node + "/" + stream + "?after=" + after;
        var answer = line(director).call("GET", path, new byte[0]);
        if (answer.status() == NOT_FOUND) {
            return Optional.empty();
        }
        long from = answer.headers().firstValueAsLong("X-From").orElse(-1);
        long end = answer.headers().firstValueAsLong("X-End").orElse(-1);
        if (answer.status() != OK || from < 0 || end - from != answer.body().length) {
            throw new LinkDownException(
                    "the director of " + director.site() + " answered " + answer.status() + " to a question for a log");
        }
        return Optional.of(new LogPart(from, end, answer.body()));
    }

    @Override
    public Optional<SiteAccounts> accounts(DirectorTarget director, String login) throws LinkDownException {
        var path = "/v1/accounts?login=" + URLEncoder.encode(login, StandardCharsets.UTF_8);
        return ask(director, path, WireJson::readAccounts, "a question for a user");
    }

    @Override
    public Optional<SiteDrift> drift(DirectorTarget director, String node, String look, boolean whole)
            throws LinkDownException {
        var path = "/v1/drift?node=" + URLEncoder.encode(node, StandardCharsets.UTF_8) + "&look=" + look + "&whole="
                + whole;
        return ask(director, path, WireJson::readDrift, "a question for drift");
    }

    @Override
    public Optional<NodeLogs> nodeLogs(DirectorTarget director, String cursor) throws LinkDownException {
        var path = "/v1/nodelogs?after=" + URLEncoder.encode(cursor, StandardCharsets.UTF_8);
        return ask(director, path, WireJson::readNodeLogs, "a question for its nodes' logs");
    }

    @Override
    public byte[] reachQuestions(DirectorTarget director) throws LinkDownException {
        return reach(director, "questions");
    }

    @Override
    public void reachAnswer(DirectorTarget director, Messages.Told told) throws LinkDownException {
        reach(director, "answers", Messages.head(told), told.reply().body());
    }

    private byte[] reach(DirectorTarget director, String what, byte[]... body) throws LinkDownException {
        var answer = line(director).call("POST", "/v1/reach/" + what, body);
        if (answer.status() != OK) {
            throw new LinkDownException(
                    "the director of " + director.site() + " answered " + answer.status() + " to /v1/reach/" + what);
        }
        return answer.body();
    }

    private interface Reader<T> {
        T read(byte[] json) throws WireJson.Malformed;
    }

    /** Empty when the director is of a version that does not know the question. */
    private <T> Optional<T> ask(DirectorTarget director, String path, Reader<T> reader, String question)
            throws LinkDownException {
        var answer = line(director).call("GET", path, new byte[0]);
        if (answer.status() == NOT_FOUND) {
            return Optional.empty();
        }
        try {
            if (answer.status() == OK) {
                return Optional.of(reader.read(answer.body()));
            }
            throw new LinkDownException(
                    "the director of " + director.site() + " answered " + answer.status() + " to " + question);
        } catch (WireJson.Malformed e) {
            throw new LinkDownException("the director of " + director.site() + " sent " + e.getMessage(), e);
        }
    }

    @Override
    public Socket session(DirectorTarget director, SessionAsk ask) throws LinkDownException, SessionRefused {
        return line(director)
                .session("/v1/sessions/" + ask.job() + "/" + ask.attempt() + "/" + ask.node() + "/" + ask.session()
                        + "?away=" + ask.awaySeconds() + "&idle=" + ask.idleSeconds() + "&most=" + ask.most());
    }

    @Override
    public String forwardsWanted(DirectorTarget director) throws LinkDownException {
        var answer = line(director).call("POST", "/v1/forwards/wanted", new byte[0]);
        if (answer.status() != OK) {
            throw new LinkDownException(
                    "the director of " + director.site() + " answered " + answer.status() + " to a question for lines");
        }
        return answer.text();
    }

    @Override
    public Socket forward(DirectorTarget director, String node, String id) throws LinkDownException, SessionRefused {
        return line(director).session("/v1/forwards/" + node + "/" + id);
    }

    @Override
    public void prepare(DirectorTarget director) {
        try {
            line(director).prepare();
        } catch (LinkDownException e) {
            LOG.debug("site {}: {}", director.site(), e.getMessage());
        }
    }

    @Override
    public Transfer staging(DirectorTarget director) throws LinkDownException {
        return line(director).staging();
    }

    @Override
    public RegionPieces pieces(DirectorTarget director) throws LinkDownException {
        return new SshRegionPieces(line(director));
    }

    @Override
    public RegionPulls pulls(DirectorTarget director) throws LinkDownException {
        return new SshRegionPulls(line(director));
    }

    /**
     * The port on the director's loopback behind which it finds the head's directory. It changes with each control
     * connection.
     */
    public int directoryPort(DirectorTarget director) throws LinkDownException {
        return line(director).directoryPort();
    }

    /** Returns if the director's process answers at all; it proves its identity by that. */
    public void probe(DirectorTarget director) throws LinkDownException {
        line(director).call("GET", SYNC, new byte[0]);
    }

    @Override
    public void forget(String site) {
        var line = lines.remove(site);
        if (line != null) {
            line.close();
        }
    }

    @Override
    public void close() {
        lines.keySet().forEach(this::forget);
    }

    private SiteLine line(DirectorTarget director) throws LinkDownException {
        try {
            return lines.compute(director.site(), (site, present) -> {
                if (present != null && present.director().equals(director)) {
                    return present;
                }
                if (present != null) {
                    present.close();
                }
                return new SiteLine(director, authority, sessions, times, directoryProviderPort, httpsPort);
            });
        } catch (IllegalArgumentException e) {
            throw new LinkDownException("no director can be reached with these data: " + e.getMessage(), e);
        }
    }

    /** An answer is a stranger's text. */
    private static String printable(String text) {
        String line = text.replaceAll("[^\\x20-\\x7e]", " ");
        return line.length() <= MAX_ERROR_CHARACTERS ? line : line.substring(0, MAX_ERROR_CHARACTERS);
    }
}
