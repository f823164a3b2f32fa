package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.worker.UserFiles.Distant;
import org.spillway.stage.worker.UserFiles.Reach;
import org.spillway.stage.worker.UserFiles.Ticket;

/** A user's own keys and lists. */
final class DistantFilesTest {
    private static final Reach REACH = new Reach(List.of(), "", false, 1000);

    @TempDir
    Path home;

    private DistantFiles files;

    @BeforeEach
    void make() throws IOException {
        files = new DistantFiles(home, Identity.ownUid(), new WorkerFiles.Sink() {
            @Override
            public void data(byte[] bytes, int length) {}

            @Override
            public void working() {}
        });
    }

    private Path write(String name, String text, String mode) throws IOException {
        Path file = home.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
        return file;
    }

    private static Distant at(String origin) {
        return new Distant(origin, "name", -1, "");
    }

    @Test
    void aPasswordIsTheLoginsThatIsNamed() throws IOException {
        write(
                ".netrc",
                "machine h login me password first\nmacdef init\nmachine h login you password macro\n\n"
                        + "machine h\n  login you\n  password second\nmachine other login you password third\n",
                "rw-------");
        List<Ticket> tickets = files.tickets(List.of(at("https://you@h/f"), at("https://h/f"), at("https://me@h/f")));
        assertThat(tickets.getFirst().url()).isEqualTo("https://h/f");
        assertThat(tickets)
                .extracting(Ticket::authorization)
                .containsExactly(basic("you:second"), "", basic("me:first"));
        assertThat(tickets).extracting(Ticket::key).doesNotHaveDuplicates();
        assertThat(tickets.toString()).doesNotContain("Basic");
        assertThatThrownBy(() -> files.tickets(List.of(at("https://them@h/f"))))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("no password of login 'them' at machine h");
    }

    private static String basic(String text) {
        return "Basic " + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void keysThatOthersMayReadAreNotUsed() throws IOException {
        write(".netrc", "machine h login me password first\n", "rw-r-----");
        assertThatThrownBy(() -> files.tickets(List.of(at("https://me@h/f"))))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("chmod 600")
                .hasMessageNotContaining("first");
        write(".aws/credentials", "[default]\naws_access_key_id=A\naws_secret_access_key=S\n", "rw----r--");
        assertThatThrownBy(() -> files.tickets(List.of(at("s3://bucket/key"))))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("chmod 600");
    }

    @Test
    void aBucketsKeysStayHere() throws IOException {
        write(".aws/credentials", "[work]\naws_access_key_id=AKIA\naws_secret_access_key=SECRET\n", "rw-------");
        Ticket one = files.tickets(List.of(at("s3://work@bucket/a key"))).getFirst();
        assertThat(one.url())
                .startsWith("https://bucket.s3.us-east-1.amazonaws.com/a%20key?X-Amz-Algorithm=")
                .doesNotContain("SECRET");
        assertThat(one.authorization()).isEmpty();
        Ticket open = files.tickets(List.of(at("s3://bucket/a key"))).getFirst();
        assertThat(open.url()).isEqualTo("https://bucket.s3.us-east-1.amazonaws.com/a%20key");
        assertThat(open.key()).isEqualTo(one.key());
    }

    @Test
    void aListIsRead() throws IOException {
        Path list = write("list", "# mine\n\nhttps://h/a.bin\nhttps://h/b.bin?sig=hidden\tsub/b\n", "rw-------");
        assertThat(files.find("urls:" + list, REACH))
                .containsExactly(
                        new Distant("https://h/a.bin", "a.bin", -1, ""),
                        new Distant("https://h/b.bin?sig=hidden", "sub/b", -1, ""));
        Files.writeString(list, "https://h/a\nftp://h/hidden\n");
        assertThatThrownBy(() -> files.find("urls:" + list, REACH))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("line 2")
                .hasMessageNotContaining("hidden");
        Files.writeString(list, "# nothing\n");
        assertThatThrownBy(() -> files.find("urls:" + list, REACH)).hasMessageContaining("names no file");
        Files.writeString(list, "https://h/a\n".repeat(1001));
        assertThatThrownBy(() -> files.find("urls:" + list, REACH)).hasMessageContaining("more than 1000 files");
    }

    @Test
    void whoCannotBeAskedHasNoSize() throws IOException {
        // Nobody listens on port 1; and where somebody would, it is loopback.
        Reach asking = new Reach(List.of("127.0.0.0/8"), "", true, 10);
        assertThat(files.find("https://127.0.0.1:1/f.bin", asking))
                .containsExactly(new Distant("https://127.0.0.1:1/f.bin", "f.bin", -1, ""));
        assertThatThrownBy(() -> files.find("https://127.0.0.1:1/f.bin", new Reach(List.of(), "", true, 10)))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("inputs may not come from 127.0.0.1");
    }
}
