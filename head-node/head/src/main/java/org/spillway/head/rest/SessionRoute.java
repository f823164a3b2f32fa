package org.spillway.head.rest;

import io.javalin.http.Context;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.JobView;

/**
 * A session's connection, from the client's socket to the node (ADR 68): a request and an answer that end with their
 * connection. Nothing of what passes is looked at.
 */
final class SessionRoute {
    static final String PATH = "/jobs/{id}/sessions/{session}";
    /** The same, in a job of a cluster on demand. */
    static final String CLUSTER_PATH = "/clusters/{name}/head" + PATH;

    private static final String JOB = "[A-Za-z0-9_-]{1,100}";

    private static final Logger LOG = LoggerFactory.getLogger(SessionRoute.class);
    /** Bytes of an answer that ends with its connection. */
    private static final long ENDLESS = 1L << 60;

    private static final int PIECE_BYTES = 32 * 1024;

    private final HeadApi head;

    SessionRoute(HeadApi head) {
        this.head = head;
    }

    /** @throws ApiException before anything is answered */
    void answer(Context context, Caller caller) {
        String session = session(context);
        int rank = rank(context);
        JobView job = permitted(context.pathParam("id"), caller);
        carry(context, session, () -> {
            var line = head.sessions().open(caller, job.id(), session, rank);
            LOG.info(
                    "user {} has a session in job {} of {}, rank {} ({})",
                    caller.user(),
                    job.id(),
                    job.user(),
                    rank,
                    session);
            return line;
        });
    }

    /** @throws ApiException before anything is answered */
    void answerOfCluster(Context context, Caller caller) {
        String session = session(context);
        int rank = rank(context);
        String name = context.pathParam("name");
        String job = context.pathParam("id");
        if (!job.matches(JOB)) {
            throw new ApiException(Code.NOT_FOUND, "no such job", "'spillway cluster queue " + name + "' lists them");
        }
        carry(context, session, () -> {
            var line = head.clusters().session(caller, name, "/jobs/" + job + "/sessions/" + session + "?rank=" + rank);
            LOG.info(
                    "user {} has a session in job {} of cluster {}, rank {} ({})",
                    caller.user(),
                    job,
                    name,
                    rank,
                    session);
            return line;
        });
    }

    private void carry(Context context, String session, Supplier<SessionsApi.Line> open) {
        var exchange = Exchange.of(context.req());
        // Nothing of the client is waited for by which its connection could be overdue.
        exchange.read();
        try (var line = open.get()) {
            HttpServletResponse response = context.res();
            response.setStatus(200);
            response.setContentType("application/octet-stream");
            response.setContentLengthLong(ENDLESS);
            response.flushBuffer();
            Thread homeward = Thread.ofVirtual().name("session-homeward").start(() -> {
                try (line) {
                    copy(line.in(), response.getOutputStream());
                } catch (IOException gone) {
                    LOG.debug("session {}: {}", session, gone.toString());
                } finally {
                    exchange.hangUp();
                }
            });
            try {
                copy(context.req().getInputStream(), line.out());
            } finally {
                line.close();
                homeward.join();
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        } finally {
            LOG.debug("session {}: a connection of its is over", session);
        }
    }

    private static void copy(InputStream from, OutputStream to) throws IOException {
        byte[] piece = new byte[PIECE_BYTES];
        for (int count = from.read(piece); count >= 0; count = from.read(piece)) {
            to.write(piece, 0, count);
            to.flush();
        }
    }

    private static String session(Context context) {
        String session = context.pathParam("session");
        if (!session.matches("[0-9a-f]{32}")) {
            throw new ApiException(Code.BAD_REQUEST, "a session has 32 hexadecimal digits", "");
        }
        return session;
    }

    private static int rank(Context context) {
        String text = context.queryParam("rank") == null ? "0" : String.valueOf(context.queryParam("rank"));
        if (!text.matches("\\d{1,4}")) {
            throw new ApiException(Code.BAD_REQUEST, "rank: found '" + text + "'", "allowed: a whole number from 0");
        }
        return Integer.parseInt(text);
    }

    /** Another user's job looks just like no job. Whoever may end a job may enter it: administrators, and its owner. */
    private JobView permitted(String id, Caller caller) {
        JobView job = head.job(id)
                .map(found -> found.job())
                .filter(found -> head.sight().sees(caller, found))
                .orElseThrow(() ->
                        new ApiException(Code.NOT_FOUND, "no job '" + id + "'", "'spillway queue' lists your jobs"));
        if (!head.sight().mayEnd(caller, job)) {
            throw new ApiException(
                    Code.FORBIDDEN,
                    "job " + job.id() + " is of " + job.user() + ", and only they may enter it",
                    "ask " + job.user());
        }
        return job;
    }
}
