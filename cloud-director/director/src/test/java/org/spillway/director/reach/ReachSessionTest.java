package org.spillway.director.reach;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.reach.Entry;
import org.spillway.stage.reach.Messages;
import org.spillway.stage.reach.Reply;

/** A client that asks for several parts of a folder before it has any, as sshfs does. */
final class ReachSessionTest {
    private static final int FILES = 2000;
    private static final int OPENDIR = 11;
    private static final int READDIR = 12;

    private final HomeQuestions questions = new HomeQuestions(() -> Instant.EPOCH, Duration.ofMinutes(1));

    @TempDir
    Path folder;

    private Thread home = Thread.ofVirtual().unstarted(() -> {});

    @BeforeEach
    void begin() {
        List<Entry> all = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            all.add(new Entry("f" + i, 0100600, 1, 1, 6, 0, "id " + i, "", true));
        }
        home = Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    for (Messages.Asked each : Messages.readAsked(questions.take(Duration.ofMinutes(1)))) {
                        Reply folder = Reply.of(List.of(Entry.above("many")));
                        Reply reply = switch (each.question().kind()) {
                            case STAT -> folder;
                            case LIST -> Reply.of(all);
                            case READ, WHOLE -> Reply.of(Reply.Status.DENIED);
                        };
                        questions.answered(Messages.told(new Messages.Told(each.number(), reply)));
                    }
                }
            } catch (Exception end) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @AfterEach
    void end() {
        home.interrupt();
    }

    private static void packet(DataOutputStream to, int type, int id, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        to.writeInt(1 + 4 + 4 + bytes.length);
        to.writeByte(type);
        to.writeInt(id);
        to.writeInt(bytes.length);
        to.write(bytes);
    }

    /** Parts in the order in which they were asked for, up to the one that is the end: whoever asked looks at no later one. */
    private static int names(byte[] answers) throws IOException {
        Map<Integer, Integer> parts = new HashMap<>();
        var in = new DataInputStream(new ByteArrayInputStream(answers));
        while (in.available() > 0) {
            byte[] packet = in.readNBytes(in.readInt());
            var fields = new DataInputStream(new ByteArrayInputStream(packet));
            int type = fields.readUnsignedByte();
            int id = fields.readInt();
            parts.put(id, type == 104 ? fields.readInt() : 0);
        }
        int all = 0;
        for (int id = 2; parts.getOrDefault(id, 0) > 0; id++) {
            all += parts.get(id);
        }
        return all;
    }

    private static void awaitOpened(ByteArrayOutputStream answers) {
        while (answers.size() == 0) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    @RepeatedTest(20)
    void partsOfAFolderComeInTheOrderInWhichTheyAreAskedFor() throws Exception {
        var asked = new ByteArrayOutputStream();
        var to = new DataOutputStream(asked);
        packet(to, OPENDIR, 1, "/many");
        for (int id = 2; id < 20; id++) {
            packet(to, READDIR, id, "1");
        }
        var session = new ReachSession(
                questions,
                new SmallFiles(1000),
                new LargeFiles(new KeptBlocks(folder, () -> 0), 0, Runnable::run),
                () -> Instant.EPOCH,
                () -> Optional.of(new HomeQuestions.Asker("j", 1, "n", "1")));
        var answers = new ByteArrayOutputStream();
        byte[] requests = asked.toByteArray();
        // The handle is known when the folder was opened: its packet comes first, and the rest behind its answer.
        int first = 13 + "/many".length();
        var opened = new ByteArrayInputStream(requests, 0, first);
        var rest = new ByteArrayInputStream(requests, first, requests.length - first);
        session.serve(
                new SequenceInputStream(opened, new InputStream() {
                    @Override
                    public int read() throws IOException {
                        awaitOpened(answers);
                        return rest.read();
                    }

                    @Override
                    public int read(byte[] to, int from, int most) throws IOException {
                        awaitOpened(answers);
                        return rest.read(to, from, most);
                    }
                }),
                answers);
        assertThat(names(answers.toByteArray())).isEqualTo(FILES);
    }
}
