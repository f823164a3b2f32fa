package org.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.spillway.api.AccountsView.GroupView;
import org.spillway.api.AccountsView.PlaceView;
import org.spillway.api.OperationOrder;
import org.spillway.api.OperationOrder.ThingName;
import org.spillway.cloud.Diagnostics.Finding;
import org.spillway.cloud.Diagnostics.Verdict;
import org.spillway.head.command.DoctorCommand;
import org.spillway.head.doctor.AccountPlaces;
import org.spillway.head.doctor.Examination;
import org.spillway.head.rest.FakeAccounts;

/** doctor, audit, site and offerings, as an administrator types them. */
final class AccountCommandsTest extends AskedHead {
    private static final ThingName ORPHAN = new ThingName("instance", "i-9");

    @Test
    void anAuditNamesEachThingAndItsOwnerAndAddsUp() {
        assertThat(ask("audit")).isEqualTo(1);
        golden("audit.txt", out.toString());
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void anAuditSpeaksJson() {
        assertThat(ask("audit", "east", "--json")).isEqualTo(1);
        golden("audit.json", out.toString());
    }

    @Test
    void whatHasNoOwnerIsDeletedAndNothingElse() {
        assertThat(ask("audit", "--delete", "--yes")).isZero();
        assertThat(HEAD.accounts.orders)
                .contains(new OperationOrder("delete", "east", List.of(ORPHAN)))
                .noneMatch(order -> order.things().stream().anyMatch(thing -> !thing.equals(ORPHAN)));
        assertThat(out.toString())
                .contains("This saves 0.50 per hour")
                .contains("nothing without owner")
                .contains("k-1");
    }

    @Test
    void whatCannotBeTaggedIsDeletedOnlyByItsId() {
        assertThat(ask("audit", "--delete", "--only", "k-1", "--yes")).isEqualTo(1);
        assertThat(HEAD.accounts.orders.getLast())
                .isEqualTo(new OperationOrder("delete", "east", List.of(new ThingName("key", "k-1"))));
        assertThat(out.toString()).contains("1 without owner");
    }

    @Test
    void whatWasNamedAndIsStillThereIsAFailure() {
        HEAD.accounts.bill = FakeAccounts.BILL.stream()
                .filter(one -> !one.verdict().equals("ORPHAN"))
                .toList();
        HEAD.accounts.keeps = true;
        assertThat(ask("audit")).isZero();
        assertThat(ask("audit", "--delete", "--only", "k-1", "--yes")).isEqualTo(1);
        HEAD.accounts.keeps = false;
        assertThat(ask("audit", "--delete", "--only", "k-1", "--yes")).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "--delete --only i-1 --yes,--only: instance i-1 belongs to node east-1 (ada)",
        "--delete --only i-7 --yes,--only: nothing on these bills has the id i-7",
        "--only k-1,--only says what to delete",
        "--delete,there is no terminal to ask on",
        "west,there is no site 'west'"
    })
    void whatIsNotMeantIsRefusedAndNothingIsDeleted(String options, String message) {
        assertThat(ask(("audit " + options).split(" "))).isEqualTo(2);
        assertThat(err.toString()).contains(message);
        assertThat(HEAD.accounts.orders).noneMatch(order -> order.kind().equals("delete"));
    }

    @Test
    void aBillThatCannotBeReadIsNoCleanBill() {
        HEAD.accounts.trouble = "the credentials\u001b[2J are not accepted";
        assertThat(ask("audit")).isEqualTo(1);
        assertThat(out.toString())
                .isEqualTo("site east: its bill could not be read: the credentials?[2J are not accepted\n");
    }

    @Test
    void confirmationIsAYesAndNothingElse() {
        for (var answer : List.of("yes\n", " yes ", "YES\n", "y\n", "", "\n")) {
            var asked = new StringWriter();
            var in = new ByteArrayInputStream(answer.getBytes(StandardCharsets.UTF_8));
            assertThat(new Confirmation(() -> true, in).isGiven(false, "Delete?", new PrintWriter(asked)))
                    .as(answer)
                    .isEqualTo(answer.strip().equals("yes"));
            assertThat(asked.toString()).isEqualTo("Delete? Type yes to go on: ");
        }
        assertThatThrownBy(() -> new Confirmation(() -> false, new ByteArrayInputStream(new byte[0]))
                        .isGiven(false, "Delete?", new PrintWriter(new StringWriter())))
                .hasMessageContaining("no terminal");
    }

    @Test
    void aSitesNetworkIsMadeAndRemovedAndItsCostSaid() {
        assertThat(ask2("site", "create", "east", "--yes")).isZero();
        assertThat(out.toString())
                .contains("gateway  nat-1  0.045")
                .contains("The network of site east costs 0.045 per hour");
        assertThat(ask2("site", "delete", "east", "--yes")).isZero();
        assertThat(out.toString()).contains("Nothing is left of the network of site east.");
        assertThat(HEAD.accounts.orders)
                .extracting(OperationOrder::kind)
                .containsExactly("create-network", "audit", "delete-network");
        assertThat(ask2("site", "create", "nowhere", "--yes")).isEqualTo(2);
        assertThat(ask2("site", "delete", "east")).isEqualTo(2);
    }

    /** The option of a subcommand stands behind it. */
    private int ask2(String command, String subcommand, String... more) {
        var words = new java.util.ArrayList<>(List.of(command, subcommand, "--socket", socket.toString()));
        words.addAll(List.of(more));
        return run(words.toArray(new String[0]));
    }

    @Test
    void offeringsAreListedAndSifted() {
        assertThat(ask("offerings")).isZero();
        golden("offerings.txt", out.toString());
        out.getBuffer().setLength(0);
        assertThat(ask("offerings", "--gpus", "--type", "*-l?rge", "--json")).isZero();
        assertThat(out.toString()).contains("gpu-large").doesNotContain("\"small\"");
        out.getBuffer().setLength(0);
        assertThat(ask("offerings", "--type", "gpu")).isZero();
        assertThat(out.toString()).doesNotContain("gpu-large");
    }

    @Test
    void theDoctorsPageIsGroupedBySite() {
        var good = new Finding("endpoint", Verdict.GOOD, "answers", "");
        var quota = new Finding("quota p5\u001b[2J", Verdict.WARNING, "0 of 96", "ask for more");
        var broken = new Finding("credentials", Verdict.BROKEN, "not accepted", "correct keyFile");
        var found = new Examination(
                Verdict.BROKEN,
                List.of(good),
                List.of(
                        new Examination.SiteExamined("east", "aws", Verdict.WARNING, List.of(good, quota)),
                        new Examination.SiteExamined("west", "azure", Verdict.BROKEN, List.of(broken))));
        golden("doctor.txt", DoctorCommand.page(found));
    }

    @Test
    void theDoctorReadsTheConfigurationAndNamesEveryMistake() throws IOException {
        var config = Files.writeString(folder.resolve("spillway.yaml"), "cluster: x\nbudget: { limit: 1 }\n");
        assertThat(run("doctor", "--config", config.toString())).isEqualTo(2);
        assertThat(err.toString()).contains(config + ":2: budget.period: missing");
        assertThat(run("doctor", "--config", config.toString(), "--timeout", "1h"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--timeout: found '1h'");
    }

    private static PlaceView known(String kind, String site, String node, GroupView... groups) {
        return new PlaceView(kind, site, node, "KNOWN", 7001, 7000, List.of(groups), "");
    }

    @Test
    void aUserIsComparedWhereverItIsKnownAndADifferenceFails() {
        var staff = new GroupView(7000, "staff");
        var lab = new GroupView(7100, "lab");
        var places = List.of(
                known("DIRECTORY", "", "", staff, lab),
                known("HEAD", "", "", staff),
                known("COPY", "east", "", staff, lab),
                known("NODE", "east", "east-1", staff, new GroupView(4711, "ol\u001b[2Jd")),
                known("COPY", "west", "", staff, lab),
                PlaceView.without(
                        "NODE", "west", "", "UNASKED", "no node is up: the director's copy is what jobs will get"));
        var asked = new java.util.ArrayList<String>();
        HEAD.users = user -> {
            asked.add(user);
            var waiting = new java.util.ArrayList<>(places);
            waiting.set(3, PlaceView.without("NODE", "east", "east-1", "WAITING", ""));
            return AccountPlaces.compared(user, asked.size() == 1 ? waiting : places, 1000);
        };
        assertThat(ask("doctor", "--user", "ada")).isEqualTo(1);
        golden("doctor-user.txt", out.toString());
        assertThat(asked).containsExactly("ada", "ada");
        out.getBuffer().setLength(0);
        assertThat(ask("doctor", "--user", "ada", "--json")).isEqualTo(1);
        assertThat(out.toString()).contains("\"what\" : \"LACKS\"").contains("\"directory\" : \"lab(7100)\"");
        out.getBuffer().setLength(0);
        HEAD.users = user -> AccountPlaces.compared(user, places.subList(0, 1), 1000);
        assertThat(ask("doctor", "--user", "svc@realm$x")).isZero();
        assertThat(out.toString()).contains("svc@realm$x is the same in all places that know it.");
        assertThat(ask("doctor", "--user", "a b")).isEqualTo(2);
        assertThat(ask("doctor", "--user", "ada", "east")).isEqualTo(2);
        assertThat(ask("doctor", "--user", "ada", "--launch")).isEqualTo(2);
        assertThat(ask("doctor", "--user", "ada", "--record", "told.jsonl")).isEqualTo(2);
        HEAD.users = org.spillway.head.rest.AccountsApi.NONE;
    }
}
