package org.spillway.slurm.setup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.slurm.conf.Wanted;

/** A site's folder of Slurm: changed, changed by others meanwhile, broken off, and taken back. */
final class SlurmSetupTest {
    private static final String CONF = """
            ClusterName=lab
            SlurmctldParameters=cloud_dns # ours
            PROLOG=/etc/slurm/prolog.sh
            SuspendProgram=/usr/local/sbin/off
            CliFilterPlugins=lua
            NodeName=home[1-2] CPUs=2
            PartitionName=home Nodes=home[1-2] Default=YES
            # f\u00fcr uns""";

    @TempDir
    Path folder;

    private Path etc = Path.of("");
    private Path conf = Path.of("");

    @BeforeEach
    void site() throws IOException {
        etc = Files.createDirectories(folder.resolve("etc"));
        conf = write("slurm.conf", CONF, "rw-r-----");
        write("cli_filter.lua", "function slurm_cli_pre_submit(o) return 0 end\n", "rw-r--r--");
        write("gres.conf", "NodeName=home1 Name=gpu File=/dev/nvidia0\n", "rw-rw-r--");
    }

    private Path write(String name, String text, String mode) throws IOException {
        Path file = Files.write(etc.resolve(name), Texts.bytes(text));
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    /** All files with their modes. */
    private Map<String, String> seen() throws IOException {
        var all = new TreeMap<String, String>();
        try (Stream<Path> files = Files.list(etc)) {
            for (Path file : files.toList()) {
                all.put(
                        file.getFileName().toString(),
                        PosixFilePermissions.toString(Files.getPosixFilePermissions(file)) + " "
                                + Digests.sha256(Files.readAllBytes(file)));
            }
        }
        return all;
    }

    private SetupStore store() throws IOException, SetupRefused {
        return store(file -> {});
    }

    private SetupStore store(Consumer<Path> before) throws IOException, SetupRefused {
        return SetupStore.open(folder.resolve("state/slurm-setup"), before);
    }

    private SlurmSetup.Proposal apply() throws IOException, SetupRefused {
        try (var store = store()) {
            store.recover();
            return apply(store);
        }
    }

    private SlurmSetup.Proposal apply(SetupStore store) throws IOException, SetupRefused {
        var setup = new SlurmSetup(store);
        var proposal = setup.propose(conf, SetupScene.wanted(etc), SetupScene.place(conf), false);
        setup.make(proposal);
        return proposal;
    }

    private SlurmSetup.Proposal undo() throws IOException, SetupRefused {
        try (var store = store()) {
            store.recover();
            var setup = new SlurmSetup(store);
            var proposal = setup.back();
            setup.make(proposal);
            return proposal;
        }
    }

    @Test
    void appliedTwiceAndTakenBackAllIsAsItWas() throws Exception {
        var before = seen();
        var proposal = apply();
        assertThat(proposal.changes())
                .extracting(
                        change -> Path.of(change.move().path()).getFileName().toString())
                .containsExactlyInAnyOrder(
                        "burst_buffer.conf",
                        "burst_buffer.lua",
                        "cli_filter.lua",
                        "gres.conf",
                        "slurm.conf",
                        "spillway-resume",
                        "spillway-suspend",
                        "spillway_cli_filter.lua")
                .last()
                .isEqualTo("slurm.conf");
        assertThat(proposal.changes().getLast().diff())
                .contains("+#|SlurmctldParameters=cloud_dns # ours\n"
                        + "+SlurmctldParameters=cloud_dns,enable_configless,idle_on_node_suspend\n")
                .contains("+Epilog=/[ru]")
                .doesNotContain("+Prolog=")
                .contains("\\ No newline at end of file");
        assertThat(proposal.notes()).anyMatch(note -> note.startsWith("Prolog=/etc/slurm/prolog.sh stays as it is"));
        assertThat(Files.readString(etc.resolve("spillway-suspend")))
                .contains("west-gpu-[0-9]*) ours=", "exec /usr/local/sbin/off \"${others#,}\"");
        assertThat(seen().get("slurm.conf")).startsWith("rw-r-----").isNotEqualTo(before.get("slurm.conf"));
        assertThat(seen().get("spillway-resume")).startsWith("rwxr-xr-x");
        assertThat(seen().keySet()).noneMatch(name -> name.startsWith("."));
        assertThat(apply().changes()).as("there is nothing more to do").isEmpty();
        Path manifest = folder.resolve("state/slurm-setup/manifest.json");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(manifest)))
                .isEqualTo("rw-------");
        assertThat(undo().notes()).isEmpty();
        assertThat(seen()).isEqualTo(before);
        assertThat(undo().changes()).isEmpty();
    }

    @Test
    void moreNodesAreTakenInWithoutAStart() throws Exception {
        var before = seen();
        assertThat(apply().restart()).isTrue();
        var more = SetupScene.wanted(etc);
        var fewer = new Wanted(more.settings(), List.of(), List.of(), more.files());
        try (var store = store()) {
            var setup = new SlurmSetup(store);
            var proposal = setup.propose(conf, fewer, SetupScene.place(conf), false);
            assertThat(proposal.restart()).isFalse();
            assertThat(proposal.changes().getLast().diff()).contains("-PartitionName=west ");
            setup.make(proposal);
        }
        undo();
        assertThat(seen()).isEqualTo(before);
    }

    @Test
    void aCallThatIsBrokenOffAnywhereIsFinishedOrTakenBackByTheNext() throws Exception {
        var before = seen();
        apply();
        var after = seen();
        undo();
        for (int last = 0; last < 8; last++) {
            breakOff(last, this::apply);
            assertThat(seen()).isNotEqualTo(after);
            apply();
            assertThat(seen()).as("apply, broken off before change %d", last).isEqualTo(after);
            breakOff(last, store -> {
                var setup = new SlurmSetup(store);
                setup.make(setup.back());
            });
            if (last % 2 == 0) {
                apply();
                assertThat(seen())
                        .as("undo, broken off before change %d, then apply", last)
                        .isEqualTo(after);
            }
            undo();
            assertThat(seen()).as("undo, broken off before change %d", last).isEqualTo(before);
            breakOff(last, this::apply);
            undo();
            assertThat(seen())
                    .as("apply, broken off before change %d, then undo", last)
                    .isEqualTo(before);
        }
    }

    private interface Call {
        void on(SetupStore store) throws IOException, SetupRefused;
    }

    private void breakOff(int changes, Call call) throws IOException, SetupRefused {
        int[] left = {changes};
        try (var store = store(file -> {
            if (left[0]-- == 0) {
                throw new UncheckedIOException(new IOException("broken off at " + file));
            }
        })) {
            assertThatThrownBy(() -> call.on(store)).isInstanceOf(UncheckedIOException.class);
        }
    }

    @Test
    void whatOthersAddMeanwhileStays() throws Exception {
        apply();
        Files.write(conf, Texts.bytes("# first\n" + Texts.of(Files.readAllBytes(conf)) + "TreeWidth=9\n"));
        var proposal = undo();
        assertThat(proposal.notes())
                .containsExactly(conf + " was changed by somebody since: their lines stay, ours go");
        assertThat(Texts.of(Files.readAllBytes(conf))).isEqualTo("# first\n" + CONF + "\nTreeWidth=9\n");
        assertThat(etc.resolve("spillway-resume")).doesNotExist();
    }

    @Test
    void changedLinesOfOursAreNamedAndNothingIsTakenBack() throws Exception {
        apply();
        Files.writeString(
                etc.resolve("gres.conf"),
                Files.readString(etc.resolve("gres.conf")).replace("h100", "a100"));
        Files.writeString(etc.resolve("burst_buffer.conf"), "Directive=OTHER\n");
        var before = seen();
        assertThatThrownBy(this::undo)
                .isInstanceOf(SetupRefused.class)
                .hasMessageContaining(etc.resolve("gres.conf") + " was changed since, where it is ours")
                .hasMessageContaining("-NodeName=west-gpu-[1-2] Name=gpu Type=h100")
                .hasMessageContaining("+NodeName=west-gpu-[1-2] Name=gpu Type=a100")
                .hasMessageContaining(etc.resolve("burst_buffer.conf").toString())
                .hasMessageContaining("+Directive=OTHER");
        assertThat(seen()).isEqualTo(before);
        assertThatThrownBy(this::apply).isInstanceOf(SetupRefused.class);
        Files.delete(etc.resolve("burst_buffer.conf"));
        Files.writeString(
                etc.resolve("gres.conf"),
                Files.readString(etc.resolve("gres.conf")).replace("a100", "h100"));
        undo();
        assertThat(seen().keySet()).containsExactly("cli_filter.lua", "gres.conf", "slurm.conf");
    }

    @Test
    void whatIsThereAndNotOursIsRefused() throws Exception {
        write("spillway-resume", "#!/bin/sh\n", "rwxr-xr-x");
        assertThatThrownBy(this::apply).hasMessageContaining("spillway-resume is there and is not Spillway's");
        Files.delete(etc.resolve("spillway-resume"));
        Files.writeString(conf, CONF + "\nPartitionName=west Nodes=home[1-2]\n");
        assertThatThrownBy(this::apply).hasMessageContaining("slurm.conf:9: partition west is there, with other nodes");
        Files.writeString(conf, "");
        assertThatThrownBy(this::apply).hasMessageContaining("says nothing");
    }

    @Test
    void aSitesOwnBurstBufferStays() throws Exception {
        write("burst_buffer.lua", "-- the site's\n", "rw-r--r--");
        Files.writeString(conf, CONF + "\nBurstBufferType=burst_buffer/lua\n");
        var before = seen();
        assertThat(apply().notes()).anyMatch(note -> note.startsWith("the site's own burst buffer"));
        assertThat(seen().get("burst_buffer.lua")).isEqualTo(before.get("burst_buffer.lua"));
        assertThat(etc.resolve("burst_buffer.conf")).doesNotExist();
    }

    @Test
    void aLinkStaysOneAndTheFileBehindItIsChanged() throws Exception {
        Path real = Files.createDirectories(folder.resolve("shared")).resolve("slurm.conf");
        Files.move(conf, real);
        Files.createSymbolicLink(conf, real);
        apply();
        assertThat(conf).isSymbolicLink();
        assertThat(Texts.of(Files.readAllBytes(real))).contains("PartitionName=west ");
        undo();
        assertThat(conf).isSymbolicLink().hasBinaryContent(Texts.bytes(CONF));
    }

    @Test
    void twoCallsAtATimeAreNot() throws Exception {
        try (var store = store()) {
            assertThat(store.manifest().files()).isEmpty();
            assertThatThrownBy(this::undo).isInstanceOf(SetupRefused.class).hasMessageContaining("at work");
        }
    }
}
