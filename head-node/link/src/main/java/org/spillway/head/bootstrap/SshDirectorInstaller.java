package org.spillway.head.bootstrap;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.apache.sshd.client.session.ClientSession;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.link.DirectorSessions;
import org.spillway.head.link.DirectorTarget;
import org.spillway.head.link.HostKeyRefused;
import org.spillway.head.link.LinkDownException;
import org.spillway.head.link.SshDirectorLink;
import org.spillway.head.trust.SiteAuthority;

/**
 * Installs over SSH what a stock Linux needs to become a director. An instance without a Java of version 25 or later gets
 * the head's; it must have {@code sha256sum}, {@code setsid}, {@code tar} and {@code gzip}.
 */
public final class SshDirectorInstaller implements DirectorInstaller {
    private static final Logger LOG = LoggerFactory.getLogger(SshDirectorInstaller.class);
    private static final Duration COMMAND_LIMIT = Duration.ofSeconds(30);
    private static final long POLL_MILLIS = 200;
    private static final int MAX_LOG_CHARACTERS = 4000;

    private final SiteAuthority authority;
    private final DirectorSessions sessions;
    private final SshDirectorLink link;
    private final DirectorSettings settings;
    private final HostKeyRotation rotation;
    private final String script;
    private final JavaDelivery delivery;

    public SshDirectorInstaller(
            SiteAuthority authority, DirectorSessions sessions, SshDirectorLink link, DirectorSettings settings) {
        this.authority = authority;
        this.sessions = sessions;
        this.link = link;
        this.settings = settings;
        this.rotation = new HostKeyRotation(authority.hostKeys());
        this.script = resource("director.sh");
        this.delivery = new JavaDelivery(new HeadJava(settings.headJava(), settings.javaCache()), script);
    }

    /**
     * The caller sees to it that each site has one installation at a time; a second one would do the same work again.
     */
    @Override
    public void install(DirectorTarget director) throws IOException {
        ClientSession session = waitForSsh(director);
        try {
            if (rotation.rotate(director, new RemoteShell(session))) {
                session.close(true);
                // An sshd that begins anew does not listen for a moment.
                session = waitForSsh(director);
                rotation.check(director);
            }
            installOver(session, director);
        } finally {
            session.close(true);
        }
    }

    private void installOver(ClientSession session, DirectorTarget director) throws IOException {
        var shell = new RemoteShell(session);
        var java = run(shell, "java", settings.javaHome());
        String javaPath =
                java.succeeded() ? java.output().strip() : delivery.bring(session, shell, director.instance());
        if (!javaPath.matches("/[A-Za-z0-9/._+-]+")) {
            throw new IOException("the instance " + director.instance() + " named no usable path for its Java");
        }
        if (upload(session, shell, director)) {
            required(shell, "stop", "");
        }
        required(shell, "start", javaPath);
        waitUntilItAnswers(shell, director);
    }

    /** Whether anything had to be changed. */
    private boolean upload(ClientSession session, RemoteShell shell, DirectorTarget director) throws IOException {
        var files = DirectorFiles.of(settings, authority, director);
        String before = required(shell, "digests", "");
        List<String> differing = files.differing(before);
        List<String> surplus = files.surplus(before);
        if (differing.isEmpty() && surplus.isEmpty()) {
            return false;
        }
        files.upload(session, differing, surplus);
        required(shell, "publish", "");
        List<String> wrong = files.differing(required(shell, "digests", ""));
        if (!wrong.isEmpty()) {
            throw new IOException("the instance " + director.instance() + " did not keep what was uploaded: " + wrong);
        }
        LOG.info("uploaded {} files to the director {}", differing.size(), director.node());
        return true;
    }

    private void waitUntilItAnswers(RemoteShell shell, DirectorTarget director) throws IOException {
        long deadline = System.nanoTime() + settings.startWait().toNanos();
        LinkDownException last = null;
        while (System.nanoTime() - deadline < 0) {
            String state = required(shell, "state", "").strip();
            if (state.equals("ended")) {
                throw notStarted(shell, director, "ended as soon as it was started", last);
            }
            // A call before it listens would only wait for its time limit.
            if (state.equals("listening")) {
                try {
                    link.probe(director);
                    return;
                } catch (LinkDownException e) {
                    last = e;
                }
            }
            pause();
        }
        String limit = settings.startWait().toSeconds() + " s";
        throw notStarted(shell, director, "does not answer within " + limit, last);
    }

    private IOException notStarted(
            RemoteShell shell, DirectorTarget director, String what, @Nullable LinkDownException cause)
            throws IOException {
        String log = required(shell, "log", "").replaceAll("[^\\x20-\\x7e\\n]", " ");
        String tail = log.substring(Math.max(0, log.length() - MAX_LOG_CHARACTERS));
        return new IOException(
                "the director " + director.node() + " " + what + "; the end of its log:\n" + tail, cause);
    }

    /** A machine that boots may show its image's own key before cloud-init has replaced it. */
    private ClientSession waitForSsh(DirectorTarget director) throws IOException {
        long deadline = System.nanoTime() + settings.sshWait().toNanos();
        while (true) {
            try {
                return sessions.open(director);
            } catch (IOException e) {
                boolean impostor =
                        e instanceof HostKeyRefused && authority.hostKeys().isRotated(director.node());
                if (impostor) {
                    throw e;
                }
                if (System.nanoTime() - deadline > 0) {
                    throw new DirectorUnreachable(String.valueOf(e.getMessage()), e);
                }
            }
            pause();
        }
    }

    private RemoteShell.Result run(RemoteShell shell, String command, String argument) throws IOException {
        return shell.run("sh -s -- " + command + " " + argument, script, COMMAND_LIMIT);
    }

    private String required(RemoteShell shell, String command, String argument) throws IOException {
        var result = run(shell, command, argument);
        if (!result.succeeded()) {
            throw new IOException("the step '" + command + "' on the instance failed with " + result.exit() + ": "
                    + result.errors().replaceAll("[^\\x20-\\x7e]", " ").strip());
        }
        return result.output();
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while installing a director", e);
        }
    }

    static String resource(String name) {
        try (InputStream in = SshDirectorInstaller.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException(name + " is missing: this is not a complete build");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(name + " cannot be read", e);
        }
    }
}
