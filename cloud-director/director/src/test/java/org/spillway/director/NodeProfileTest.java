package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Directive.ImageGrant;
import org.spillway.director.wire.Directive.NodeGrant;
import org.spillway.director.wire.Directive.NodeProfile;
import org.spillway.director.wire.Report;
import org.spillway.director.wire.Report.JobReport.Phase;

/** The real node scripts are made another category, join overlays and leave them. */
@Tag("processes")
final class NodeProfileTest extends OnNodes {
    private void name(TestInstance instance, NodeProfile profile) {
        String node = "n-" + instance.id;
        site.nodes.replaceAll(each -> each.node().equals(node) ? new NodeGrant(node, null, profile) : each);
    }

    /** As the head does: nothing of an earlier turn counts. */
    private void untilPassed(TestInstance instance, int turn) throws Exception {
        site.until(
                "turn " + turn,
                report -> report.nodes().stream()
                        .anyMatch(
                                node -> node.node().equals("n-" + instance.id) && node.ready() && passed(node, turn)));
    }

    private static boolean passed(Report.NodeReport node, int turn) {
        return node.gate().stream()
                .anyMatch(check -> check.name().equals(NodeProfile.CHECK)
                        && check.passed()
                        && check.detail().equals(Integer.toString(turn)));
    }

    private String greeting(String job, TestInstance instance) throws Exception {
        return said(job, instance, "greet\necho \"${FLAVOUR-none} $(extra)\"\n");
    }

    private String said(String job, TestInstance instance, String script) throws Exception {
        nodes.order(job, instance, script);
        site.untilPhase(job, Phase.ENDED);
        site.jobs.remove(job);
        return nodes.stdout(job, instance);
    }

    private ImageGrant overlay(String name, String extra) throws Exception {
        Path tree = folder.resolve("overlay-" + name);
        Files.createDirectories(tree.resolve("bin"));
        Files.createDirectories(tree.resolve("spillway"));
        program(tree.resolve("bin/extra"), "echo " + extra);
        Files.writeString(tree.resolve("spillway/environment"), "# what it tastes like\nFLAVOUR=" + extra + "\n");
        program(tree.resolve("spillway/join"), "[ ! -e " + folder + "/refuse ] || exit 3; echo joined >>" + hooks());
        program(tree.resolve("spillway/leave"), "echo left >>" + hooks());
        return granted(name, tree);
    }

    private ImageGrant granted(String name, Path tree) throws Exception {
        byte[] tar = Tar.of(tree, List.of("."));
        String sha = site.stage("images/y", tar);
        Files.move(folder.resolve("state/store/images/y"), folder.resolve("state/store/images/" + sha));
        return ImageGrant.archive(
                "overlay-" + name, sha, tar.length, site.signature("overlay-" + name, sha, tar.length));
    }

    private Path hooks() {
        return folder.resolve("hooks");
    }

    private static void program(Path file, String body) throws Exception {
        Files.writeString(file, "#!/bin/sh\n" + body + "\n");
        file.toFile().setExecutable(true, false);
    }

    @Test
    void aNodeBecomesAnotherAndItsJobsSeeThatImageAndOverlay() throws Exception {
        TestInstance instance = nodes.ready("g1");
        assertThat(greeting("j1", instance)).isEqualTo("hello from the image\nnone \n");
        ImageGrant other = site.makeImage("hello from the other");
        ImageGrant spice = overlay("spice", "pepper");
        name(instance, new NodeProfile(1, other, List.of(spice), null));
        untilPassed(instance, 1);
        assertThat(greeting("j2", instance)).isEqualTo("hello from the other\npepper pepper\n");
        assertThat(hooks()).hasContent("joined");

        name(instance, new NodeProfile(2, site.image, List.of(), null));
        untilPassed(instance, 2);
        assertThat(greeting("j3", instance)).isEqualTo("hello from the image\nnone \n");
        assertThat(hooks()).hasContent("joined\nleft");
    }

    /** The overlay of {@code examples/mount} with another line in its file. */
    @Test
    void anOverlayMountsAFileSystemThatJobsSee() throws Exception {
        assumeTrue(new ProcessBuilder("unshare", "-m", "true").start().waitFor() == 0, "mounting is for root");
        Path place = folder.resolve("mounted");
        Path tree = Files.createDirectories(folder.resolve("mount/spillway")).getParent();
        for (String program : List.of("join", "leave")) {
            Path copy = tree.resolve("spillway/" + program);
            Files.copy(Path.of("../../examples/mount/spillway", program), copy);
            copy.toFile().setExecutable(true, false);
        }
        Files.writeString(tree.resolve("spillway/mount"), "tmpfs none " + place + " rw,mode=755\n");
        TestInstance instance = nodes.ready("g7");
        String look = "mountpoint -q " + place + " && echo mounted || echo not\n";
        try {
            name(instance, new NodeProfile(1, site.image, List.of(granted("mount", tree)), null));
            untilPassed(instance, 1);
            assertThat(said("j1", instance, look)).isEqualTo("mounted\n");
            name(instance, new NodeProfile(2, site.image, List.of(), null));
            untilPassed(instance, 2);
            assertThat(said("j2", instance, look)).isEqualTo("not\n");
        } finally {
            new ProcessBuilder("umount", place.toString()).start().waitFor();
        }
    }

    @Test
    void theAgentAndTheDirectorMayDieOnTheWay() throws Exception {
        TestInstance instance = nodes.instance("g2");
        Process agent = instance.boot(site.userData());
        site.untilReady(instance.id);
        ImageGrant other = site.makeImage("hello from the other");
        Files.createFile(folder.resolve("refuse"));
        name(instance, new NodeProfile(1, other, List.of(overlay("spice", "pepper")), null));
        site.until(
                "a gate that does not pass",
                report -> report.nodes().stream()
                        .flatMap(node -> node.gate().stream())
                        .anyMatch(check -> check.detail().equals("overlay overlay-spice: join ended with 3")));
        assertThat(site.sync().nodes())
                .allSatisfy(node -> assertThat(node.ready()).isFalse());
        agent.destroyForcibly();
        site.restartDirector();
        Files.delete(folder.resolve("refuse"));
        instance.boot(site.userData());
        untilPassed(instance, 1);
        assertThat(greeting("j1", instance)).isEqualTo("hello from the other\npepper pepper\n");
    }

    @Test
    void whatTheHeadHasNotSignedIsNotJoined() throws Exception {
        TestInstance instance = nodes.ready("g3");
        ImageGrant spice = overlay("spice", "pepper");
        ImageGrant forged = ImageGrant.archive("overlay-other", spice.sha256(), spice.bytes(), spice.signature());
        name(instance, new NodeProfile(1, site.image, List.of(forged), null));
        site.until(
                "a refusal",
                report -> report.nodes().stream()
                        .flatMap(node -> node.gate().stream())
                        .anyMatch(check -> check.detail().contains("the signature is not the head's")));
        assertThat(hooks()).doesNotExist();
        assertThat(site.sync().nodes()).noneMatch(node -> passed(node, 1));
    }
}
