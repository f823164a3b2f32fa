package org.spillway.head.bootstrap;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.sshd.client.session.ClientSession;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.head.trust.SiteAuthority;
import org.spillway.head.trust.SshIdentity;

/**
 * Makes a head of a machine, over SSH sessions that others open: the head's own software and configuration, started and
 * asked. The machine must have a Java 25 or later, {@code sha256sum}, {@code setsid}, {@code setpriv}, {@code tar} and
 * {@code curl}. Each step may be repeated.
 */
public final class RemoteHead {
    private static final String FOLDER = "spillway-head";
    /** By far the most of what providers' own drivers need: a child buys through its parent, and loads none of it. */
    private static final Pattern OF_PROVIDERS = Pattern.compile(
            "(ec2|pricing|azure-.*|msal4j.*|reactor-core|jna.*|openstack4j.*|okhttp|guava)-[0-9].*\\.jar");

    private static final Logger LOG = LoggerFactory.getLogger(RemoteHead.class);
    private static final Duration COMMAND_LIMIT = Duration.ofSeconds(30);
    private static final Duration IMAGE_LIMIT = Duration.ofMinutes(10);
    private static final Duration PACK_LIMIT = Duration.ofHours(1);
    private static final int MOST_ANSWER_BYTES = 8 << 20;
    private static final int MOST_SAID = 64 << 10;
    private static final long POLL_MILLIS = 100;

    private final String javaHome;
    private final String script = SshDirectorInstaller.resource("head.sh");
    private final String directorScript = SshDirectorInstaller.resource("director.sh");

    /** @param javaHome looked at first on the machine; empty for none */
    public RemoteHead(String javaHome) {
        this.javaHome = javaHome;
    }

    /**
     * Who asks, on the machine.
     *
     * @param uid -1 for the account that the head runs as
     */
    public record Account(int uid, int gid, List<Integer> groups) {
        /** The account that the head runs as. */
        public static final Account OWN = new Account(-1, -1, List.of());

        public Account {
            groups = List.copyOf(groups);
        }
    }

    /**
     * Sends what is missing or different; what is the same stays.
     *
     * @param beginning the state that a head begins with that has none yet
     */
    public void install(ClientSession session, HeadPlan plan, Optional<Path> beginning) throws IOException {
        var shell = new RemoteShell(session);
        java(shell);
        if (plan.manager().isPresent()) {
            // Before anything is uploaded: the program travels by itself.
            var can = shell.run("sh -s", plan.manager().get() + "\nmanager_can\n", COMMAND_LIMIT);
            if (!can.succeeded()) {
                throw failed("manager-can", can);
            }
        }
        List<String> ofDirector = jars(plan.directorDistribution());
        var files = new RemoteFiles(FOLDER, true)
                .jars(plan.distribution(), jar -> ofDirector.contains(jar) || isNeeded(jar))
                .text("head.sh", script)
                .text("director.jars", String.join("\n", ofDirector) + "\n");
        plan.texts().forEach(files::text);
        String before = required(shell, "digests");
        List<String> differing = files.differing(before);
        List<String> surplus = files.surplus(before);
        if (!differing.isEmpty() || !surplus.isEmpty()) {
            files.upload(session, differing, surplus);
            required(shell, "publish");
            List<String> wrong = files.differing(required(shell, "digests"));
            if (!wrong.isEmpty()) {
                throw new IOException("the machine did not keep what was uploaded: " + wrong);
            }
            LOG.info("uploaded {} files to a head", differing.size());
        }
        if (!run(shell, "has-image").succeeded()) {
            Path tree = plan.image()
                    .orElseThrow(() -> new StepFailed("its image is not in the configuration of its parent any more"));
            try {
                send(shell, "image", tree);
            } catch (IOException e) {
                required(shell, "drop-image");
                throw e;
            }
        }
        if (beginning.isPresent() && !run(shell, "has-state").succeeded()) {
            send(shell, "begin", beginning.get());
        }
        SshIdentity identity = SiteAuthority.newSshIdentity("spillway-head");
        own(shell, "identity", stream(identity.publicLine() + "\n" + identity.privateKey()), MOST_SAID, COMMAND_LIMIT);
    }

    /** Sends what of its configuration is different, for the next time that it is started; its software stays. */
    public void configure(ClientSession session, HeadPlan plan) throws IOException {
        var shell = new RemoteShell(session);
        var files = new RemoteFiles(FOLDER, true);
        plan.texts().forEach(files::text);
        List<String> differing = files.differing(required(shell, "digests"));
        if (!differing.isEmpty()) {
            files.upload(session, differing, List.of());
            required(shell, "publish");
        }
    }

    /** @param number of the head that speaks; 0 to ask only. @return the highest that has spoken; 0 for none */
    public long commanded(ClientSession session, long number) throws IOException {
        String said = required(new RemoteShell(session), "commanded " + number).strip();
        if (!said.matches("[0-9]{1,18}")) {
            throw new IOException("the machine does not say who commands it");
        }
        return Long.parseLong(said);
    }

    /** Whether its process lives. */
    public boolean runs(ClientSession session) throws IOException {
        return !required(new RemoteShell(session), "state").strip().equals("ended");
    }

    /** Ends the daemons of a workload manager beside it, in order; nothing when there is none. */
    public void endManager(ClientSession session) throws IOException {
        required(new RemoteShell(session), "manager-end");
    }

    /** Starts it unless it runs, and returns when it answers. @throws IOException with the end of its log */
    public void start(ClientSession session, Duration limit) throws IOException {
        var shell = new RemoteShell(session);
        var started = shell.run("sh -s -- start " + java(shell), script, COMMAND_LIMIT);
        if (!started.succeeded()) {
            throw failed("start", started);
        }
        long deadline = System.nanoTime() + limit.toNanos();
        while (true) {
            String state = required(shell, "state").strip();
            if (state.equals("up")) {
                return;
            }
            boolean failed = state.equals("failed");
            if (failed || state.equals("ended") || System.nanoTime() - deadline > 0) {
                String what = (failed ? "the child's workload manager " : "the child's head ")
                        + (failed
                                ? "did not come up"
                                : state.equals("ended") ? "ended as soon as it was started" : "is not up in time")
                        + "; the end of its log:\n" + log(session);
                // A head that lives may stand still only.
                throw state.equals("starting") ? new IOException(what) : new StepFailed(what);
            }
            pause();
        }
    }

    /** The end of its log, as text that steers no terminal. */
    public String log(ClientSession session) throws IOException {
        return required(new RemoteShell(session), "log").replaceAll("[^\\x20-\\x7e\\n]", " ");
    }

    /**
     * Asks its REST over its socket, as an account that its kernel then names.
     *
     * @param method GET or POST
     * @param path below the API's base
     * @param key for idempotency; empty for none
     * @return the body, and behind its last line end the status
     */
    public String ask(ClientSession session, Account account, String method, String path, String key, byte[] body)
            throws IOException {
        String who = who(account);
        for (String line : List.of(method, path, key)) {
            if (line.contains("\n")) {
                throw new IllegalArgumentException("a line end in a question");
            }
        }
        InputStream input = new SequenceInputStream(
                stream(method + "\n" + path + "\n" + key + "\n"), new ByteArrayInputStream(body));
        return own(new RemoteShell(session), "ask " + who, input, MOST_ANSWER_BYTES, COMMAND_LIMIT)
                .output();
    }

    /** A stream each way to the head there as that account, for the caller to speak HTTP and to close. */
    public RemoteStream line(ClientSession session, Account account) throws IOException {
        return RemoteStream.open(session, "sh " + FOLDER + "/head.sh line " + who(account), COMMAND_LIMIT);
    }

    /** A command line holds numbers only. */
    private static String who(Account account) {
        return account.uid() < 0
                ? "$(id -u) 0 0"
                : account.uid() + " " + account.gid() + " "
                        + (account.groups().isEmpty()
                                ? Integer.toString(account.gid())
                                : account.groups().stream().map(String::valueOf).collect(Collectors.joining(",")));
    }

    /**
     * Writes a file or a folder there as a tar, as that account sees it.
     *
     * @param path absolute, in one line
     * @throws IOException if it is not whole
     */
    public void pack(ClientSession session, Account account, String path, OutputStream sink) throws IOException {
        if (path.contains("\n")) {
            throw new IllegalArgumentException("a line end in a path");
        }
        var ended = new RemoteShell(session)
                .stream("sh " + FOLDER + "/head.sh pack " + who(account), stream(path + "\n"), sink, PACK_LIMIT);
        if (!ended.succeeded()) {
            throw failed("pack", ended);
        }
    }

    /**
     * How a command on the machine ended.
     *
     * @param exit 124 when it was ended for taking too long
     */
    public record Ran(int exit, String output, String errors) {}

    /**
     * Runs one command there as an account, in its home where that is there, with nothing of the head's.
     *
     * @param home and name that it gets to know
     * @throws IOException if it says more than some hundred KB, or the session breaks
     */
    public Ran run(
            ClientSession session, Account account, String name, String home, List<String> command, Duration limit)
            throws IOException {
        List<String> words = new ArrayList<>(List.of(name, home));
        words.addAll(command);
        for (String word : words) {
            if (word.contains("\n")) {
                throw new IllegalArgumentException("a line end in a command");
            }
        }
        var result = new RemoteShell(session)
                .run(
                        "sh " + FOLDER + "/head.sh run " + limit.toSeconds() + " " + who(account),
                        stream(String.join("\n", words) + "\n"),
                        MOST_SAID,
                        limit.plus(COMMAND_LIMIT));
        return new Ran(result.exit(), result.output(), result.errors());
    }

    private String java(RemoteShell shell) throws IOException {
        var found = shell.run("sh -s -- java " + javaHome, directorScript, COMMAND_LIMIT);
        String path = found.output().strip();
        if (!found.succeeded()) {
            throw new StepFailed("the machine has no Java 25: choose an image that has one");
        }
        if (!path.matches("/[A-Za-z0-9/._+-]+")) {
            throw new StepFailed("the machine named no usable path for its Java");
        }
        return path;
    }

    static boolean isNeeded(String jar) {
        return !OF_PROVIDERS.matcher(jar).matches();
    }

    private static List<String> jars(Path folder) throws IOException {
        var names = new ArrayList<String>();
        try (var jars = Files.newDirectoryStream(folder, "*.jar")) {
            jars.forEach(jar -> names.add(jar.getFileName().toString()));
        }
        names.sort(null);
        return names;
    }

    /** As a tar on the step's standard input. */
    private void send(RemoteShell shell, String step, Path tree) throws IOException {
        Process tar = new ProcessBuilder("tar", "-C", tree.toString(), "-cf", "-", ".")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            tar.getOutputStream().close();
            own(shell, step, tar.getInputStream(), MOST_SAID, IMAGE_LIMIT);
            if (!tar.waitFor(COMMAND_LIMIT.toSeconds(), TimeUnit.SECONDS) || tar.exitValue() != 0) {
                throw new IOException("the tree " + tree + " could not be packed");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while sending " + tree, e);
        } finally {
            tar.destroyForcibly();
        }
    }

    /** By the copy on the machine, since standard input is for something else. */
    private static RemoteShell.Result own(
            RemoteShell shell, String command, InputStream input, int mostBytes, Duration limit) throws IOException {
        var result = shell.run("sh " + FOLDER + "/head.sh " + command, input, mostBytes, limit);
        if (!result.succeeded()) {
            throw failed(command.split(" ", 2)[0], result);
        }
        return result;
    }

    private RemoteShell.Result run(RemoteShell shell, String command) throws IOException {
        return shell.run("sh -s -- " + command, script, COMMAND_LIMIT);
    }

    private String required(RemoteShell shell, String command) throws IOException {
        var result = run(shell, command);
        if (!result.succeeded()) {
            throw failed(command, result);
        }
        return result.output();
    }

    private static IOException failed(String step, RemoteShell.Result result) {
        String what = "the step '" + step + "' on the machine failed with " + result.exit() + ": "
                + result.errors().replaceAll("[^\\x20-\\x7e]", " ").strip();
        return result.exit() == RemoteShell.NO_EXIT_CODE ? new IOException(what) : new StepFailed(what);
    }

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while starting a head", e);
        }
    }
}
