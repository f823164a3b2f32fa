package org.spillway.director.reach;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.reach.Entry;
import org.spillway.stage.reach.Messages;
import org.spillway.stage.reach.Question;
import org.spillway.stage.reach.Question.Kind;
import org.spillway.stage.reach.Reply;
import org.spillway.stage.reach.Reply.Status;

/** Which questions go home, and which need not. */
final class HomeViewTest {
    private static final int FILES = 300;

    private final HomeQuestions questions = new HomeQuestions(() -> Instant.EPOCH, Duration.ofMinutes(1));
    private final SmallFiles small = new SmallFiles(10_000_000);

    @TempDir
    Path folder;

    private final ConcurrentLinkedQueue<Question> asked = new ConcurrentLinkedQueue<>();
    private Instant now = Instant.EPOCH;
    private boolean settled = true;
    private volatile Status listed = Status.OK;
    private Thread home = Thread.ofVirtual().unstarted(() -> {});

    @BeforeEach
    void begin() {
        home = Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    for (Messages.Asked each : Messages.readAsked(questions.take(Duration.ofMinutes(1)))) {
                        asked.add(each.question());
                        questions.answered(Messages.told(new Messages.Told(each.number(), answer(each.question()))));
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

    private Entry file(int number) {
        return new Entry("f" + number, 0100600, 1, 1, 6, 0, "id " + number, "", settled);
    }

    private Reply answer(Question question) {
        return switch (question.kind()) {
            case LIST -> {
                if (question.path().equals("/")) {
                    yield Reply.of(List.of(Entry.above("h")));
                }
                List<Entry> all = new ArrayList<>();
                for (int i = 0; i < FILES; i++) {
                    all.add(file(i));
                }
                yield listed == Status.OK ? Reply.of(all) : Reply.of(listed);
            }
            case WHOLE ->
                Reply.ofContents(question.files().stream()
                        .map(file -> file.getFirst().equals("f7")
                                ? Optional.<byte[]>empty()
                                : Optional.of(contents(file.getLast())))
                        .toList());
            case READ ->
                question.path().endsWith("/f7")
                        ? Reply.of(Status.DENIED)
                        : new Reply(Status.OK, contents(question.identity()));
            case STAT ->
                switch (question.path()) {
                    case "/h" -> Reply.of(List.of(new Entry("h", 0040700, 1, 1, 0, 0, "id of the root", "", true)));
                    case "/" -> Reply.of(List.of(Entry.above("")));
                    default -> Reply.of(Status.NONE);
                };
        };
    }

    private static byte[] contents(String identity) {
        return String.format("%-6s", identity).substring(0, 6).getBytes(StandardCharsets.UTF_8);
    }

    private HomeView view(String owner) {
        return new HomeView(
                new HomeView.Means(
                        questions,
                        small,
                        new LargeFiles(new KeptBlocks(folder, () -> 0), 0, Runnable::run),
                        () -> now,
                        Runnable::run),
                () -> Optional.of(new HomeQuestions.Asker("j", 1, "n", owner)));
    }

    private void readAll(HomeView view) throws Exception {
        view.list("/h/many");
        for (int i = 0; i < FILES; i++) {
            String path = "/h/many/f" + i;
            if (i != 7) {
                assertThat(view.read(path, view.entry(path), 0, 4096)).isEqualTo(contents("id " + i));
            }
        }
    }

    private long times(Kind kind) {
        return asked.stream().filter(question -> question.kind() == kind).count();
    }

    @Test
    void smallFilesOfAFolderComeEverMoreAtATime() throws Exception {
        readAll(view("1"));
        // 1, 2, 4, ... 128, and of these half a batch at a time.
        assertThat(times(Kind.WHOLE)).isBetween(3L, 14L);
        assertThat(times(Kind.LIST)).isEqualTo(1);
        assertThat(times(Kind.READ) + times(Kind.STAT)).isZero();
    }

    /** Whoever goes through a folder waits for the first of its files alone. */
    @Test
    void whatIsAheadIsAskedForBeforeItIsRead() throws Exception {
        HomeView view = view("1");
        view.list("/h/many");
        for (int i = 0; i < FILES; i++) {
            if (i > 80 && i != 7) {
                assertThat(small.has("1", file(i)))
                        .as("f%d is here before it is read", i)
                        .isTrue();
            }
            if (i != 7) {
                view.read("/h/many/f" + i, file(i), 0, 6);
            }
        }
    }

    @Test
    void filesBesideAreToldOnceToWhomGoesThroughTheirFolder() throws Exception {
        HomeView view = view("1");
        view.list("/h/many");
        view.read("/h/many/f0", file(0), 0, 6);
        assertThat(view.beside("/h/many/f0", file(0)).files()).as("of one file").isEmpty();
        List<String> told = new ArrayList<>();
        for (int i = 8; i < FILES; i++) {
            if (!told.contains("f" + i)) {
                view.read("/h/many/f" + i, file(i), 0, 6);
                HomeView.Beside beside = view.beside("/h/many/f" + i, file(i));
                beside.files().forEach(each -> told.add(each.name()));
                for (int at = 0; at < beside.files().size(); at++) {
                    assertThat(beside.contents().get(at))
                            .isEqualTo(contents(beside.files().get(at).identity()));
                }
                assertThat(beside.left()).isBetween(Duration.ZERO, Duration.ofSeconds(10));
            }
        }
        assertThat(told).doesNotHaveDuplicates().hasSizeGreaterThan(FILES / 2).doesNotContain("f7");
        now = now.plusSeconds(10);
        assertThat(view.beside("/h/many/f9", file(9)).files())
                .as("of an old listing")
                .isEmpty();
    }

    @Test
    void anotherNodeOfTheUserAsksForNothingAgainAndAnotherUserForAll() throws Exception {
        readAll(view("1"));
        asked.clear();
        readAll(view("1"));
        assertThat(times(Kind.WHOLE)).isZero();
        readAll(view("2"));
        assertThat(times(Kind.WHOLE)).isPositive();
    }

    @Test
    void oneFileIsAskedForAlone() throws Exception {
        HomeView view = view("1");
        view.list("/h/many");
        assertThat(view.read("/h/many/f5", file(5), 3, 2)).isEqualTo("5 ".getBytes(StandardCharsets.UTF_8));
        assertThat(asked.stream().filter(question -> question.kind() == Kind.WHOLE))
                .singleElement()
                .satisfies(question -> assertThat(question.files()).containsExactly(List.of("f5", "id 5")));
    }

    @Test
    void whatHasJustBeenWrittenIsNotKept() throws Exception {
        settled = false;
        HomeView view = view("1");
        view.list("/h/many");
        view.read("/h/many/f5", file(5), 0, 6);
        view.read("/h/many/f5", file(5), 0, 6);
        assertThat(times(Kind.READ)).isEqualTo(2);
        assertThat(times(Kind.WHOLE)).isZero();
    }

    @Test
    void aFileThatMayNotBeReadIsRefusedAloneAndKeepsNoOther() throws Exception {
        HomeView view = view("1");
        view.list("/h/many");
        for (int i = 0; i < 6; i++) {
            view.read("/h/many/f" + i, file(i), 0, 6);
        }
        assertThat(catchThrowableOfType(HomeView.Refused.class, () -> view.read("/h/many/f7", file(7), 0, 6))
                        .status())
                .isEqualTo(Status.DENIED);
        assertThat(view.read("/h/many/f8", file(8), 0, 6)).isEqualTo(contents("id 8"));
    }

    /** Ten seconds later: the folder is told anew at once, and not each file of it. */
    @Test
    void aFolderThatIsReadOnIsToldAnewAtOnce() throws Exception {
        HomeView view = view("1");
        readAll(view);
        now = now.plusSeconds(11);
        asked.clear();
        for (int i = 0; i < FILES; i++) {
            assertThat(view.entry("/h/many/f" + i).name()).isEqualTo("f" + i);
        }
        assertThat(asked)
                .singleElement()
                .satisfies(question -> assertThat(question.kind()).isEqualTo(Kind.LIST));
    }

    /** A compiler looks for each header in each folder: a folder that is listed says what it has not. */
    @Test
    void aFolderOfWhichOneNameAfterTheOtherIsAskedForIsListed() throws Exception {
        HomeView view = view("1");
        for (int i = 0; i < 20; i++) {
            String path = "/h/many/none" + i;
            assertThat(catchThrowableOfType(HomeView.Refused.class, () -> view.entry(path))
                            .status())
                    .isEqualTo(Status.NONE);
        }
        assertThat(asked).extracting(Question::kind).containsExactly(Kind.STAT, Kind.STAT, Kind.LIST);
        assertThat(view.entry("/h/many/f3").identity()).isEqualTo("id 3");
        now = now.plusSeconds(11);
        assertThat(catchThrowableOfType(HomeView.Refused.class, () -> view.entry("/h/many/none"))
                        .status())
                .isEqualTo(Status.NONE);
        assertThat(asked)
                .as("one name now and then is asked for by itself")
                .extracting(Question::kind)
                .containsExactly(Kind.STAT, Kind.STAT, Kind.LIST, Kind.STAT);
    }

    /** The folder above a root knows its name, and nothing else of it. */
    @Test
    void aRootIsAskedForByItself() throws Exception {
        HomeView view = view("1");
        assertThat(view.list("/")).extracting(Entry::identity).containsExactly("");
        for (int i = 0; i < 4; i++) {
            now = now.plusSeconds(11);
            assertThat(view.entry("/h").identity()).isEqualTo("id of the root");
            assertThat(view.entry("/").isFolder()).isTrue();
        }
    }

    @Test
    void aFolderThatCannotBeListedIsAskedForNameByName() throws Exception {
        HomeView view = view("1");
        listed = Status.DENIED;
        for (int i = 0; i < 5; i++) {
            String path = "/h/many/none" + i;
            assertThat(catchThrowableOfType(HomeView.Refused.class, () -> view.entry(path))
                            .status())
                    .isEqualTo(Status.NONE);
        }
        assertThat(times(Kind.STAT)).isEqualTo(5);
        assertThat(times(Kind.LIST)).isEqualTo(1);
    }

    @Test
    void theOldestGoWhenThereAreTooMany() throws Exception {
        var few = new SmallFiles(2 * 306);
        for (int i = 0; i < 3; i++) {
            assertThat(few.begin("1", file(i))).isTrue();
            few.ended("1", file(i), contents("id " + i));
        }
        assertThat(few.of("1", file(0))).isEmpty();
        assertThat(few.of("1", file(2))).isPresent();
        assertThat(few.begin("1", file(2))).isFalse();
    }
}
