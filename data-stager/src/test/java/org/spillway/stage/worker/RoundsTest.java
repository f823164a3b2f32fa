package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.stage.Checksum;
import org.spillway.stage.worker.UserFiles.Rule;

/** Files that rounds have put in their places become one bundle again, or nothing does. */
class RoundsTest extends UnpackScene {
    private static final String ROUNDS = "7-1-sync";

    private int round;

    private Rule state() {
        return new Rule("state", out, true);
    }

    private void round() throws IOException {
        round(bundle, ++round);
    }

    private void round(Path into, int number) throws IOException {
        byte[] tar = gnuTar("./state");
        worker.writePart(into, ROUNDS, 0, new ByteArrayInputStream(tar));
        worker.settle(into, ROUNDS, checksum(tar));
        worker.unpackRound(into, ROUNDS, checksum(tar), List.of(state()), number);
        worker.abandon(into, ROUNDS);
    }

    private Checksum gather() throws IOException {
        return worker.gather(List.of(bundle), ROUNDS, "7-1");
    }

    private byte[] gathered(Path from) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        worker.readPart(from, "7-1", 0, bytes);
        return bytes.toByteArray();
    }

    private Path unpacked(Path from) throws IOException {
        Path there = Files.createDirectories(temporary.resolve("node"));
        Path tar = Files.write(temporary.resolve("checkpoint.tar"), gathered(from));
        run(there, "tar", "-xf", tar.toString());
        return there;
    }

    @Test
    void eachFileIsAsTheLatestRoundHasIt() throws IOException {
        file("state/step", "1");
        file("state/deep/ünï code", "kept");
        Files.setPosixFilePermissions(file("state/tool", "#!"), PosixFilePermissions.fromString("rwxr-xr-x"));
        round();
        file("state/step", "22");
        Files.delete(folder.resolve("state/deep/ünï code"));
        round();
        file("state/late", "x".repeat(100_000));
        round();
        Checksum checksum = gather();
        assertThat(checksum).isEqualTo(checksum(gathered(bundle)));
        Path there = unpacked(bundle);
        assertThat(tree(there.resolve("state")))
                .containsOnlyKeys("step", "deep/ünï code", "tool", "late")
                .containsEntry("step", "22")
                .containsEntry("deep/ünï code", "kept");
        assertThat(mode(there.resolve("state/tool"))).isEqualTo("rwxr-xr-x");
        assertThat(gather()).as("the same again").isEqualTo(checksum);
    }

    @Test
    void aFileThatItsUserHasTouchedIsNoCheckpoint() throws IOException {
        file("state/step", "1");
        file("state/model", "12345");
        round();
        Path model = out.resolve("model");
        FileTime then = Files.getLastModifiedTime(model);
        Files.writeString(model, "54321");
        assertThatThrownBy(this::gather).isInstanceOf(FileRefused.class).hasMessageContaining("has changed");
        Files.setLastModifiedTime(model, then);
        assertThat(gather()).as("touched and left as it was").isNotNull();

        Path other = Files.writeString(out.resolve("other"), "12345");
        Files.setLastModifiedTime(other, then);
        Files.move(other, model, StandardCopyOption.REPLACE_EXISTING);
        assertThatThrownBy(this::gather)
                .as("another file of that size and time")
                .isInstanceOf(FileRefused.class);
        Files.delete(model);
        assertThatThrownBy(this::gather).as("gone").isInstanceOf(FileRefused.class);
        assertThat(worker.partBytes(bundle, "7-1")).as("nothing is left").isZero();
    }

    @Test
    void aRoundThatIsNotWhollyInItsPlacesIsNone() throws IOException {
        file("state/step", "1");
        file("state/model", "12345");
        Files.createDirectories(out.resolve("model"));
        round();
        assertThatThrownBy(this::gather).isInstanceOf(FileRefused.class).hasMessageContaining("not in its place");
        Files.delete(out.resolve("model"));
        round();
        assertThat(gather()).as("a later round has put it there").isNotNull();
    }

    @Test
    void roundsMayLieInSeveralFolders() throws IOException {
        Path second = temporary.resolve("elsewhere/rank-0.tar");
        file("state/step", "1");
        round(second, 1);
        file("state/step", "2");
        round(bundle, 2);
        file("state/step", "3");
        round(second, 3);
        worker.gather(List.of(bundle, second), ROUNDS, "7-1");
        assertThat(unpacked(bundle).resolve("state/step")).hasContent("3");
    }

    @Test
    void aListThatWasCutOffSaysLess() throws IOException {
        file("state/step", "1");
        round();
        Path list = WorkerFiles.part(bundle, UserFiles.roundsTag(ROUNDS));
        Files.writeString(list, "2 5:17:", StandardOpenOption.APPEND);
        file("state/step", "3");
        round();
        gather();
        assertThat(unpacked(bundle).resolve("state/step")).hasContent("3");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(list)))
                .isEqualTo("rw-------");
    }

    /** In a folder that others may write, somebody has put a file where the list is to be. */
    @Test
    void aListOfSomebodyElsesGetsNoWord() throws IOException {
        assumeTrue(Identity.ownUid() == 0, "only root may give files away");
        Path list = Files.createFile(WorkerFiles.part(
                Files.createDirectories(bundle.getParent()).resolve(bundle.getFileName()),
                UserFiles.roundsTag(ROUNDS)));
        Files.setAttribute(list, "unix:uid", 65534);
        file("state/step", "1");
        assertThatThrownBy(this::round).isInstanceOf(FileRefused.class).hasMessageContaining("somebody else");
        assertThat(list).isEmptyFile();
        assertThatThrownBy(this::gather).isInstanceOf(FileRefused.class);
    }

    @Test
    void nothingCameHomeOrIsKnownAnyMore() throws IOException {
        assertThatThrownBy(this::gather).isInstanceOf(FileRefused.class).hasMessageContaining("nothing is known");
        file("state/step", "1");
        round();
        worker.abandon(bundle, UserFiles.roundsTag(ROUNDS));
        assertThatThrownBy(this::gather).isInstanceOf(FileRefused.class).hasMessageContaining("nothing is known");
        assertThat(bundle.getParent()).isEmptyDirectory();
    }
}
