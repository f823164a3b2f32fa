package org.spillway.stage.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The layout that all backends on file systems share, seen from the disk itself. */
public abstract class OnDiskContract extends TransferContract {
    @TempDir
    protected Path scratch;

    /** The folder, on this machine, of {@link #transfer()}'s space. */
    protected Path root() {
        return scratch.resolve("space of staging");
    }

    private static String mode(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
    }

    private static ByteArrayInputStream hello() {
        return new ByteArrayInputStream("hello".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }

    @Test
    void growsBesideItsPlaceAndIsReadableByNobodyElse() throws Exception {
        Transfer transfer = transfer();
        transfer.send("job/in/x", 0, hello());
        assertThat(root().resolve("job/in/x.part")).hasContent("hello");
        assertThat(root().resolve("job/in/x")).doesNotExist();
        transfer.seal("job/in/x", checksum(hello().readAllBytes()));
        assertThat(root().resolve("job/in/x.part")).doesNotExist();
        assertThat(mode(root().resolve("job/in/x"))).isEqualTo("rw-------");
        assertThat(mode(root().resolve("job/in"))).isEqualTo("rwx------");
        assertThat(mode(root())).isEqualTo("rwx------");
    }

    @Test
    void noLinkIsFollowed() throws Exception {
        Transfer transfer = transfer();
        assertThat(transfer.received("a")).isZero();
        Path outside = Files.createDirectory(scratch.resolve("outside"));
        Path secret = Files.writeString(outside.resolve("secret"), "secret");
        Files.createDirectories(root());
        Files.createSymbolicLink(root().resolve("folder"), outside);
        Files.createSymbolicLink(root().resolve("file"), secret);
        Files.createSymbolicLink(root().resolve("grow.part"), secret);

        assertThatThrownBy(() -> transfer.receive("folder/secret", 0, OutputStream.nullOutputStream()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("symbolic link");
        assertThatThrownBy(() -> transfer.receive("file", 0, OutputStream.nullOutputStream()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("symbolic link");
        assertThatThrownBy(() -> transfer.send("grow", 0, hello())).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> transfer.send("folder/new", 0, hello())).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> transfer.seal("grow", checksum(Files.readAllBytes(secret))))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> transfer.remove("folder/secret")).isInstanceOf(IOException.class);
        assertThat(secret).hasContent("secret");
        assertThat(outside.resolve("new.part")).doesNotExist();

        transfer.remove("folder");
        assertThat(root().resolve("folder")).doesNotExist();
        assertThat(secret).as("removing a link leaves what it points to").hasContent("secret");
    }
}
