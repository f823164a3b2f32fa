package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.spillway.api.ApiException;
import org.spillway.api.StageOrder;
import org.spillway.api.StagedView;
import org.spillway.api.StagedView.MovedView;
import org.spillway.head.rest.Caller;
import org.spillway.head.rest.FakeHead;
import org.spillway.head.rest.StagesApi;

/** Files that go to sites ahead of jobs, as the commands ask for them and show them. */
@Timeout(600)
final class StageCommandTest extends AskedHead {
    private final List<StageOrder> orders = new ArrayList<>();
    private final List<String> removed = new ArrayList<>();
    private String state = "THERE";

    @BeforeEach
    void serve() {
        HEAD.stages = new StagesApi() {
            @Override
            public StagedView begin(Caller caller, StageOrder order) {
                orders.add(order);
                return view("stage-1", order.site(), "WAITING");
            }

            @Override
            public List<StagedView> list(Caller caller, String site) {
                return List.of(view("stage-1", "west", "WAITING"), view("stage-2", "east", "THERE")).stream()
                        .filter(stage -> site.isEmpty() || stage.site().equals(site))
                        .toList();
            }

            @Override
            public StagedView get(Caller caller, String id) {
                return view(id, "west", state);
            }

            @Override
            public StagedView remove(Caller caller, String id) {
                if (!id.equals("stage-1")) {
                    throw new ApiException(ApiException.Code.NOT_FOUND, "you have no stage '" + id + "'", "");
                }
                removed.add(id);
                return view(id, "west", "GOING");
            }
        };
    }

    @AfterEach
    void serveNone() {
        HEAD.stages = StagesApi.NONE;
    }

    private static StagedView view(String id, String site, String state) {
        boolean there = state.equals("THERE");
        return new StagedView(
                id,
                site,
                List.of("/home/ada/data"),
                state,
                state.equals("FAILED") ? "/home/ada/data: permission denied" : "",
                12,
                120_000_000,
                there
                        ? new MovedView(120_000_000, 20_480, 119_979_520, 0, null)
                        : new MovedView(41_000_000, 0, 0, 10_000_000, 8L),
                there ? FakeHead.NOON : null,
                null);
    }

    private int stage(String what, String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return run(Stream.concat(Stream.of("stage", what, "--socket", socket.toString()), Stream.of(arguments))
                .toArray(String[]::new));
    }

    @Test
    void inWaitsAndSaysWhatWasSaved() {
        assertThat(stage("in", "data/", "/tmp/x=in/", "--site", "west", "--keep", "2h"))
                .isZero();
        assertThat(out)
                .hasToString(
                        "stage-1: 12 files of 114MiB in site west, 20KiB over the link, 114MiB were there; kept until "
                                + "2026-11-21 12:00:00Z\n");
        StageOrder order = orders.getFirst();
        assertThat(order.keepSeconds()).isEqualTo(7200);
        assertThat(order.inputs()).hasSize(2);
        assertThat(order.inputs().getFirst().pattern()).startsWith("/").endsWith("/data");
        assertThat(order.inputs().getLast().target()).isEqualTo("in/");
    }

    @Test
    void whatFailsIsSaidWithACode() {
        state = "FAILED";
        assertThat(stage("in", "data/", "--site", "west")).isEqualTo(1);
        assertThat(err.toString()).contains("stage-1 is FAILED: /home/ada/data: permission denied");
        assertThat(stage("in", "data/", "--site", "west", "--keep", "long")).isEqualTo(2);
        assertThat(stage("in", "data/")).isEqualTo(2);
    }

    @Test
    void eachSiteIsAsked() {
        assertThat(stage("in", "data/", "--site", "west,east", "--no-wait")).isZero();
        assertThat(orders).extracting(StageOrder::site).containsExactly("west", "east");
        assertThat(orders).extracting(StageOrder::keepSeconds).containsOnly(0L);
        assertThat(out.toString()).contains("stage-1  west").contains("stage-1  east");
    }

    @Test
    void whatIsThereAndWhatIsOnItsWay() {
        assertThat(stage("ls")).isZero();
        assertThat(out.toString()).contains("stage-1").contains("stage-2");
        assertThat(stage("ls", "--site", "east")).isZero();
        assertThat(out.toString()).doesNotContain("stage-1").contains("stage-2");
        assertThat(stage("status")).isZero();
        assertThat(out.toString()).contains("10.0 MB/s").contains("8 s").doesNotContain("stage-2");
        assertThat(Progress.of(view("stage-1", "west", "WAITING")))
                .isEqualTo("stage-1 west WAITING [###.......] 41.0 of 120.0 MB, 12 files, 10.0 MB/s, 8 s...");
    }

    @Test
    void eachIsGivenBackWhateverTheOthersSay() {
        assertThat(stage("rm", "stage-9", "stage-1")).isNotZero();
        assertThat(removed).containsExactly("stage-1");
        assertThat(err.toString()).contains("you have no stage 'stage-9'");
        assertThat(out).hasToString("stage-1 is given back\n");
    }
}
