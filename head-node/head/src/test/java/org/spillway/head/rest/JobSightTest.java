package org.spillway.head.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.javalin.http.HandlerType;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.spillway.api.ApiException;
import org.spillway.api.JobDetail;
import org.spillway.api.JobState;
import org.spillway.api.JobView;
import org.spillway.api.NodeView;

/** H7: the owner of a cluster on demand sees its guests' jobs, guests their own. */
final class JobSightTest {
    private static final Caller OWNER = new Caller("ada", 1001, 100, false);
    private static final Caller FRIEND = new Caller("bob", 1002, 100, false);
    private static final Caller GUEST = new Caller("eve", 1003, 200, false);
    private static final Caller ROOT = new Caller("root", 0, 0, true);

    private final FakeHead head = new FakeHead();
    private final Routes routes = new Routes(head);

    @BeforeEach
    void threeUsers() {
        head.sight = new JobSight(OptionalInt.of(1001), "bob"::equals);
        head.jobs.put("1", FakeHead.job("1", "own", "ada", 1001, JobState.DONE));
        head.jobs.put("2", FakeHead.job("2", "friendly", "bob", 1002, JobState.DONE));
        head.jobs.put("3", FakeHead.job("3", "strange", "eve", 1003, JobState.DONE));
        head.jobs.put("4", FakeHead.job("4", "coming", "eve", 1003, JobState.QUEUED));
        head.jobs.put("7-0", FakeHead.of("7-0", "7", "task", "eve", 1003, JobState.QUEUED));
    }

    private Object ask(Caller caller, HandlerType method, String path, String id) {
        return routes.all().stream()
                .filter(route -> method.equals(route.method()) && route.path().equals(path))
                .findFirst()
                .orElseThrow()
                .handler()
                .answer(new Routes.Call(caller, Map.of("id", id), Map.of(), Map.of(), new byte[0]))
                .value();
    }

    private List<String> queue(Caller caller) {
        var answer = (Map<?, ?>) ask(caller, HandlerType.GET, "/jobs", "");
        return ((List<?>) answer.get("jobs"))
                .stream().map(job -> ((JobView) job).name()).toList();
    }

    @Test
    void theOwnerSeesAllJobsAndAGuestTheirOwn() {
        assertThat(queue(OWNER)).contains("coming", "task").containsAll(queue(GUEST));
        assertThat(queue(GUEST)).containsExactlyInAnyOrder("coming", "task");
        assertThat(queue(FRIEND)).isEmpty();
        assertThat(queue(ROOT)).hasSameSizeAs(queue(OWNER));
        assertThat(ask(OWNER, HandlerType.GET, "/jobs/{id}", "3")).isInstanceOf(JobDetail.class);
        assertThatThrownBy(() -> ask(GUEST, HandlerType.GET, "/jobs/{id}", "1")).hasMessageContaining("no job '1'");
        assertThatThrownBy(() -> ask(FRIEND, HandlerType.GET, "/jobs/{id}", "3"))
                .hasMessageContaining("no job '3'");
    }

    @Test
    void ofAStrangersJobTheOwnerSeesWhatItTakesAndNotWhatIsInIt() {
        var strange = (JobDetail) ask(OWNER, HandlerType.GET, "/jobs/{id}", "3");
        assertThat(strange.job().user()).isEqualTo("eve");
        assertThat(strange.job().cost()).isEqualTo(head.jobs.get("3").cost());
        assertThat(strange.outputs()).isEmpty();
        assertThat(strange.transfers()).isEmpty();
        assertThat(strange.job().reason()).isEmpty();
        var friendly = (JobDetail) ask(OWNER, HandlerType.GET, "/jobs/{id}", "2");
        assertThat(friendly.outputs()).isEqualTo(FakeHead.OUTPUTS);
        assertThat(((JobDetail) ask(GUEST, HandlerType.GET, "/jobs/{id}", "3")).outputs())
                .isEqualTo(FakeHead.OUTPUTS);
    }

    @Test
    void whyItWaitsIsTheOwnersBusinessAndItsWordsAreNot() {
        ask(OWNER, HandlerType.GET, "/jobs/{id}/explain", "4");
        assertThatThrownBy(() -> ask(OWNER, HandlerType.GET, "/jobs/{id}/explain", "3"))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("share no group")
                .hasMessageContaining("why it ended");
        assertThatThrownBy(() -> ask(OWNER, HandlerType.GET, "/jobs/{id}/log", "3"))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("share no group")
                .hasMessageContaining("its output");
    }

    @Test
    void theOwnerCancelsNobodysJob() {
        assertThatThrownBy(() -> ask(OWNER, HandlerType.POST, "/jobs/{id}/cancel", "4"))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("only they may cancel it");
        assertThatThrownBy(() -> ask(OWNER, HandlerType.POST, "/arrays/{id}/cancel", "7"))
                .isInstanceOf(ApiException.class);
        assertThat(head.jobs.get("4").state()).isEqualTo(JobState.QUEUED);
        ask(GUEST, HandlerType.POST, "/jobs/{id}/cancel", "4");
        assertThat(head.jobs.get("4").state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void withoutAnOwnerAllIsAsItWas() {
        head.sight = JobSight.OWN;
        assertThat(queue(OWNER)).isEmpty();
        assertThat(queue(ROOT)).isNotEmpty();
    }

    /** I8: nodes showed the ids of everybody's jobs. */
    @Test
    void nodesShowTheJobsThatTheCallerSees() {
        head.nodes = List.of(NodeView.of(node -> {
            node.id = "n1";
            node.jobs = List.of("4", "9");
        }));
        head.jobs.put("9", FakeHead.job("9", "hidden", "bob", 1002, JobState.RUNNING));
        assertThat(jobsOfNodes(GUEST)).containsExactly("4");
        assertThat(jobsOfNodes(FRIEND)).containsExactly("9");
        assertThat(jobsOfNodes(OWNER)).containsExactly("4", "9");
    }

    private List<String> jobsOfNodes(Caller caller) {
        var answer = (Map<?, ?>) ask(caller, HandlerType.GET, "/nodes", "");
        return ((List<?>) answer.get("nodes"))
                .stream().flatMap(node -> ((NodeView) node).jobs().stream()).toList();
    }
}
