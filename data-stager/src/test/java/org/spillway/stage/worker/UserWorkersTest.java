package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.Checksum;
import org.spillway.stage.Sha256;
import org.spillway.stage.tree.TarFormat;

/** Several users. Those tests need root; without it they are skipped, and the one for ordinary users runs. */
class UserWorkersTest {
    private static final Identity NOBODY = new Identity("nobody", 65534, 65534, List.of());
    private static final UserWorkers.Limits LIMITS =
            new UserWorkers.Limits(2, Duration.ofSeconds(30), Duration.ofSeconds(120));

    @TempDir
    Path folder;

    private Instant now = Instant.EPOCH;
    private UserWorkers workers;

    @BeforeEach
    void open() throws IOException {
        mode(folder, "rwxr-xr-x");
        WorkerProgram own = WorkerProgram.own();
        Path classes = folder.resolve("classes");
        copy(own.classes(), classes); // the build may lie in a folder that other users cannot enter
        InstantSource clock = () -> now;
        workers = new UserWorkers(LIMITS, clock, new WorkerProgram(classes, own.java()));
    }

    @AfterEach
    void close() {
        workers.close();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path place = to.resolve(from.relativize(file).toString());
                Files.copy(file, place);
                mode(place, Files.isDirectory(place) ? "rwxr-xr-x" : "rw-r--r--");
            }
        }
    }

    private static void mode(Path file, String mode) throws IOException {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    private Path file(String name, String mode, int uid, int gid) throws IOException {
        Path file = Files.writeString(folder.resolve(name), name);
        mode(file, mode);
        Files.setAttribute(file, "unix:uid", uid);
        Files.setAttribute(file, "unix:gid", gid);
        return file;
    }

    private static long bytesOf(UserFiles files, Path file) throws IOException {
        return files.find(file.toString(), new UserFiles.Limits(1, Long.MAX_VALUE))
                .getFirst()
                .bytes();
    }

    private static void assumeRoot() throws IOException {
        assumeTrue(Identity.ownUid() == 0, "needs root to become another user");
    }

    @Test
    void theKernelJudgesByTheUsersUidAndGroups() throws IOException {
        assumeRoot();
        Path secret = file("secret", "rw-------", 0, 0);
        Path own = file("own", "rw-------", NOBODY.uid(), 0);
        Path team = file("team", "rw-r-----", 0, 4242);
        UserFiles nobody = workers.as(NOBODY);
        assertThatThrownBy(() -> bytesOf(nobody, secret))
                .isInstanceOf(FileRefused.class)
                .hasMessage(secret + ": permission denied");
        assertThat(bytesOf(nobody, own)).isEqualTo(3);
        assertThatThrownBy(() -> bytesOf(nobody, team)).isInstanceOf(FileRefused.class);

        UserFiles member = workers.as(new Identity("member", NOBODY.uid(), NOBODY.gid(), List.of(4241, 4242)));
        assertThat(bytesOf(member, team)).isEqualTo(4);
        assertThat(bytesOf(workers.as(new Identity("root", 0, 0, List.of())), own))
                .as("root may what root may")
                .isEqualTo(3);
    }

    @Test
    void linksAndFoldersGiveAUserNothingMore() throws IOException {
        assumeRoot();
        Path secret = file("secret", "rw-------", 0, 0);
        Path home = Files.createDirectory(folder.resolve("home"));
        Files.setAttribute(home, "unix:uid", NOBODY.uid());
        Path link = Files.createSymbolicLink(home.resolve("in"), secret);
        UserFiles nobody = workers.as(NOBODY);
        assertThatThrownBy(() -> bytesOf(nobody, link)).isInstanceOf(FileRefused.class);

        byte[] bytes = {1, 2, 3};
        nobody.writePart(link, "1", 0, new ByteArrayInputStream(bytes));
        nobody.settle(link, "1", Sha256.of(new ByteArrayInputStream(bytes), OutputStream.nullOutputStream()));
        assertThat(secret).hasContent("secret");
        Path part = home.resolve(".in.spillway-1.part");
        assertThat(part).isRegularFile().hasBinaryContent(bytes);
        assertThat((int) Files.getAttribute(part, "unix:uid")).isEqualTo(NOBODY.uid());

        assertThatThrownBy(() -> nobody.writePart(folder.resolve("out"), "1", 0, new ByteArrayInputStream(bytes)))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("permission denied");
        assertThatThrownBy(() -> nobody.writePart(folder.resolve("a/b"), "1", 0, new ByteArrayInputStream(bytes)))
                .isInstanceOf(FileRefused.class);
        assertThat(folder.resolve("a")).doesNotExist();
        file("home/.theirs.spillway-1.part", "rw-rw-rw-", 1234, 1234);
        assertThatThrownBy(() -> nobody.writePart(home.resolve("theirs"), "1", 0, new ByteArrayInputStream(bytes)))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("belongs to somebody else");
    }

    @Test
    void theKernelJudgesFindingPackingAndUnpacking() throws IOException {
        assumeRoot();
        Path home = Files.createDirectory(folder.resolve("home"));
        Files.setAttribute(home, "unix:uid", NOBODY.uid());
        Path own = file("home/own", "rw-------", NOBODY.uid(), 0);
        Path secret = file("home/secret", "rw-------", 0, 0);
        UserFiles nobody = workers.as(NOBODY);
        UserFiles.Limits limits = new UserFiles.Limits(10, 1000);
        assertThat(nobody.find(home + "/o*", limits)).hasSize(1);
        assertThatThrownBy(() -> nobody.find(home.toString(), limits))
                .isInstanceOf(FileRefused.class)
                .hasMessage(secret + ": permission denied");
        Files.createDirectory(home.resolve("closed"));
        mode(home.resolve("closed"), "rwx------");
        assertThatThrownBy(() -> nobody.find(home + "/*/*", limits))
                .isInstanceOf(FileRefused.class)
                .hasMessage(home.resolve("closed") + ": permission denied");

        UserFiles.Found found = workers.as(new Identity("root", 0, 0, List.of()))
                .find(secret.toString(), limits)
                .getFirst();
        assertThatThrownBy(() ->
                        nobody.pieces(OwnWorker.slices(List.of(packed(found))), 0, OutputStream.nullOutputStream()))
                .isInstanceOf(FileRefused.class)
                .hasMessage(secret + ": permission denied");

        ByteArrayOutputStream tar = new ByteArrayOutputStream();
        var packed = packed(nobody.find(own.toString(), limits).getFirst());
        tar.writeBytes(TarFormat.header(Bundles.member(packed)));
        nobody.pieces(OwnWorker.slices(List.of(packed)), 0, tar);
        tar.writeBytes(new byte[TarFormat.padding(packed.bytes()) + TarFormat.END_BYTES]);
        Checksum checksum = OwnWorker.checksum(tar.toByteArray());
        Path bundle = home.resolve("bundle");
        nobody.writePart(bundle, "1", 0, new ByteArrayInputStream(tar.toByteArray()));
        nobody.settle(bundle, "1", checksum);
        Path theirs = Files.createDirectory(folder.resolve("theirs"));
        mode(theirs, "rwxr-xr-x");
        for (Path out : List.of(theirs, theirs.resolve("new"), home.resolve("closed"))) {
            UserFiles.Unpacked unpacked =
                    nobody.unpack(bundle, "1", checksum, List.of(new UserFiles.Rule("file", out, true)));
            assertThat(unpacked.failures()).singleElement().satisfies(failure -> {
                assertThat(failure.said()).endsWith("permission denied");
                assertThat(failure.refused()).isTrue();
            });
            assertThat(nobody.look(List.of(new UserFiles.Wish(out, UserFiles.Shape.FOLDER)), Duration.ofMinutes(3))
                            .orElseThrow()
                            .getFirst()
                            .problem())
                    .contains(": permission denied, you may not ");
        }
        Path shared = Files.createDirectory(folder.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setAttribute(shared, "unix:mode", 01777);
        Path others = Files.writeString(shared.resolve("others"), "somebody's");
        assertThat(nobody.look(List.of(new UserFiles.Wish(others, UserFiles.Shape.FILE)), Duration.ofMinutes(3))
                        .orElseThrow()
                        .getFirst()
                        .problem())
                .startsWith(others + ": belongs to somebody else");
        assertThat(theirs).isEmptyDirectory();
        nobody.unpack(bundle, "1", checksum, List.of(new UserFiles.Rule("file", home.resolve("mine"), true)));
        assertThat(home.resolve("mine/file")).hasContent("home/own");
        assertThat((int) Files.getAttribute(home.resolve("mine/file"), "unix:uid"))
                .isEqualTo(NOBODY.uid());
    }

    private static UserFiles.Packed packed(UserFiles.Found found) {
        return new UserFiles.Packed(found.path(), "file", found.bytes(), found.modifiedNanos(), found.executable());
    }

    @Test
    void processesAreBoundedReusedAndReaped() throws IOException {
        assumeRoot();
        Path open = file("open", "rw-r--r--", 0, 0);
        UserFiles first = workers.as(NOBODY);
        bytesOf(first, open);
        assertThat(workers.as(NOBODY)).isSameAs(first);
        now = now.plusSeconds(60);
        bytesOf(workers.as(new Identity("a", 65533, 65533, List.of())), open);
        assertThat(workers.processes()).isEqualTo(2);
        bytesOf(workers.as(new Identity("b", 65532, 65532, List.of())), open);
        assertThat(workers.processes()).as("the longest idle one made room").isEqualTo(2);
        workers.reap(now.plusSeconds(119));
        assertThat(workers.processes()).isEqualTo(2);
        workers.reap(now.plusSeconds(120));
        assertThat(workers.processes()).isZero();
        assertThat(bytesOf(first, open)).as("an old handle still works").isEqualTo(4);
    }

    @Test
    void copiesOfManyUsersLeaveAProcessForQuestions() throws IOException {
        assumeRoot();
        Path open = file("open", "rw-r--r--", 0, 0);
        UserFiles copier = workers.as(NOBODY);
        UserFiles.Found found =
                copier.find(open.toString(), new UserFiles.Limits(1, 100)).getFirst();
        copier.pieces(OwnWorker.slices(List.of(packed(found))), 0, OutputStream.nullOutputStream());
        assertThat(workers.processes()).isEqualTo(2);
        UserFiles other = workers.as(new Identity("a", 65533, 65533, List.of()));
        other.pieces(OwnWorker.slices(List.of(packed(found))), 0, OutputStream.nullOutputStream());
        assertThat(bytesOf(other, open)).as("idle ones made room").isEqualTo(4);
        assertThat(workers.processes()).isEqualTo(2);
    }

    @Test
    void classesThatAUserCannotReachAreNamedWithTheRepair() throws IOException {
        assumeRoot();
        Path hidden = Files.createDirectory(folder.resolve("hidden"));
        copy(folder.resolve("classes"), hidden.resolve("classes"));
        mode(hidden, "rwx------");
        WorkerProgram program =
                new WorkerProgram(hidden.resolve("classes"), WorkerProgram.own().java());
        try (UserWorkers hiddenWorkers = new UserWorkers(LIMITS, () -> now, program)) {
            assertThatThrownBy(() -> bytesOf(hiddenWorkers.as(NOBODY), folder))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("enter the folder " + hidden)
                    .hasMessageContaining("chmod o+x " + hidden);
            assertThat(hiddenWorkers.processes()).isZero();
        }
    }

    @Test
    void theEnvironmentIsNotHandedOn() throws IOException, InterruptedException {
        Process process = WorkerProgram.start(List.of("/usr/bin/env"));
        assertThat(new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("LANG=C.UTF-8\n");
        assertThat(process.waitFor()).isZero();
    }

    @Test
    void anOrdinaryUserActsForItselfOnly() throws IOException {
        int uid = Identity.ownUid();
        assumeTrue(uid != 0, "needs an ordinary user; as root, asRootAnOrdinaryUserActsForItselfOnly does it");
        Path own = Files.writeString(folder.resolve("own"), "own");
        assertThat(bytesOf(workers.as(new Identity("self", uid, 1, List.of())), own))
                .isEqualTo(3);
        assertThatThrownBy(() -> workers.as(new Identity("other", uid + 1, 1, List.of())))
                .isInstanceOf(FileRefused.class)
                .hasMessageContaining("the head is not root")
                .hasMessageContaining("other");
    }

    @Test
    void asRootAnOrdinaryUserActsForItselfOnly() throws IOException, InterruptedException {
        assumeRoot();
        Path own = file("own", "rw-------", NOBODY.uid(), NOBODY.gid());
        Path testClasses = Path.of(UserWorkersTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath());
        Path copied = folder.resolve("test-classes");
        copy(testClasses, copied);
        List<String> argv = List.of(
                "/usr/bin/setpriv",
                "--reuid",
                "65534",
                "--regid",
                "65534",
                "--clear-groups",
                "--",
                System.getProperty("java.home") + "/bin/java",
                "-cp",
                folder.resolve("classes") + ":" + copied,
                OrdinaryUser.class.getName(),
                own.toString());
        Process process = new ProcessBuilder(argv).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        assertThat(said)
                .contains("own file: 3 bytes")
                .contains("the head is not root")
                .contains("not for root (uid 0)");
    }

    /** The work of a head that is not root; run by the test above with the rights of nobody. */
    static final class OrdinaryUser {
        private OrdinaryUser() {}

        public static void main(String[] arguments) throws IOException {
            try (UserWorkers workers = new UserWorkers(LIMITS, InstantSource.system())) {
                UserFiles self = workers.as(NOBODY);
                System.out.println("own file: " + bytesOf(self, Path.of(arguments[0])) + " bytes");
                workers.as(new Identity("root", 0, 0, List.of()));
            } catch (FileRefused e) {
                System.out.println(e.getMessage());
            }
        }
    }
}
