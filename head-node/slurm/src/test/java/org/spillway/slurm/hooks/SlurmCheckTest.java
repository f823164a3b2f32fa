package org.spillway.slurm.hooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.api.ApiException;
import org.spillway.api.ApiException.Code;
import org.spillway.head.loop.port.Stager;
import org.spillway.head.loop.port.Stager.Found;
import org.spillway.head.rest.Caller;
import org.spillway.head.service.InputLook;
import org.spillway.head.service.LookingStager;

/** The worth of a script's lines before it is submitted. */
final class SlurmCheckTest {
    private static final Caller ADA = new Caller("ada", 1001, 1001, false);
    private static final Map<String, List<String>> PARTITIONS =
            Map.of("west", List.of("west"), "home", List.of("home"), "burst", List.of("west", "home"));

    private final Map<String, Found> files = new HashMap<>(Map.of(
            "/home/ada/job/a", new Found(1, 10, ""),
            "/home/ada/job/b/c", new Found(2, 20, ""),
            "/secret/x", new Found(1, 10, "/secret")));
    private final List<String> looked = new ArrayList<>();

    private void judge(String partitions, String... lines) {
        var check = new SlurmCheck(
                PARTITIONS,
                "home"::equals,
                new InputLook(new LookingStager(files, looked), path -> path.startsWith("/secret"), Long.MAX_VALUE),
                (uid, name) -> name,
                (name, uid) -> {
                    if (uid < 1000) {
                        throw new ApiException(Code.FORBIDDEN, "uid " + uid + " is below directory.minUid 1000", "");
                    }
                });
        var text = "#!/bin/sh\n#SPILLWAY " + String.join("\n#SPILLWAY ", lines) + "\n";
        var names = partitions.isEmpty() ? List.<String>of() : List.of(partitions.split(",", -1));
        check.judge(ADA, new SlurmScript(text, "/home/ada/job", names));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "west|in=a in=b/c out=x|",
                "west|in=none in=a|line 2: in=none: the input cannot be read: /home/ada/job/none: there is no such file",
                "west|in=nonsense:|line 2: in=nonsense:: nothing follows the colon; a colon in a name is written '\\:'",
                "onprem|in=none|",
                "onprem,west|in=none|line 2: in=none: the input cannot be read: /home/ada/job/none: there is no such file",
                "west|in=/secret/x|line 2: in=/secret/x: /secret may not leave home, and the partition is in a cloud",
                "burst|in=/secret/x|",
                "home|in=/secret/x|",
                "''|in=/secret/x|",
                "''|in=none|line 2: in=none: the input cannot be read: /home/ada/job/none: there is no such file",
            })
    void aScriptIsJudgedByItsPartition(String partitions, String line, String wrong) {
        if (wrong == null) {
            assertThatCode(() -> judge(partitions, line)).doesNotThrowAnyException();
        } else {
            var refused = catchThrowableOfType(ApiException.class, () -> judge(partitions, line));
            assertThat(refused).hasMessage(wrong);
            assertThat(refused.code()).isEqualTo(Code.BAD_REQUEST);
        }
    }

    @Test
    void allMistakesAreToldWithTheirLines() {
        assertThat(catchThrowableOfType(ApiException.class, () -> judge("west", "in=a in=none", "in=/secret/x")))
                .hasMessage("line 2: in=none: the input cannot be read: /home/ada/job/none: there is no such file;"
                        + " line 3: in=/secret/x: /secret may not leave home, and the partition is in a cloud");
    }

    @Test
    void whatHasTheJobsNumberInItIsLookedAtLater() {
        judge("west", "in=part-%a.csv in=a");
        assertThat(looked).containsExactly("/home/ada/job/a");
    }

    @Test
    void thereAreLimits() {
        files.put("/home/ada/job/a", new Found(Stager.MOST_FILES, 1, ""));
        files.put("/home/ada/job/b/c", new Found(Stager.MOST_FILES + 1, 1, ""));
        assertThat(catchThrowableOfType(ApiException.class, () -> judge("west", "in=b/c")))
                .hasMessageStartingWith("line 2: in=b/c: its input is " + (Stager.MOST_FILES + 1) + " files");
        files.put("/home/ada/job/b/c", new Found(1, 1, ""));
        assertThat(catchThrowableOfType(ApiException.class, () -> judge("west", "in=a", "in=b/c"))
                        .code())
                .isEqualTo(Code.LIMIT_EXCEEDED);
    }

    @Test
    void moreThanAUserMayHaveIsSaidAtSubmit() {
        files.put("/home/ada/job/a", new Found(1, 1001, ""));
        var check = new SlurmCheck(
                PARTITIONS,
                "home"::equals,
                new InputLook(new LookingStager(files, looked), path -> false, 1000),
                (uid, name) -> name,
                (name, uid) -> {});
        var script = new SlurmScript("#SPILLWAY in=a", "/home/ada/job", List.of("west"));
        assertThat(catchThrowableOfType(ApiException.class, () -> check.judge(ADA, script)))
                .hasMessage(
                        "line 1: in=a: its input is 1001 bytes, more than the 1000 that one user's jobs may have in a site's"
                                + " staging space");
        files.put("/home/ada/job/a", new Found(1, 1000, ""));
        check.judge(ADA, script);
    }

    @Test
    void inputsThatDoNotGoIntoOneFolderAreRefused() {
        files.put("/x/a", new Found(1, 1, ""));
        assertThat(catchThrowableOfType(ApiException.class, () -> judge("west", "in=a in=/x/a")))
                .hasMessageContaining("the inputs do not go into one folder");
    }

    @Test
    void whoMayNotRunJobsIsToldSo() {
        var check = new SlurmCheck(
                PARTITIONS,
                "home"::equals,
                new InputLook(new LookingStager(files, looked), path -> false, Long.MAX_VALUE),
                (uid, name) -> name,
                (name, uid) -> {
                    throw new ApiException(Code.FORBIDDEN, name + " may not", "");
                });
        var script = new SlurmScript("#SPILLWAY in=a", "/home/ada/job", List.of("west"));
        assertThat(catchThrowableOfType(ApiException.class, () -> check.judge(ADA, script))
                        .code())
                .isEqualTo(Code.FORBIDDEN);
        assertThat(looked).isEmpty();
    }
}
