package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.Report.JobReport.Phase;

/** Users of a directory that says strange things, on a real node of a real director. */
@Tag("processes")
final class NodeIdentityTest extends OnNodes {
    private static final int BOB = 60_002;

    private JobOrder order(String job, TestInstance instance, String user, int uid, int gid) {
        var draft = new OrderDraft(job, "n-" + instance.id, uid, "id -u\nid -Gn | tr ' ' '\\n' >names\necho done\n");
        draft.user = user;
        draft.gid = gid;
        return draft.order();
    }

    @Test
    void oneLoginInTwoBranchesIsRefusedAndTheNodeGoesOn() throws Exception {
        site.addUser("bob", BOB, "ou=physics," + TestSite.BASE);
        site.addUser("bob", BOB + 1, "ou=guests," + TestSite.BASE);
        TestInstance instance = nodes.ready("two");
        site.jobs.put("b1", order("b1", instance, "bob", BOB, BOB));
        assertThat(site.untilPhase("b1", Phase.REFUSED).message())
                .contains("bob cannot be told apart")
                .contains("uid=bob,ou=guests," + TestSite.BASE)
                .contains("uid=bob,ou=physics," + TestSite.BASE);
        nodes.order("a1", instance, "echo fine\n");
        assertThat(site.untilPhase("a1", Phase.ENDED).exitCode()).isZero();
        assertThat(nodes.stdout("a1", instance)).isEqualTo("fine\n");
        assertThat(instance.poweredOff()).isFalse();
    }

    @Test
    void oneNumberOfTwoLoginsIsRefused() throws Exception {
        site.addUser("bob", BOB);
        site.addUser("rob", BOB);
        TestInstance instance = nodes.ready("uid");
        site.jobs.put("b1", order("b1", instance, "bob", BOB, BOB));
        assertThat(site.untilPhase("b1", Phase.REFUSED).message())
                .contains("uid=bob,")
                .contains("uid=rob,");
        site.jobs.put("c1", order("c1", instance, "carl", TestNodes.UID, TestNodes.UID));
        assertThat(site.untilPhase("c1", Phase.REFUSED).message()).contains("is another's in the directory");
    }

    @Test
    void aGroupThatTheDirectoryDoesNotGiveIsRefused() throws Exception {
        TestInstance instance = nodes.ready("gid");
        site.jobs.put("g1", order("g1", instance, "ann", TestNodes.UID, 4_711));
        assertThat(site.untilPhase("g1", Phase.REFUSED).message())
                .contains("gid 4711 is no group of ann in the directory");
    }

    @Test
    void loginsWithSignsAndGroupsWithSpacesAreTheirs() throws Exception {
        assumeTrue(TestNodes.ROOT);
        site.addUser("svc@realm.org", BOB);
        site.addUser("with$dollar", BOB + 1);
        site.addGroup("domain users", 60_100, "svc@realm.org");
        TestInstance instance = nodes.ready("sign");
        var svc = new OrderDraft("s1", "n-" + instance.id, BOB, "id -un\nid -Gn | grep -o 'domain users'\n");
        svc.user = "svc@realm.org";
        site.jobs.put("s1", svc.order());
        var dollar = new OrderDraft("d1", "n-" + instance.id, BOB + 1, "id -un\n");
        dollar.user = "with$dollar";
        site.jobs.put("d1", dollar.order());
        assertThat(site.untilPhase("s1", Phase.ENDED).message()).isEmpty();
        assertThat(nodes.stdout("s1", instance)).isEqualTo("svc@realm.org\ndomain users\n");
        assertThat(site.untilPhase("d1", Phase.ENDED).message()).isEmpty();
        assertThat(nodes.stdout("d1", instance)).isEqualTo("with$dollar\n");
    }

    /** Whose number or login changes while a job runs ends as who began; what comes after is refused with a sentence. */
    @Test
    void aNumberOrALoginThatChangesWhileAJobRunsChangesNothingOfThatJob() throws Exception {
        assumeTrue(TestNodes.ROOT);
        site.addUser("bob", BOB);
        site.addUser("rob", BOB + 10);
        TestInstance instance = nodes.ready("turn");
        String script = "mkdir results\nid -u >results/uid\nwhile [ ! -e go ]; do sleep 0.1; done\n"
                + "id -u >>results/uid\nstat -c %u results/uid\n";
        for (String user : List.of("bob", "rob")) {
            var draft = new OrderDraft(user + "1", "n-" + instance.id, user.equals("bob") ? BOB : BOB + 10, script);
            draft.user = user;
            site.jobs.put(user + "1", draft.order());
            site.untilPhase(user + "1", Phase.RUNNING);
        }
        // Bob's number is Eve's now, and Rob is called Robert.
        site.addUser("bob", BOB + 1);
        site.addUser("eve", BOB);
        site.renameUser("rob", "robert", BOB + 10);
        site.untilDirectoryIsThere();
        for (String job : List.of("bob1", "rob1")) {
            String uid = Integer.toString(job.equals("bob1") ? BOB : BOB + 10);
            TestNodes.await(
                    job + " has begun", () -> Files.exists(instance.disk.resolve("work/" + job + ".1/results/uid")));
            Files.writeString(instance.disk.resolve("work/" + job + ".1/go"), "");
            assertThat(site.untilPhase(job, Phase.ENDED).message()).isEmpty();
            assertThat(nodes.stdout(job, instance)).isEqualTo(uid + "\n");
            assertThat(site.results(job, "n-" + instance.id).get("results/uid")).isEqualTo(uid + "\n" + uid + "\n");
        }
        site.jobs.put("bob2", order("bob2", instance, "bob", BOB, BOB));
        assertThat(site.untilPhase("bob2", Phase.REFUSED).message())
                .contains("user bob cannot be told apart")
                .contains("uid=eve,");
        site.jobs.put("rob2", order("rob2", instance, "rob", BOB + 10, BOB + 10));
        assertThat(site.untilPhase("rob2", Phase.REFUSED).message())
                .contains("uid " + (BOB + 10) + " is another's in the directory, and not rob's");
    }
}
