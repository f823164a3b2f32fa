package org.spillway.director.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class NssSourceTest {
    private static final List<String> PASSWD = List.of(
            "root:x:0:0:root:/root:/bin/bash",
            "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin",
            "alice:x:1001:1001:Alice,,,:/home/alice:/bin/bash",
            "bob:x:1002:100:Bob:/home/bob:",
            "this is no line",
            "eve:x:-1:0::/:/bin/sh",
            "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin");
    private static final List<String> GROUP = List.of(
            "root:x:0:",
            "sudo:x:27:alice",
            "docker:x:998:alice",
            "users:x:100:",
            "alice:x:1001:",
            "gpu:x:2000:alice,daemon,bob",
            "nogroup:x:65534:");

    private final DirectoryStore store = new DirectoryStore(People.BASE);

    /** A name service that the test writes. */
    private static final class Written implements NssSource.Database {
        private volatile List<String> passwd = PASSWD;
        private final AtomicInteger version = new AtomicInteger();
        private volatile boolean broken;

        @Override
        public List<String> lines(String name) throws IOException {
            if (broken) {
                throw new IOException("getent ended with status 3");
            }
            return name.equals("passwd") ? passwd : GROUP;
        }

        @Override
        public @Nullable String user(String name) {
            return PASSWD.stream()
                    .filter(line -> line.startsWith(name + ":"))
                    .findFirst()
                    .orElse(null);
        }

        @Override
        public String stamp() {
            return version.toString();
        }
    }

    @Test
    void ordinaryAccountsAndTheHeadsOwnAreTakenAndSystemOnesAreNot() {
        NssAccounts accounts = new NssAccounts(store.base(), 1000, "root");
        store.replaceAll(accounts.entries(PASSWD, GROUP));

        assertThat(store.user("alice"))
                .contains(new PosixUser("alice", 1001, 1001, "Alice,,,", "/home/alice", "/bin/bash"));
        assertThat(store.user("bob")).map(PosixUser::loginShell).contains("");
        assertThat(store.user("root")).map(PosixUser::uidNumber).contains(0L);
        assertThat(List.of("daemon", "nobody", "eve"))
                .allSatisfy(name -> assertThat(store.user(name)).isEmpty());
        assertThat(store.groupsOf("alice")).extracting(PosixGroup::name).containsExactlyInAnyOrder("alice", "gpu");
        assertThat(store.groupsOf("bob"))
                .extracting(PosixGroup::name)
                .as("a system group that is somebody's primary one")
                .containsExactlyInAnyOrder("users", "gpu");
        assertThat(store.groupsOf("bob"))
                .filteredOn(group -> group.name().equals("gpu"))
                .allSatisfy(group -> assertThat(group.members()).containsExactlyInAnyOrder("alice", "bob"));
    }

    /** I5: sssd enumerates nobody unless it is told to, and so nobody could work. */
    @Test
    void whoIsNotEnumeratedIsLookedUpByNameAndOnlyWhoHasJobs() throws Exception {
        var asked = new java.util.ArrayList<String>();
        var silent = new NssSource.Database() {
            @Override
            public List<String> lines(String name) {
                return name.equals("passwd") ? PASSWD.subList(0, 2) : GROUP.subList(0, 2);
            }

            @Override
            public @Nullable String user(String name) {
                return name.equals("root") ? PASSWD.getFirst() : null;
            }

            @Override
            public List<String> users(List<String> names) {
                asked.addAll(names);
                return PASSWD.stream()
                        .filter(line -> names.contains(line.substring(0, Math.max(0, line.indexOf(':')))))
                        .toList();
            }

            @Override
            public List<String> groups(List<String> names) {
                return NssDemand.withMembers(
                        List.of("users:x:100:", "gpu:x:2000:"),
                        java.util.Map.of("100", java.util.Set.of("bob"), "2000", java.util.Set.of("bob")));
            }

            @Override
            public String stamp() {
                return "1";
            }
        };
        try (var source = new NssSource(1000, "root", silent)) {
            source.start(store);
            assertThat(store.await(DirectoryStore::complete, People.PATIENCE)).isTrue();
            assertThat(store.user("bob")).isEmpty();
            assertThat(asked).isEmpty();
            source.lookUp(store, "bob");
            assertThat(store.user("bob")).map(PosixUser::uidNumber).contains(1002L);
            assertThat(store.groupsOf("bob")).extracting(PosixGroup::name).containsExactlyInAnyOrder("users", "gpu");
            source.lookUp(store, "mallory");
            source.lookUp(store, "mallory");
            assertThat(asked.stream().filter("mallory"::equals).count())
                    .as("one who is unknown is asked for once in a while")
                    .isEqualTo(1);
            assertThat(asked).doesNotContain("alice");
            assertThat(store.users()).isEqualTo(2);
        }
    }

    @Test
    void aNameThatNeedsEscapingIsOneName() {
        NssAccounts accounts = new NssAccounts(store.base(), 1000, "root");
        store.replaceAll(accounts.entries(List.of("a,b+c=\"d:x:1005:1005::/home/x:/bin/sh"), List.of()));

        assertThat(store.user("a,b+c=\"d")).isPresent();
    }

    @Test
    void changesAreSeenAndAFailureRemovesNobody() throws Exception {
        Written names = new Written();
        try (NssSource source = new NssSource(1000, "root", names)) {
            source.start(store);
            assertThat(store.await(DirectoryStore::complete, People.PATIENCE)).isTrue();
            assertThat(store.user("bob")).isPresent();

            names.broken = true;
            names.version.incrementAndGet();
            assertThat(People.eventually(() -> source.trouble().contains("status 3")))
                    .isTrue();
            assertThat(store.user("bob")).isPresent();

            names.passwd =
                    PASSWD.stream().filter(line -> !line.startsWith("bob:")).toList();
            names.broken = false;
            names.version.incrementAndGet();
            assertThat(store.await(here -> here.user("bob").isEmpty(), People.PATIENCE))
                    .isTrue();
            assertThat(store.user("alice")).isPresent();
        }
    }

    /** Half a result set: sssd that starts anew lists nobody until its first enumeration is done. */
    @Test
    void aListThatLosesManyAtOnceIsDoubtedAndNobodyIsGone() throws Exception {
        Written names = new Written();
        var many = new java.util.ArrayList<>(PASSWD);
        for (int n = 0; n < 20; n++) {
            many.add("m" + n + ":x:" + (3000 + n) + ":100::/home/m" + n + ":/bin/sh");
        }
        names.passwd = List.copyOf(many);
        try (NssSource source = new NssSource(1000, "root", names)) {
            source.start(store);
            assertThat(store.await(DirectoryStore::complete, People.PATIENCE)).isTrue();
            names.passwd = PASSWD;
            names.version.incrementAndGet();
            assertThat(People.eventually(() -> source.trouble().contains("lacks 20 of")))
                    .isTrue();
            assertThat(store.user("m7")).isPresent();
            names.passwd = many.subList(0, many.size() - 2);
            assertThat(store.await(here -> here.user("m19").isEmpty(), People.PATIENCE))
                    .as("a few may go")
                    .isTrue();
            assertThat(store.user("m7")).isPresent();
            assertThat(People.eventually(() -> source.trouble().isEmpty())).isTrue();
        }
    }

    @Test
    void thisMachinesOwnUserIsFound() throws Exception {
        String self = System.getProperty("user.name");
        try (NssSource source = new NssSource(1000, self)) {
            source.start(store);
            assertThat(store.await(DirectoryStore::complete, People.PATIENCE))
                    .as(source.trouble())
                    .isTrue();
            assertThat(store.user(self)).isPresent();
        }
    }
}
