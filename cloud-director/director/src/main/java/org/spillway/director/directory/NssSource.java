package org.spillway.director.directory;

import com.unboundid.ldap.sdk.Entry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.spillway.director.wire.SiteAccounts.Account;
import org.spillway.director.wire.SiteAccounts.Group;

/**
 * The users and groups that the name service of this machine enumerates ({@code getent}): the source of a site without
 * LDAP. Read again when /etc/passwd or /etc/group changes, which is looked at once a second, and every minute for what
 * does not stand in these files.
 */
public final class NssSource implements DirectorySource {
    private static final Logger LOG = LoggerFactory.getLogger(NssSource.class);
    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final Duration REREAD = Duration.ofSeconds(60);
    private static final Duration GETENT_PATIENCE = Duration.ofSeconds(30);
    private static final int MOST_KEYS = 200;
    private static final int MOST_OUTPUT_BYTES = 64 << 20;

    private final long minUid;
    private final String ownUser;
    private final Database database;
    private final NssDemand demand = new NssDemand();
    private final Doubt doubt = new Doubt();
    private final ReentrantLock reading = new ReentrantLock();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition closing = lock.newCondition();
    private @Nullable Thread thread;
    private boolean closed;
    private volatile String trouble = UNREAD;
    private volatile boolean failed;

    /** The name service that is read. Another one than this machine's is for tests. */
    interface Database {
        /** @param name passwd or group */
        List<String> lines(String name) throws IOException, InterruptedException;

        /**
         * @return null when the name service does not know the user
         * @throws IOException when it cannot be asked, which must not look the same
         */
        @Nullable
        String user(String name) throws IOException, InterruptedException;

        /** Lines of those of these users that the name service knows. */
        default List<String> users(List<String> names) throws IOException, InterruptedException {
            return List.of();
        }

        /** Lines of all groups of these users, who are members in them. */
        default List<String> groups(List<String> names) throws IOException, InterruptedException {
            return List.of();
        }

        /** Changes when the files behind it change. */
        String stamp() throws IOException;
    }

    /**
     * @param minUid smallest uid and gid of an ordinary account, 1000 on most systems
     * @param ownUser the user that the head runs as, which is taken whatever its uid
     */
    public NssSource(long minUid, String ownUser) {
        this(minUid, ownUser, new Getent());
    }

    NssSource(long minUid, String ownUser, Database database) {
        this.minUid = minUid;
        this.ownUser = ownUser;
        this.database = database;
    }

    /**
     * A user with all groups, as the name service of this machine has them now; empty for one whom it does not know.
     *
     * @throws IOException when it fails, or says what is none
     */
    public static Optional<Account> account(String login) throws IOException, InterruptedException {
        return account(login, new Getent());
    }

    static Optional<Account> account(String login, Database database) throws IOException, InterruptedException {
        for (String line : PosixUser.isLogin(login) ? database.users(List.of(login)) : List.<String>of()) {
            String[] field = line.split(":", -1);
            if (field.length == 7 && field[0].equals(login)) {
                List<Group> groups = new ArrayList<>();
                for (String group : database.groups(List.of(login))) {
                    String[] its = group.split(":", -1);
                    groups.add(new Group(NssAccounts.id(its[2]), its[0]));
                }
                long gid = NssAccounts.id(field[3]);
                if (groups.stream().noneMatch(group -> group.gid() == gid)) {
                    groups.add(new Group(gid, ""));
                }
                return Optional.of(new Account(NssAccounts.id(field[2]), gid, groups));
            }
        }
        return Optional.empty();
    }

    @Override
    public void start(DirectoryStore store) {
        lock.lock();
        try {
            if (thread != null || closed) {
                throw new IllegalStateException("this source was started already");
            }
            demand.remember(store.names().users());
            thread = Thread.ofVirtual().name("directory-nss").start(() -> run(store));
        } finally {
            lock.unlock();
        }
    }

    private void run(DirectoryStore store) {
        NssAccounts accounts = new NssAccounts(store.base(), minUid, ownUser);
        String stamp = "";
        long readNanos = 0;
        try {
            do {
                try {
                    String now = database.stamp();
                    if (!now.equals(stamp) || System.nanoTime() - readNanos > REREAD.toNanos()) {
                        read(store, accounts, now);
                        stamp = now;
                        readNanos = System.nanoTime();
                        trouble = "";
                    }
                } catch (IOException | RuntimeException e) {
                    // The last content stays: a name service that fails must not look like one without users.
                    if (!String.valueOf(e.getMessage()).equals(trouble)) {
                        LOG.warn("users and groups cannot be read: {}", e.getMessage());
                    }
                    trouble = String.valueOf(e.getMessage());
                    failed = true;
                }
            } while (!pause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void read(DirectoryStore store, NssAccounts accounts, String stamp)
            throws IOException, InterruptedException {
        reading.lockInterruptibly();
        try {
            readAlone(store, accounts, stamp);
        } finally {
            reading.unlock();
        }
    }

    private void readAlone(DirectoryStore store, NssAccounts accounts, String stamp)
            throws IOException, InterruptedException {
        List<String> users = new ArrayList<>(database.lines("passwd"));
        String own = database.user(ownUser);
        if (own != null) {
            users.add(own);
        }
        List<String> groups = demand.add(users, database.lines("group"), database);
        List<Entry> entries = accounts.entries(users, groups);
        if (users.isEmpty()) {
            throw new IOException("there are no users at all");
        }
        doubt(store, entries);
        if (!database.stamp().equals(stamp)) {
            throw new IOException("users and groups have changed while they were read");
        }
        store.replaceAll(entries);
        store.markComplete();
    }

    private void doubt(DirectoryStore store, List<Entry> entries) throws IOException {
        Names known = store.names();
        Names listed = Names.of(entries.stream());
        Optional<String> why =
                doubt.about(known.ofUsers(listed.users()), known.ofGroups(listed.groups()), "", System.nanoTime());
        if (why.isPresent()) {
            throw new IOException("the name service " + why.get());
        }
    }

    /** A name service that enumerates nobody, as sssd's does not by default, is asked for one by name. */
    @Override
    public void lookUp(DirectoryStore store, String login) {
        if (!PosixUser.isLogin(login) || !demand.mayAsk(login, System.nanoTime())) {
            return;
        }
        try {
            if (database.users(List.of(login)).isEmpty()) {
                return;
            }
            demand.remember(List.of(login));
            read(store, new NssAccounts(store.base(), minUid, ownUser), database.stamp());
        } catch (IOException e) {
            LOG.warn("user {} cannot be looked up: {}", login, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** @return whether this source has been closed */
    private boolean pause() throws InterruptedException {
        lock.lock();
        try {
            long nanos = LOOK.toNanos();
            while (!closed && nanos > 0) {
                nanos = closing.awaitNanos(nanos);
            }
            return closed;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String trouble() {
        return trouble;
    }

    @Override
    public boolean hasFailed() {
        return failed;
    }

    @Override
    public void close() {
        Thread running;
        lock.lock();
        try {
            closed = true;
            running = thread;
            closing.signalAll();
        } finally {
            lock.unlock();
        }
        if (running != null) {
            running.interrupt();
        }
    }

    private static final class Getent implements Database {
        @Override
        public List<String> lines(String name) throws IOException, InterruptedException {
            Answer answer = getent(name);
            if (answer.status != 0) {
                throw new IOException("getent " + name + " ended with status " + answer.status);
            }
            return answer.lines;
        }

        @Override
        public @Nullable String user(String name) throws IOException, InterruptedException {
            List<String> lines = keyed("passwd", List.of(name));
            return lines.isEmpty() ? null : lines.getFirst();
        }

        @Override
        public List<String> users(List<String> names) throws IOException, InterruptedException {
            return keyed("passwd", names);
        }

        @Override
        public List<String> groups(List<String> names) throws IOException, InterruptedException {
            Map<String, Set<String>> members = new TreeMap<>();
            for (String line : keyed("initgroups", names)) {
                List<String> words = List.of(line.strip().split(" +", -1));
                words.stream()
                        .skip(1)
                        .forEach(gid -> members.computeIfAbsent(gid, any -> new TreeSet<>())
                                .add(words.getFirst()));
            }
            for (String line : keyed("passwd", names)) {
                String[] field = line.split(":", -1);
                if (field.length == 7) {
                    members.computeIfAbsent(field[3], any -> new TreeSet<>());
                }
            }
            return NssDemand.withMembers(keyed("group", List.copyOf(members.keySet())), members);
        }

        /** Status 2 says that some are not there, which is no failure. */
        private static List<String> keyed(String name, List<String> keys) throws IOException, InterruptedException {
            List<String> all = new ArrayList<>();
            for (int from = 0; from < keys.size(); from += MOST_KEYS) {
                List<String> arguments = new ArrayList<>(List.of(name, "--"));
                arguments.addAll(keys.subList(from, Math.min(keys.size(), from + MOST_KEYS)));
                Answer answer = getent(arguments.toArray(String[]::new));
                if (answer.status != 0 && answer.status != 2) {
                    throw new IOException("getent " + name + " ended with status " + answer.status);
                }
                all.addAll(answer.lines);
            }
            return all;
        }

        @Override
        public String stamp() throws IOException {
            return Files.getLastModifiedTime(Path.of("/etc/passwd")) + " "
                    + Files.getLastModifiedTime(Path.of("/etc/group"));
        }

        private record Answer(int status, List<String> lines) {}

        private static Answer getent(String... arguments) throws IOException, InterruptedException {
            List<String> command = new ArrayList<>(List.of("getent"));
            command.addAll(List.of(arguments));
            Process process = new ProcessBuilder(command)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            // The watch ends a getent that hangs, which the blocking read below would wait for.
            Thread watch = Thread.startVirtualThread(() -> endAfter(process));
            try (InputStream out = process.getInputStream()) {
                byte[] text = out.readNBytes(MOST_OUTPUT_BYTES + 1);
                if (text.length > MOST_OUTPUT_BYTES) {
                    throw new IOException("getent answers with more than " + MOST_OUTPUT_BYTES + " bytes");
                }
                int status = process.waitFor();
                return new Answer(
                        status, new String(text, StandardCharsets.UTF_8).lines().toList());
            } finally {
                process.destroyForcibly();
                watch.interrupt();
            }
        }

        private static void endAfter(Process process) {
            try {
                if (!process.waitFor(GETENT_PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
