package org.spillway.head.ondemand;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntSupplier;
import org.apache.sshd.client.session.ClientSession;
import org.apache.sshd.common.util.net.SshdSocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.api.ClusterState;
import org.spillway.api.ClusterTerms;
import org.spillway.api.Json;
import org.spillway.api.NodeState;
import org.spillway.api.NodeView;
import org.spillway.head.bootstrap.HeadPlan;
import org.spillway.head.bootstrap.RemoteHead;
import org.spillway.head.bootstrap.RemoteStream;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.ClusterCause;
import org.spillway.head.cause.ClusterCause.ClusterFact;
import org.spillway.head.journal.ClusterRecord;
import org.spillway.head.link.DirectorSessions;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.HostKeyRefused;
import org.spillway.head.trust.SiteAuthority;

/** Sessions to children's heads, one each, with one forward: from a loopback port there to this head's broker. */
public final class SshChildren implements Children, AutoCloseable {
    /** On the child, where its driver finds the broker. */
    static final int BROKER_PORT = 8444;

    private static final Logger LOG = LoggerFactory.getLogger(SshChildren.class);
    private static final Duration BOOT = Duration.ofMinutes(3);
    private static final Duration START = Duration.ofMinutes(3);
    private static final Duration LONGEST_COMMAND = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long POLL_MILLIS = 100;

    private final SiteAuthority authority;
    private final DirectorSessions sessions;
    private final RemoteHead head;
    private final IntSupplier brokerPort;
    private final Parts parts;
    private final Map<String, Line> lines = new ConcurrentHashMap<>();

    /** The parts that every child gets. */
    public interface Parts {
        /** The child's software, its image and its configuration. */
        HeadPlan plan(ClusterRecord child, ChildFiles.BrokerAccess access) throws IOException;

        /** After so long without a word its machine powers itself off. */
        Duration abandonedAfter(String site);

        /**
         * Begins to buy the first nodes of a child whose head is being made.
         *
         * @return the state with which its head begins then, in which they are called; empty when there is nothing to buy
         */
        Optional<Path> ahead(ClusterRecord child) throws IOException;

        /** Lets go of what was kept for that. */
        void forget(String id) throws IOException;
    }

    /** @param brokerPort of this head's broker on 127.0.0.1, asked at each new connection */
    public SshChildren(
            SiteAuthority authority, DirectorSessions sessions, RemoteHead head, IntSupplier brokerPort, Parts parts) {
        this.authority = authority;
        this.sessions = sessions;
        this.head = head;
        this.brokerPort = brokerPort;
        this.parts = parts;
    }

    private static String node(String id) {
        return id + "-head";
    }

    @Override
    public String userData(ClusterRecord child) {
        try {
            return authority.directorUserData(
                    node(child.id()), parts.abandonedAfter(child.spec().site()));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException("the host key of " + child.id() + " cannot be kept", e);
        }
    }

    @Override
    public void install(ClusterRecord child) throws IOException {
        // Only a machine that is new begins with it; one that was stopped has its own.
        Optional<Path> beginning =
                child.clusterState() == ClusterState.CREATING ? parts.ahead(child) : Optional.empty();
        ClientSession session = waitForSsh(target(child));
        try {
            head.install(session, plan(child), beginning);
        } finally {
            session.close(true);
        }
    }

    private HeadPlan plan(ClusterRecord child) throws IOException {
        var machine = child.head();
        return parts.plan(
                child,
                new ChildFiles.BrokerAccess(
                        machine.inside(),
                        machine.sshPort(),
                        authority.hostKeys().presentPublicLine(node(child.id())),
                        "https://" + bind(machine.inside()) + ":" + BROKER_PORT,
                        authority.clusterToken(child.id()),
                        authority.clusterCredential(child.id()),
                        authority.certificatePem()));
    }

    /** A machine that boots may show its image's own key before cloud-init has replaced it. */
    private ClientSession waitForSsh(DirectorTarget target) throws IOException {
        long deadline = System.nanoTime() + BOOT.toNanos();
        while (true) {
            try {
                return sessions.open(target);
            } catch (IOException e) {
                boolean impostor =
                        e instanceof HostKeyRefused && authority.hostKeys().isRotated(target.node());
                if (impostor || System.nanoTime() - deadline > 0) {
                    throw e;
                }
            }
            pause();
        }
    }

    @Override
    public void start(ClusterRecord child) throws IOException {
        head.start(session(child), START);
    }

    @Override
    public Cause keep(ClusterRecord child) throws IOException {
        Line line = line(child);
        ClientSession session = line.session(child);
        head.start(session, PATIENCE);
        var spec = child.spec();
        ClusterTerms terms = terms(child);
        if (terms.equals(line.told)) {
            return Cause.NONE;
        }
        // First what it reads when it is started again, then what it does now.
        head.configure(session, plan(child));
        int nodes = tell(child, terms);
        if (nodes > spec.nodes()) {
            return new ClusterCause.NodesToGo(nodes - spec.nodes(), nodes);
        }
        line.told = terms;
        return Cause.NONE;
    }

    private static ClusterTerms terms(ClusterRecord child) {
        var spec = child.spec();
        return new ClusterTerms(
                spec.site(), spec.nodes(), spec.budget(), spec.expires().getEpochSecond());
    }

    /** Told anew, they are a reason to ask again for what was refused. @return nodes that it has; -1 if it does not say */
    private int tell(ClusterRecord child, ClusterTerms terms) throws IOException {
        Answer answer = ask(
                child,
                null,
                new Question("POST", "/terms", "", Json.write(terms).getBytes(StandardCharsets.UTF_8)));
        if (answer.status() != 200) {
            throw new IOException("the child's head answers " + answer.status() + " to its terms");
        }
        return Json.tree(answer.body()).path("nodes").asInt(-1);
    }

    @Override
    public void wake(ClusterRecord child) throws IOException {
        tell(child, terms(child));
    }

    @Override
    public Cause quiesce(ClusterRecord child) throws IOException {
        if (!head.runs(session(child))) {
            head.endManager(session(child));
            return Cause.NONE;
        }
        accepted(ask(child, null, new Question("POST", "/release", "", new byte[0])));
        long left = nodes(child).stream()
                .filter(node -> node.role().equals("node") && node.state().mayCost())
                .count();
        if (left > 0) {
            return new ClusterCause.NodesEnding(left);
        }
        accepted(ask(child, null, new Question("POST", "/shutdown", "", new byte[0])));
        return ClusterFact.HEAD_ENDING;
    }

    private static void accepted(Answer answer) throws IOException {
        if (answer.status() != 202) {
            throw new IOException("the child's head answers " + answer.status());
        }
    }

    @Override
    public int readyNodes(ClusterRecord child) throws IOException {
        return (int) nodes(child).stream()
                .filter(node -> node.role().equals("node") && node.state() == NodeState.READY)
                .count();
    }

    private List<NodeView> nodes(ClusterRecord child) throws IOException {
        Answer answer = ask(child, null, new Question("GET", "/nodes", "", new byte[0]));
        if (answer.status() != 200) {
            throw new IOException("the child's head answers " + answer.status());
        }
        return Json.list(answer.body(), "nodes", NodeView.class);
    }

    @Override
    public Answer ask(ClusterRecord child, ClusterRecord.@Nullable User user, Question question) throws IOException {
        var account = user == null ? RemoteHead.Account.OWN : account(user);
        String said =
                head.ask(session(child), account, question.method(), question.path(), question.key(), question.body());
        int last = said.lastIndexOf('\n');
        String status = said.substring(last + 1);
        if (last < 0 || !status.matches("[1-5]\\d\\d")) {
            throw new IOException("the child's head gave no answer that makes sense");
        }
        return new Answer(Integer.parseInt(status), said.substring(0, last).getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public RemoteStream line(ClusterRecord child, ClusterRecord.User user) throws IOException {
        return head.line(session(child), account(user));
    }

    private static RemoteHead.Account account(ClusterRecord.User user) {
        return new RemoteHead.Account(
                user.uid(),
                user.gid(),
                user.groups().stream().map(ClusterRecord.Group::gid).toList());
    }

    @Override
    public Ran run(ClusterRecord child, ClusterRecord.User user, List<String> command) throws IOException {
        var ran = head.run(session(child), account(user), user.name(), user.home(), command, LONGEST_COMMAND);
        return new Ran(ran.exit(), ran.output(), ran.errors());
    }

    @Override
    public void pack(ClusterRecord child, ClusterRecord.User user, String path, OutputStream sink) throws IOException {
        head.pack(session(child), account(user), path, sink);
    }

    /** Without the way to the broker where that is not open: another head may hold it. */
    @Override
    public long commanded(ClusterRecord child, long number) throws IOException {
        ClientSession present = line(child).open;
        if (present != null && present.isOpen()) {
            return head.commanded(present, number);
        }
        ClientSession session = sessions.open(target(child));
        try {
            return head.commanded(session, number);
        } finally {
            session.close(true);
        }
    }

    @Override
    public String log(ClusterRecord child) {
        try {
            return head.log(session(child));
        } catch (IOException unreadable) {
            return "";
        }
    }

    @Override
    public void close(String id) {
        Line line = lines.remove(id);
        if (line != null) {
            line.close();
        }
    }

    @Override
    public void close() {
        List.copyOf(lines.keySet()).forEach(this::close);
    }

    @Override
    public void forget(String id) throws IOException {
        parts.forget(id);
        authority.hostKeys().forget(node(id));
        authority.forgetCluster(id);
    }

    private static DirectorTarget target(ClusterRecord child) {
        var machine = child.head();
        return new DirectorTarget(
                child.spec().site(),
                node(child.id()),
                Objects.requireNonNullElse(machine.instance(), ""),
                machine.address(),
                machine.sshPort(),
                machine.inside());
    }

    /** Instances of a local-cloud share 127.0.0.1, and have loopback addresses of their own. */
    static String bind(String inside) {
        return InetAddress.ofLiteral(inside).isLoopbackAddress() ? inside : "127.0.0.1";
    }

    private ClientSession session(ClusterRecord child) throws IOException {
        return line(child).session(child);
    }

    private Line line(ClusterRecord child) {
        return lines.computeIfAbsent(child.id(), id -> new Line());
    }

    /** A session, made when it is first needed and again after a break. */
    private final class Line {
        private final ReentrantLock lock = new ReentrantLock();
        private volatile @Nullable ClientSession open;
        private volatile boolean closed;
        /** The terms that the child's head has said it keeps to. */
        private volatile @Nullable ClusterTerms told;

        ClientSession session(ClusterRecord child) throws IOException {
            lock.lock();
            try {
                ClientSession present = open;
                if (present != null && present.isOpen()) {
                    return present;
                }
                if (closed) {
                    throw new IOException("the cluster is being stopped or removed");
                }
                ClientSession made = sessions.open(target(child));
                try {
                    made.startRemotePortForwarding(
                            new SshdSocketAddress(bind(child.head().inside()), BROKER_PORT),
                            new SshdSocketAddress("127.0.0.1", brokerPort.getAsInt()));
                } catch (IOException | RuntimeException refused) {
                    made.close(true);
                    throw new IOException("the way to the broker was refused: " + refused.getMessage(), refused);
                }
                LOG.info("the way to the head of {} is open", child.id());
                open = made;
                return made;
            } finally {
                lock.unlock();
            }
        }

        void close() {
            closed = true;
            ClientSession present = open;
            if (present != null) {
                present.close(true);
            }
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while a machine boots", e);
        }
    }
}
