package org.spillway.stage.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.spillway.stage.worker.UserFiles.Place;
import org.spillway.stage.worker.UserFiles.Shape;
import org.spillway.stage.worker.UserFiles.Wish;

/** Destinations looked at before there is anything to put there. */
class PlacesTest extends OwnWorker {
    private static final Duration PATIENT = Duration.ofMinutes(3);

    private Place look(Path destination, Shape shape) throws IOException {
        return worker.look(List.of(new Wish(destination, shape)), PATIENT)
                .orElseThrow()
                .getFirst();
    }

    @Test
    void aFolderThatIsThereOrCanBeMadeIsGoodAndNothingChanges() throws IOException {
        file("there/old", "1");
        TreeMap<String, String> before = tree(folder);
        for (Place place : worker.look(
                        List.of(
                                new Wish(folder.resolve("there"), Shape.FOLDER),
                                new Wish(folder.resolve("a/b/c"), Shape.FOLDER),
                                new Wish(folder.resolve("a/b/file"), Shape.FILE),
                                new Wish(folder.resolve("there"), Shape.EITHER),
                                new Wish(folder.resolve("there/old"), Shape.FILE)),
                        PATIENT)
                .orElseThrow()) {
            assertThat(place.problem()).isEmpty();
            assertThat(place.fileSystem()).contains(" ");
            assertThat(place.freeBytes()).isPositive();
        }
        assertThat(tree(folder)).isEqualTo(before);
        assertThat(folder.resolve("a")).doesNotExist();
    }

    @Test
    void eachProblemNamesThePathAndWhatToDo() throws IOException {
        Path old = file("old", "1");
        Files.createDirectories(folder.resolve("sub"));
        Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("nowhere"));
        assertThat(look(old, Shape.FOLDER).problem())
                .isEqualTo(old + ": is a file, so that nothing can be put into it; name a folder");
        assertThat(look(old.resolve("below/x"), Shape.FILE).problem()).startsWith(old + ": is a file");
        assertThat(look(folder.resolve("sub"), Shape.FILE).problem())
                .endsWith("is a folder, so that no file can be put there; name a file in it");
        assertThat(look(folder.resolve("dangling/x"), Shape.FILE).problem()).contains("dangling: is a link to nothing");
    }

    @Test
    void whereOneMayNotWriteIsSaid() throws IOException {
        assumeTrue(Identity.ownUid() != 0, "root may write everywhere");
        Path locked = Files.createDirectory(folder.resolve("locked"));
        Files.setPosixFilePermissions(locked, PosixFilePermissions.fromString("r-xr-xr-x"));
        assertThat(look(locked, Shape.FOLDER).problem())
                .startsWith(locked + ": permission denied, you may not write there");
        assertThat(look(locked.resolve("a/b"), Shape.FILE).problem())
                .contains("you may not make " + locked.resolve("a"));
    }

    @Test
    void aBusyWorkerIsNotWaitedForLong() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch enough = new CountDownLatch(1);
        Thread busy = Thread.ofVirtual().start(() -> {
            try {
                worker.writePart(folder.resolve("part"), "1-1", 0, new java.io.InputStream() {
                    @Override
                    public int read(byte[] bytes, int from, int most) throws IOException {
                        return read();
                    }

                    @Override
                    public int read() throws IOException {
                        begun.countDown();
                        try {
                            enough.await();
                        } catch (InterruptedException e) {
                            throw new IOException(e);
                        }
                        return -1;
                    }
                });
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        });
        begun.await();
        assertThat(worker.look(List.of(new Wish(folder, Shape.FOLDER)), Duration.ofMillis(1)))
                .isEmpty();
        enough.countDown();
        busy.join();
        assertThat(look(folder, Shape.FOLDER).problem()).isEmpty();
    }
}
