package org.spillway.head.link;

import java.net.Socket;
import java.util.Optional;
import org.spillway.director.wire.Directive;
import org.spillway.director.wire.NodeLogs;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.SiteAccounts;
import org.spillway.director.wire.SiteDrift;
import org.spillway.stage.reach.Messages;
import org.spillway.stage.transfer.Transfer;

/** How the head speaks to the director of one site. Calls block; each has a time limit and none retries by itself. */
public interface DirectorLink {
    /**
     * Tells the director what should be and learns what is. Idempotent.
     *
     * @throws LinkDownException if there was no answer; the directive may have arrived all the same
     */
    Report sync(DirectorTarget director, Directive directive) throws LinkDownException;

    /** Says that something is about to be staged, so that connections are made meanwhile. Waits for nothing, and never fails. */
    default void prepare(DirectorTarget director) {}

    /** The site's staging space, over the bulk connections. The caller closes it. */
    Transfer staging(DirectorTarget director) throws LinkDownException;

    /** The site's store of inputs, which lie in {@link #staging}. */
    RegionPieces pieces(DirectorTarget director) throws LinkDownException;

    /**
     * Inputs that the site pulls by itself.
     *
     * @throws LinkDownException also where nobody can do that
     */
    default RegionPulls pulls(DirectorTarget director) throws LinkDownException {
        throw new LinkDownException("site " + director.site() + " pulls no inputs");
    }

    /**
     * A piece of what one node of a running job wrote, behind the first {@code after} bytes of a stream; at most what
     * the director keeps.
     *
     * @param stream {@code stdout} or {@code stderr}
     * @return empty when the director runs no such attempt on that node
     * @throws LinkDownException if there was no answer, or none that makes sense
     */
    Optional<LogPart> log(DirectorTarget director, String job, int attempt, String node, String stream, long after)
            throws LinkDownException;

    /**
     * Account of a login as a site knows it; asked again until a node has answered.
     *
     * @return empty when the director does not answer that, as one of an earlier release
     * @throws LinkDownException if there was no answer, or none that makes sense
     */
    default Optional<SiteAccounts> accounts(DirectorTarget director, String login) throws LinkDownException {
        return Optional.empty();
    }

    /**
     * A look at a node's root; asked again, by the same {@code look}, until it is over.
     *
     * @param look 16 hexadecimal digits, drawn by who waits for it
     * @param whole whether all contents are read
     * @return empty when the director does not answer that, as one of an earlier release
     * @throws LinkDownException if there was no answer, or none that makes sense
     */
    default Optional<SiteDrift> drift(DirectorTarget director, String node, String look, boolean whole)
            throws LinkDownException {
        return Optional.empty();
    }

    /**
     * Words of the site's nodes since. May be repeated: what lies behind the cursor stays until a
     * question with a later one.
     *
     * @param cursor of the answer before; empty for the first
     * @return empty when the director does not answer that, as one of an earlier release
     * @throws LinkDownException if there was no answer, or none that makes sense
     */
    default Optional<NodeLogs> nodeLogs(DirectorTarget director, String cursor) throws LinkDownException {
        return Optional.empty();
    }

    /**
     * Questions of the site's running jobs about their users' files; waits a moment for one.
     *
     * @return as {@link org.spillway.stage.reach.Messages#readAsked} reads it
     * @throws LinkDownException also where nobody asks
     */
    default byte[] reachQuestions(DirectorTarget director) throws LinkDownException {
        throw new LinkDownException("site " + director.site() + " asks nothing");
    }

    /** Tells the answer to one of them. */
    default void reachAnswer(DirectorTarget director, Messages.Told told) throws LinkDownException {
        throw new LinkDownException("site " + director.site() + " asks nothing");
    }

    /**
     * A question to a director for a session.
     *
     * @param session 32 hexadecimal digits
     * @param awaySeconds how long the node goes on without a client
     * @param idleSeconds how long a terminal may be silent; 0 for any time
     * @param most sessions that the node may have at once
     */
    record SessionAsk(
            String job, int attempt, String node, String session, long awaySeconds, long idleSeconds, int most) {}

    /**
     * A stream each way to the node of a running job, which ends with either's connection. Waits for the node for 20 seconds.
     * The caller closes it.
     *
     * @throws SessionRefused if there will be none
     * @throws LinkDownException if there is none now
     */
    default Socket session(DirectorTarget director, SessionAsk ask) throws LinkDownException, SessionRefused {
        throw new LinkDownException("site " + director.site() + " has no sessions");
    }

    /**
     * Lines of the site's nodes to services of home that wait for the head; waits a moment for one.
     *
     * @return {@code NODE JOB ATTEMPT NAME ID} each, in lines
     */
    default String forwardsWanted(DirectorTarget director) throws LinkDownException {
        throw new LinkDownException("site " + director.site() + " has no lines");
    }

    /**
     * A stream each way to a node that waits with that line. Waits for the node for 20 seconds. The caller closes it.
     *
     * @throws SessionRefused if there will be none
     * @throws LinkDownException if there is none now
     */
    default Socket forward(DirectorTarget director, String node, String id) throws LinkDownException, SessionRefused {
        throw new LinkDownException("site " + director.site() + " has no lines");
    }

    /** Forgets connections to a director that is no more. */
    void forget(String site);
}
