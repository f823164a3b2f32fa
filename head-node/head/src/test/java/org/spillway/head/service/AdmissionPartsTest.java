package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.api.JobState;
import org.spillway.api.JobSubmission;
import org.spillway.api.JobSubmission.ArrayRange;
import org.spillway.api.JobSubmission.Dependency;
import org.spillway.head.cause.Cause;
import org.spillway.head.cause.JobCause.JobFact;
import org.spillway.head.journal.JobRecord;
import org.spillway.head.journal.JobRun;
import org.spillway.head.journal.JobSpec;
import org.spillway.head.journal.Journal;
import org.spillway.head.journal.MemoryJournalStore;
import org.spillway.head.loop.port.Stager;
import org.spillway.head.rest.Caller;

/** Parts of an admission: what it waits for, what its inputs are, and where a piece of a log may be cut. */
final class AdmissionPartsTest {
    private static final Caller ADA = new Caller("ada", 1001, 1001, false);

    private final Journal journal = new Journal(new MemoryJournalStore(), Submissions.NOON);
    private final List<String> looked = new ArrayList<>();

    private void job(JobRecord job) {
        journal.commit(Submissions.NOON, job.to(JobState.SUBMITTED, Cause.NONE, Submissions.NOON));
        if (job.jobState() != JobState.SUBMITTED) {
            journal.commit(Submissions.NOON, job);
        }
    }

    private ApiException refused(Caller caller, Dependency... after) {
        return catchThrowableOfType(ApiException.class, () -> new Prerequisites(journal).check(caller, List.of(after)));
    }

    @Test
    void whatItWaitsForMustBeThereAndItsOwn() {
        job(Submissions.job("1", 1001, JobState.SUBMITTED, ""));
        job(Submissions.job("2", 1002, JobState.SUBMITTED, ""));
        assertThatCode(() -> new Prerequisites(journal).check(ADA, List.of(new Dependency("1", true))))
                .doesNotThrowAnyException();
        var none = refused(ADA, new Dependency("9", true));
        var others = refused(ADA, new Dependency("2", false));
        assertThat(none).hasMessage("there is no job '9' to wait for");
        assertThat(others).hasMessage("there is no job '2' to wait for");
        assertThat(others.hint()).isEqualTo(none.hint());
        assertThatCode(() -> new Prerequisites(journal)
                        .check(new Caller("root", 0, 0, true), List.of(new Dependency("2", true))))
                .doesNotThrowAnyException();
    }

    @Test
    void whatHasFailedCannotBeWaitedForUnlessAnyEndWillDo() {
        job(Submissions.job("1", 1001, JobState.FAILED, "exit code 3"));
        assertThat(refused(ADA, new Dependency("1", true)))
                .hasMessage("it would never start: job 1, which it waits for, is FAILED (exit code 3)");
        assertThatCode(() -> new Prerequisites(journal).check(ADA, List.of(new Dependency("1", false))))
                .doesNotThrowAnyException();
    }

    @Test
    void anArrayMeansAllItsTasks() {
        for (int index = 0; index < 3; index++) {
            var spec = Submissions.spec(1001, 1, new JobSpec.ArrayTask("7", index, 0), List.of());
            var state = index == 2 ? JobState.CANCELLED : JobState.SUBMITTED;
            job(new JobRecord("7-" + index, spec, state, JobFact.CANCELLED_BY_USER, Submissions.NOON, JobRun.NONE));
        }
        assertThat(refused(ADA, new Dependency("7", true)))
                .hasMessageContaining("job 7-2")
                .hasMessageContaining("CANCELLED");
    }

    private InputLook look(Map<String, Stager.Found> files) {
        return new InputLook(new LookingStager(files, looked), path -> path.startsWith("/pinned"), Long.MAX_VALUE);
    }

    private static JobSpec spec(String... patterns) {
        var inputs = new ArrayList<JobSpec.Input>();
        for (var pattern : patterns) {
            inputs.add(new JobSpec.Input(pattern, "in" + inputs.size()));
        }
        return Submissions.spec(1001, 1, null, inputs);
    }

    @Test
    void aPathThatAllTasksHaveIsLookedAtOnceAndCountedForEach() {
        var look = look(Map.of(
                "/d/0", new Stager.Found(1, 10, ""),
                "/d/1", new Stager.Found(2, 20, "/d/1"),
                "/all", new Stager.Found(3, 30, "")));
        var found = look.look(spec("/d/%a", "/all"), new ArrayRange(0, 1, 1, 0)).found();
        assertThat(found).containsExactly(new Stager.Found(3, 30, "/d/1"), new Stager.Found(6, 60, ""));
        assertThat(looked).containsExactlyInAnyOrder("/d/0", "/d/1", "/all");
    }

    @Test
    void whatCannotBeReadOrIsTooMuchIsRefused() {
        var much = new Stager.Found(Stager.MOST_FILES, 1, "");
        var look = look(Map.of("/much", much, "/one", new Stager.Found(1, 1, "")));
        var missing =
                catchThrowableOfType(ApiException.class, () -> look.look(spec("/none"), JobSubmission.ArrayRange.NONE));
        assertThat(missing.code()).isEqualTo(Code.INPUT_UNREADABLE);
        assertThat(missing).hasMessageContaining("/none: there is no such file");
        assertThat(look.look(spec("/much"), ArrayRange.NONE).found()).containsExactly(much);
        assertThat(catchThrowableOfType(ApiException.class, () -> look.look(spec("/much", "/one"), ArrayRange.NONE))
                        .code())
                .isEqualTo(Code.LIMIT_EXCEEDED);
    }

    @Test
    void aPathWithAnIdThatIsNotGivenYetIsNotLookedAt() {
        var look = look(Map.of());
        assertThat(look.look(spec("/d/%j/x"), ArrayRange.NONE).found()).containsExactly(new Stager.Found(0, 0, ""));
        assertThat(look.look(spec("/d/%A/%a"), new ArrayRange(0, 1, 1, 0)).missing())
                .isEqualTo("/d/%A/0: its id is not given yet");
        assertThat(looked).isEmpty();
    }

    private List<String> outputs(String destination, boolean tree) {
        JobSpec spec = Submissions.spec(1001, 1, null, List.of())
                .with(draft -> draft.data = new JobSpec.Data(
                        List.of(), List.of(new JobSpec.Output("r*", destination, tree, false)), "/home/ada"));
        return new OutputLook(new LookingStager(Map.of(), looked), new RecentLooks()).look(spec, ArrayRange.NONE, 0);
    }

    @Test
    void anOutputThatCannotBeWrittenIsRefusedAtSubmit() {
        var refused = catchThrowableOfType(ApiException.class, () -> outputs("/locked/%j/out", true));
        assertThat(refused.code()).isEqualTo(Code.OUTPUT_UNWRITABLE);
        assertThat(refused).hasMessage("output r* could not be put into /locked/%j/out: /locked: permission denied");
        assertThat(outputs("/home/ada/out", true)).isEmpty();
        assertThat(outputs("/tight/out", false))
                .containsExactly("little room for output r*: 3 MiB are free in ext4 disk, where /tight/out is to be");
    }

    @Test
    void inputsThatDoNotGoTogetherAreRefused() {
        var twice = List.of(new JobSpec.Input("/one", "x"), new JobSpec.Input("/two", "x"));
        var one = new Stager.Found(1, 1, "");
        var look = look(Map.of("/one", one, "/two", one));
        assertThat(catchThrowableOfType(
                        ApiException.class, () -> look.look(Submissions.spec(1001, 1, null, twice), ArrayRange.NONE)))
                .hasMessageContaining("do not go into one folder");
    }

    @Test
    void whatOtherJobsMakeNeedNotBeThereYet() {
        var waits = Submissions.waitingFor(
                "7", List.of(new JobSpec.Input("/pinned/{a,b}.csv", ""), new JobSpec.Input("/one", "")));
        var seen = look(Map.of("/one", new Stager.Found(1, 1, ""))).look(waits, ArrayRange.NONE);
        assertThat(seen.found()).containsExactly(new Stager.Found(0, 0, "/pinned"), new Stager.Found(1, 1, ""));
        assertThat(seen.missing()).isEqualTo("/pinned/{a,b}.csv: there is no such file");
    }

    @Test
    void aPieceOfALogIsCutBetweenCharacters() {
        for (var text : List.of("ab", "a\u00e9", "a\u20ac", "a\ud83d\ude00")) {
            var whole = text.getBytes(StandardCharsets.UTF_8);
            for (int length = 1; length <= whole.length; length++) {
                var piece = Arrays.copyOf(whole, length);
                int cut = JobLogs.complete(piece);
                var kept = new String(piece, 0, cut, StandardCharsets.UTF_8);
                assertThat(text).as("%s, %d bytes", kept, length).startsWith(kept);
                assertThat(cut).isGreaterThanOrEqualTo(length - 3);
            }
        }
        assertThat(JobLogs.complete(new byte[] {'a', (byte) 0x80}))
                .as("never was UTF-8")
                .isEqualTo(2);
    }
}
