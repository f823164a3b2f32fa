package org.spillway.head.service;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.JobState;
import org.spillway.head.config.InteractiveSettings;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.link.SessionRefused;
import org.spillway.head.loop.Loop;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.SessionsApi;
import org.spillway.head.tenant.WorkloadTenant;

/** Ways to nodes of running jobs. */
final class SessionDesk implements SessionsApi {
    private final InteractiveSettings settings;
    private final Journal journal;
    private final Loop loop;
    private final DirectorLink link;
    /** By their names. */
    private final Map<String, WorkloadTenant> managers;

    private final Map<Integer, Integer> held = new HashMap<>();

    SessionDesk(
            InteractiveSettings settings,
            Journal journal,
            Loop loop,
            DirectorLink link,
            Map<String, WorkloadTenant> managers) {
        this.settings = settings;
        this.journal = journal;
        this.loop = loop;
        this.link = link;
        this.managers = Map.copyOf(managers);
    }

    @Override
    public Line open(Caller caller, String id, String session, int rank) {
        JobRecord job = journal.job(id)
                .orElseThrow(() -> new ApiException(
                        Code.NOT_FOUND, "there is no job " + id, "'spillway queue --all' lists your jobs"));
        JobRun run = job.run();
        JobRun.Foreign foreign = run.foreign();
        if (foreign != null) {
            String manager = JobSpec.managerOf(job.spec().foreign());
            throw new ApiException(
                    Code.CONFLICT,
                    "job " + id + " is of " + manager + ", which enters its jobs by itself",
                    Optional.ofNullable(managers.get(manager))
                            .map(its -> its.entering(foreign.number()))
                            .orElse(""));
        }
        if (job.jobState() != JobState.RUNNING) {
            throw new ApiException(
                    Code.CONFLICT,
                    "job " + id + " is " + job.jobState() + ": only a running job can be entered",
                    "'spillway job " + id + "' says more");
        }
        if (rank >= run.ranks().size()) {
            throw new ApiException(
                    Code.NOT_FOUND,
                    "job " + id + " has no rank " + rank,
                    "its ranks are 0 to " + (run.ranks().size() - 1));
        }
        if (run.ranks().get(rank).isOver()) {
            throw new ApiException(Code.CONFLICT, "rank " + rank + " of job " + id + " has ended", "");
        }
        DirectorTarget director = loop.director(run.site())
                .orElseThrow(() -> new ApiException(
                        Code.UNAVAILABLE, "the director of site " + run.site() + " is not there now", "try again"));
        take(caller);
        try {
            Socket socket = link.session(
                    director,
                    new DirectorLink.SessionAsk(
                            id,
                            run.attempt(),
                            run.ranks().get(rank).node(),
                            beyondHead(id, run.attempt(), session),
                            settings.awayFor().toSeconds(),
                            settings.idleFor().toSeconds(),
                            settings.perNode()));
            return new Held(socket, () -> give(caller));
        } catch (SessionRefused refused) {
            give(caller);
            throw new ApiException(Code.CONFLICT, "job " + id + ": " + refused.getMessage(), "");
        } catch (LinkDownException | IOException away) {
            give(caller);
            throw new ApiException(Code.UNAVAILABLE, String.valueOf(away.getMessage()), "try again");
        }
    }

    /**
     * A session's name at director and node, 32 hexadecimal digits. Whoever learns the name of another's session, and may enter a
     * job of their own beside it, comes to a session of that job.
     */
    static String beyondHead(String job, int attempt, String session) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256")
                    .digest((session + "\n" + attempt + "\n" + job).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, 16);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private synchronized void take(Caller caller) {
        int has = held.getOrDefault(caller.uid(), 0);
        if (has >= settings.perUser()) {
            throw new ApiException(
                    Code.LIMIT_EXCEEDED,
                    "user " + caller.user() + " has " + has + " sessions already",
                    "end one of them; interactive.perUser is the limit");
        }
        held.put(caller.uid(), has + 1);
    }

    private synchronized void give(Caller caller) {
        held.computeIfPresent(caller.uid(), (uid, has) -> has == 1 ? null : has - 1);
    }

    /** A stream, and the place of its user that goes with it. */
    private static final class Held implements Line {
        private final Socket socket;
        private final InputStream in;
        private final OutputStream out;
        private final Runnable given;
        private final AtomicBoolean closed = new AtomicBoolean();

        Held(Socket socket, Runnable given) throws IOException {
            this.socket = socket;
            this.in = socket.getInputStream();
            this.out = socket.getOutputStream();
            this.given = given;
        }

        @Override
        public InputStream in() {
            return in;
        }

        @Override
        public OutputStream out() {
            return out;
        }

        @Override
        public void close() throws IOException {
            if (closed.compareAndSet(false, true)) {
                given.run();
                socket.close();
            }
        }
    }
}
