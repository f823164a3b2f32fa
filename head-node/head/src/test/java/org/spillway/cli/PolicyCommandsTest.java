package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PolicyCommandsTest extends AskedHead {
    private int policy(String... words) {
        var arguments = new ArrayList<>(List.of(words));
        arguments.addFirst("policy");
        arguments.add("--socket");
        arguments.add(socket.toString());
        return run(arguments.toArray(new String[0]));
    }

    @ParameterizedTest
    @ValueSource(strings = {"list", "describe night", "history night", "list --json", "describe night --json"})
    void showsWhatTheHeadSays(String words) {
        assertThat(policy(words.split(" ", -1))).as(err.toString()).isZero();
        String name = words.replace(" night", "").replace(" --json", "");
        golden("policy-" + name + (words.endsWith("--json") ? ".json" : ".txt"), out.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "new", "check", "list", "describe", "enable", "disable", "history"})
    void everyCommandExplainsItself(String name) {
        assertThat(name.isEmpty() ? run("policy", "--help") : run("policy", name, "--help"))
                .isZero();
        golden("help-policy" + (name.isEmpty() ? "" : "-" + name) + ".txt", out.toString());
    }

    @Test
    void administratorsChangeWhatDecides() {
        HEAD.policies.changes.clear();
        assertThat(policy("enable", "night")).as(err.toString()).isZero();
        assertThat(policy("disable", "night")).isZero();
        assertThat(HEAD.policies.changes).containsExactly("enable night", "disable night");
        assertThat(out.toString()).contains("policy night is starting");
    }

    @Test
    void whatIsNotThereIsSaid() {
        assertThat(policy("describe", "dusk")).isEqualTo(CliFailure.FAILED);
        assertThat(err.toString()).contains("there is no policy 'dusk'");
        assertThat(policy("describe", "../x")).isEqualTo(CliFailure.BAD_INPUT);
    }

    /** The file of 'new' passes 'check', and a mistake in it is shown where it is; with real children. */
    @Test
    void theExamplePassesAndAMistakeIsShownWhereItIs() throws IOException {
        assertThat(run("policy", "new", "night-shift", "--to", folder.toString()))
                .isZero();
        Path file = folder.resolve("NightShift.java");
        assertThat(run("policy", "check", file.toString(), "--deadline", "10s"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).contains("policy night-shift passed").contains("how long a job waits");
        assertThat(run("policy", "new", "night-shift", "--to", folder.toString()))
                .isEqualTo(CliFailure.BAD_INPUT);
        assertThat(err.toString()).contains("is there already");

        Files.writeString(file, Files.readString(file).replace("new ArrayList<>()", "new ArrayLst<>()"));
        assertThat(run("policy", "check", file.toString())).isEqualTo(CliFailure.BAD_INPUT);
        assertThat(err.toString()).contains("NightShift.java:54:33: cannot find symbol");
    }

    @Test
    void noFileAndNoNameAreBadInput() {
        assertThat(run("policy", "check", folder.resolve("None.java").toString()))
                .isEqualTo(CliFailure.BAD_INPUT);
        assertThat(run("policy", "new", "Night Shift", "--to", folder.toString()))
                .isEqualTo(CliFailure.BAD_INPUT);
        assertThat(err.toString()).contains("'Night Shift' is no name for a policy");
    }
}
