package org.spillway.head.forward;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.session.Session;
import org.spillway.api.session.SessionFault;
import org.spillway.head.forward.ForwardPermit.Asked;
import org.spillway.head.link.DirectorLink;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.link.SessionRefused;

/** Connects jobs in clouds with the services of home that their users may reach (ADR 77). */
public final class HomeForwards implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HomeForwards.class);
    /** Of all sites: more than honest nodes have. */
    private static final int MOST_LINES = 2_000;

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final Function<String, Optional<DirectorTarget>> directors;
    private final DirectorLink link;
    private final Jobs jobs;
    private final Map<String, List<HomeForward>> sites;
    private final Session.Times times;
    private final ForwardCounts counts = new ForwardCounts();
    private final Map<Key, Thread> lines = new ConcurrentHashMap<>();
    private final List<Thread> threads = new ArrayList<>();

    private record Key(String site, String node, String id) {}

    /** Jobs of the head. */
    public interface Jobs {
        /** Whether there are any in that site. */
        boolean anyOf(String site);

        Optional<RunningJob> running(String id);
    }

    /**
     * @param directors that serve now, by site
     * @param sites services, by site
     */
    public HomeForwards(
            Function<String, Optional<DirectorTarget>> directors,
            DirectorLink link,
            Jobs jobs,
            Map<String, List<HomeForward>> sites) {
        this(directors, link, jobs, sites, ForwardLine.TIMES);
    }

    HomeForwards(
            Function<String, Optional<DirectorTarget>> directors,
            DirectorLink link,
            Jobs jobs,
            Map<String, List<HomeForward>> sites,
            Session.Times times) {
        this.directors = directors;
        this.link = link;
        this.jobs = jobs;
        this.sites = Map.copyOf(sites);
        this.times = times;
    }

    /** Begins to ask the directors of sites with services. Once. */
    public HomeForwards begin() {
        sites.forEach((site, services) -> {
            if (!services.isEmpty()) {
                threads.add(Thread.ofVirtual().name("services for " + site).start(() -> serve(site)));
            }
        });
        return this;
    }

    private void serve(String site) {
        try {
            while (true) {
                Optional<DirectorTarget> director = jobs.anyOf(site) ? directors.apply(site) : Optional.empty();
                if (director.isEmpty() || !turn(director.get())) {
                    Thread.sleep(PAUSE);
                }
            }
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    /** @return whether the director was reached, and has said what makes sense */
    private boolean turn(DirectorTarget director) {
        try {
            for (String line : link.forwardsWanted(director).lines().toList()) {
                begin(director.site(), line.split(" ", -1));
            }
            return true;
        } catch (LinkDownException down) {
            LOG.debug("site {}: {}", director.site(), down.getMessage());
        } catch (IllegalArgumentException malformed) {
            LOG.warn("site {}: its director asks for what cannot be read: {}", director.site(), malformed.toString());
        }
        return false;
    }

    private void begin(String site, String[] words) {
        if (words.length != 5
                || !words[1].matches("[A-Za-z0-9-]{1,64}")
                || !words[2].matches("[1-9][0-9]{0,5}")
                || !words[3].matches("[A-Za-z0-9-]{1,40}")
                || !words[4].matches("[0-9a-f]{32}")) {
            throw new IllegalArgumentException("a line of " + words.length + " words");
        }
        Asked asked = new Asked(site, words[0], words[1], Integer.parseInt(words[2]), words[3]);
        Optional<RunningJob> job = job(asked);
        if (!ForwardPermit.runs(asked, job)) {
            LOG.debug("site {}: job {} does not run on node {}", site, asked.job(), asked.node());
            return;
        }
        Key key = new Key(site, asked.node(), words[4]);
        String user = job.orElseThrow().user();
        Thread carries = Thread.ofVirtual().name("line of job " + asked.job()).unstarted(() -> run(asked, user, key));
        if (lines.size() < MOST_LINES && lines.putIfAbsent(key, carries) == null) {
            LOG.info(
                    "site {}: job {} of {} turns to service {} from node {}",
                    site,
                    asked.job(),
                    user,
                    asked.name(),
                    asked.node());
            carries.start();
        }
    }

    private void run(Asked asked, String user, Key key) {
        var rules = new ForwardLine.Rules(
                () -> ForwardPermit.runs(asked, job(asked)),
                () -> ForwardPermit.refusal(asked, job(asked), service(asked)),
                () -> service(asked));
        try {
            new ForwardLine(asked, user, rules, counts, () -> line(key), times).run();
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        } finally {
            lines.remove(key);
        }
    }

    private Optional<HomeForward> service(Asked asked) {
        return sites.getOrDefault(asked.site(), List.of()).stream()
                .filter(each -> each.name().equals(asked.name()))
                .findFirst();
    }

    private Optional<RunningJob> job(Asked asked) {
        return jobs.running(asked.job());
    }

    private Session.Connection line(Key key) throws IOException {
        DirectorTarget director =
                directors.apply(key.site()).orElseThrow(() -> new IOException("its director is not there now"));
        try {
            return new Line(link.forward(director, key.node(), key.id()));
        } catch (LinkDownException away) {
            throw new IOException(away.getMessage(), away);
        } catch (SessionRefused refused) {
            throw new SessionFault(String.valueOf(refused.getMessage()));
        }
    }

    /** Connections at this moment, of all jobs of a site. */
    public int connections(String site) {
        return counts.of(site);
    }

    @Override
    public void close() {
        threads.forEach(Thread::interrupt);
        lines.values().forEach(Thread::interrupt);
    }

    private record Line(Socket socket, InputStream in, OutputStream out) implements Session.Connection {
        Line(Socket socket) throws IOException {
            this(socket, socket.getInputStream(), socket.getOutputStream());
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
