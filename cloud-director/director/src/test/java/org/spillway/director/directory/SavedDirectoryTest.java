package org.spillway.director.directory;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** I6: with LDAP away a head that started anew knew nobody. */
final class SavedDirectoryTest {
    private static final Instant NOW = Instant.parse("2026-11-24T00:00:00Z");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    private DirectoryStore filled() {
        var store = new DirectoryStore(People.BASE);
        People.put(store, "alice", 1001);
        People.put(store, "zoë", 1002);
        People.putGroup(store, "gpu", 2000, "alice");
        store.markComplete();
        return store;
    }

    @Test
    void aHeadThatStartsWhileTheDirectoryIsAwayKnowsWhomItKnew() throws Exception {
        Path file = folder.resolve("directory.saved");
        var saved = SavedDirectory.in(file, "the source");
        var trouble = new AtomicReference<>("");
        var before = new DirectoryKeeper(filled(), saved, trouble::get);
        before.look(NOW);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        before.look(NOW.plusSeconds(90));
        trouble.set("connect error");
        before.look(NOW.plusSeconds(100));
        assertThat(before.away()).contains(NOW.plusSeconds(90));

        int nobody;
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = socket.getLocalPort();
        }
        var away = new LdapSource(new LdapEndpoint(
                "127.0.0.1", nobody, LdapEndpoint.Security.PLAIN, Optional.empty(), "dc=lab", "", () -> ""));
        try (var home = new HomeDirectory(People.BASE, away, site -> Optional.empty(), saved)) {
            assertThat(home.store().complete()).isTrue();
            assertThat(home.store().user("alice")).map(PosixUser::uidNumber).contains(1001L);
            assertThat(home.store().user("zoë")).isPresent();
            assertThat(home.store().groupsOf("alice"))
                    .extracting(PosixGroup::name)
                    .contains("gpu");
            assertThat(People.eventually(() -> home.away().isPresent())).isTrue();
            assertThat(home.away()).contains(NOW.plusSeconds(90));
            assertThat(home.refusal("newcomer"))
                    .hasValueSatisfying(text -> assertThat(text).contains("2026-11-24T00:01:30Z"));
        }
    }

    @Test
    void whatWasTornOrIsOfAnotherSourceIsNoContent() throws Exception {
        Path file = folder.resolve("directory.saved");
        SavedDirectory.in(file, "the source").save(filled(), NOW);
        assertThat(SavedDirectory.in(file, "the source").at()).contains(NOW);
        assertThat(SavedDirectory.in(file, "another").load(new DirectoryStore(People.BASE)))
                .isFalse();
        String text = Files.readString(file);
        for (int length = 0; length < text.length() - 1; length += 7) {
            Files.writeString(file, text.substring(0, length));
            var store = new DirectoryStore(People.BASE);
            assertThat(SavedDirectory.in(file, "the source").load(store))
                    .as("%d bytes", length)
                    .isFalse();
            assertThat(store.complete()).isFalse();
        }
        assertThat(People.UNSAVED.load(new DirectoryStore(People.BASE))).isFalse();
    }

    @Test
    void aCopyIsMadeOnceAMinuteAndSaysThatItIsThereAgain() throws Exception {
        Path file = folder.resolve("directory.saved");
        var store = filled();
        var trouble = new AtomicReference<>("away");
        var keeper = new DirectoryKeeper(store, SavedDirectory.in(file, "s"), trouble::get);
        keeper.look(NOW);
        assertThat(keeper.away()).contains(NOW);
        assertThat(file).doesNotExist();
        trouble.set("");
        keeper.look(NOW.plusSeconds(1));
        assertThat(keeper.away()).isEmpty();
        long size = Files.size(file);
        People.put(store, "bob", 1003);
        keeper.look(NOW.plusSeconds(30));
        assertThat(Files.size(file)).isEqualTo(size);
        keeper.look(NOW.plus(Duration.ofSeconds(62)));
        assertThat(Files.size(file)).isGreaterThan(size);
    }
}
