package org.spillway.proof.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.api.JobState;
import org.spillway.api.SiteView;
import org.spillway.cloud.Planted;
import org.spillway.head.journal.SqliteJournalStore;

/**
 * A good and several broken sites of each driver in one configuration, with and without a head: the doctor names each,
 * the head uses the good one, the audit finds and deletes what has no owner, and no secret is seen anywhere.
 */
@Tag("processes")
final class DoctorAuditTest {
    private static final String CONFIG = """
            cluster: audited
            state: ./state
            currency: USD
            budget: { limit: 50.00, period: day }
            directory: { source: nss }
            image: { name: base, tree: ./image }
            queues:
              all: { sites: [%s], maxWalltime: 10m, default: true }
              broken: { sites: [wrongkey] }
            scaler: { tick: 1s, settings: { idleTime: 10m } }
            """;

    @TempDir
    Path given;

    /** All that was ever printed or answered. */
    private final StringBuilder said = new StringBuilder();

    private Path folder = Path.of("");

    @Test
    void theLocalDriver() throws Exception {
        wholeStory(Account::local);
    }

    @Test
    void theAwsDriver() throws Exception {
        wholeStory(Account::ec2);
    }

    @Test
    void theAzureDriver() throws Exception {
        wholeStory(Account::arm);
    }

    @Test
    void theOpenStackDriver() throws Exception {
        wholeStory(Account::nova);
    }

    private interface Opening {
        Account in(Path folder) throws Exception;
    }

    private void wholeStory(Opening opening) throws Exception {
        folder = given.toRealPath();
        try (Account account = opening.in(folder);
                HeadFixture head = HeadFixture.complete(folder)) {
            // Below the fixture's own folder lies its cloud: it is this one.
            Files.writeString(
                    config(), CONFIG.formatted(String.join(", ", account.sites().keySet())) + account.yaml());
            theDoctorNamesEach(account);
            withoutAHeadAnOrphanOfEachKindIsFoundAndDeleted(account);
            head.start();
            theHeadUsesTheGoodOne(head, account);
            theDoctorSeesTheDirector();
            everythingHasAnOwner(head);
            noSecretIsSeen(head, account);
        }
    }

    private Path config() {
        return folder.resolve("spillway.yaml");
    }

    private Ended run(String... words) {
        Ended ended = Ended.of(config(), words);
        said.append(ended.out()).append(ended.err());
        return ended;
    }

    private void theDoctorNamesEach(Account account) throws Exception {
        Ended doctor = run("doctor", "--json");
        assertThat(doctor.code()).as(doctor.err()).isEqualTo(1);
        Map<String, String> verdicts = new LinkedHashMap<>();
        Map<String, String> broken = new LinkedHashMap<>();
        for (JsonNode site : doctor.json().path("sites")) {
            verdicts.put(site.path("site").asText(), site.path("verdict").asText());
            for (JsonNode check : site.path("checks")) {
                if (check.path("verdict").asText().equals("BROKEN")) {
                    assertThat(check.path("repair").asText()).isNotEmpty();
                    broken.merge(site.path("site").asText(), check.toString(), (one, other) -> one + "\n" + other);
                }
            }
        }
        assertThat(verdicts).hasSize(account.sites().size()).containsEntry("nowhere", "BROKEN");
        assertThat(broken).doesNotContainKey("good");
        account.reasons().forEach((site, word) -> assertThat(broken.get(site)).contains(word));
        assertThat(run("doctor", "good").code()).isZero();
        assertThat(run("doctor", "god").code()).isEqualTo(2);
        assertThat(run("doctor").out()).contains("site wrongkey").contains("BROKEN: site ");
    }

    private void withoutAHeadAnOrphanOfEachKindIsFoundAndDeleted(Account account) throws Exception {
        assertThat(run("audit", "good").code()).isZero();
        List<String> strange = names(account.planter().oneOfEachKind("stranger", "good"));
        List<String> bought = new ArrayList<>(names(account.planter().oneOfEachKind("audited", "good")));
        // A person buys these, and a person gives them back.
        List<String> reserved = bought.stream()
                .filter(thing -> thing.startsWith("reservation "))
                .toList();
        bought.removeAll(reserved);
        Ended audit = run("audit", "good", "--json");
        assertThat(audit.code()).as(audit.err()).isEqualTo(1);
        assertThat(audit.json().path("orphans").asInt()).as(audit.out()).isGreaterThanOrEqualTo(bought.size());
        assertThat(named(audit, "ORPHAN")).containsAll(bought).doesNotContainAnyElementsOf(strange);
        assertThat(named(audit, "UNMARKED")).containsAll(reserved).doesNotContainAnyElementsOf(bought);
        for (JsonNode thing : audit.json().at("/sites/0/things")) {
            assertThat(thing.path("why").asText()).as(thing.toString()).isNotEmpty();
        }
        assertThat(run("audit", "good", "--delete").code())
                .as("nobody confirmed it")
                .isEqualTo(2);
        Ended blind = run("audit", "good", "--delete", "--yes");
        assertThat(blind.code()).isEqualTo(1);
        assertThat(blind.err()).contains("there is no journal in");
        assertThat(named(run("audit", "good", "--json"), "ORPHAN"))
                .as("it is all still there")
                .containsAll(bought);
        SqliteJournalStore.open(folder.resolve("state")).close();
        Ended deleted = run("audit", "good", "--delete", "--yes", "--json");
        assertThat(deleted.code()).as(deleted.out() + deleted.err()).isZero();
        assertThat(deleted.err()).contains("This saves ");
        assertThat(named(deleted, "ORPHAN")).isEmpty();
        assertThat(named(deleted, "UNMARKED")).containsAll(reserved);
        for (String thing : reserved) {
            String id = thing.substring(thing.indexOf(' ') + 1);
            Ended one = run("audit", "good", "--delete", "--only", id, "--yes");
            assertThat(one.code()).as(one.out() + one.err()).isZero();
        }
        assertThat(run("audit", "good").out()).contains("site good: 0 things");
        whatAStrangerHasIsStillThere(strange);
        commandsThatNeedAProvider(account);
    }

    private static List<String> names(List<Planted> planted) {
        return planted.stream().map(thing -> thing.kind() + " " + thing.id()).toList();
    }

    private static List<String> named(Ended audit, String verdict) throws IOException {
        List<String> things = new ArrayList<>();
        for (JsonNode thing : audit.json().at("/sites/0/things")) {
            if (thing.path("verdict").asText().equals(verdict)) {
                things.add(thing.path("kind").asText() + " " + thing.path("id").asText());
            }
        }
        return things;
    }

    private void whatAStrangerHasIsStillThere(List<String> strange) throws IOException {
        String own = Files.readString(config());
        Files.writeString(config(), own.replace("cluster: audited", "cluster: stranger"));
        Ended theirs = run("audit", "good", "--json");
        List<String> all = named(theirs, "ORPHAN");
        all.addAll(named(theirs, "UNMARKED"));
        assertThat(all).as(theirs.err()).containsAll(strange);
        Files.writeString(config(), own);
    }

    private void commandsThatNeedAProvider(Account account) {
        Ended all = run("audit");
        assertThat(all.code()).isEqualTo(1);
        assertThat(all.out())
                .contains("site wrongkey: its bill could not be read")
                .contains("site good: 0 things");
        assertThat(run("offerings", "good").out()).contains("small").contains("0.20");
        if (account.sites().getOrDefault("good", "").startsWith("driver: local,")) {
            Ended created = run("site", "create", "good", "--yes");
            assertThat(created.code()).isEqualTo(1);
            assertThat(created.err()).contains("makes no network");
        }
    }

    private void theHeadUsesTheGoodOne(HeadFixture head, Account account) {
        assertThat(Processes.eventually(
                        HeadFixture.PATIENCE,
                        () -> reasons(head)
                                .keySet()
                                .containsAll(account.reasons().keySet())))
                .as("%s", reasons(head))
                .isTrue();
        account.reasons()
                .forEach((site, word) -> assertThat(reasons(head).get(site)).contains(word));
        String job = head.submit(HeadFixture.sized("all", "#!/bin/sh\nexit 0\n", 1, "", List.of()));
        String waits = head.submit(HeadFixture.sized("broken", "#!/bin/sh\nexit 0\n", 1, "", List.of()));
        assertThat(head.awaitEnd(job).job().state()).isEqualTo(JobState.DONE);
        assertThat(head.job(job).job().site()).isEqualTo("good");
        assertThat(reasons(head)).doesNotContainKey("good");
        String why = head.command("explain", waits);
        said.append(why);
        assertThat(why).contains("credentials");
    }

    private static Map<String, String> reasons(HeadFixture head) {
        Map<String, String> reasons = new LinkedHashMap<>();
        for (SiteView site : head.client().list("/sites", "sites", SiteView.class)) {
            if (!site.reason().isEmpty()) {
                reasons.put(site.name(), site.reason());
            }
        }
        return reasons;
    }

    private void theDoctorSeesTheDirector() throws Exception {
        Ended doctor = run("doctor", "good", "--json");
        assertThat(doctor.code()).as(doctor.out()).isZero();
        assertThat(doctor.out()).contains("director's port");
    }

    private void everythingHasAnOwner(HeadFixture head) throws Exception {
        Ended audit = run("audit", "good", "--json");
        assertThat(audit.code()).as(audit.out() + audit.err()).isZero();
        List<String> owned = named(audit, "OWNED");
        assertThat(owned.stream().filter(thing -> thing.startsWith("instance ")))
                .hasSize(2);
        List<String> owners = new ArrayList<>();
        audit.json()
                .at("/sites/0/things")
                .forEach(thing -> owners.add(thing.path("owner").asText()));
        // Things that go with an instance have its owner.
        assertThat(owners)
                .anyMatch(owner -> owner.startsWith("director good-director-"))
                .anyMatch(owner -> owner.startsWith("node good-"))
                .allMatch(owner -> owner.startsWith("director ") || owner.startsWith("node "));
        assertThat(run("offerings", "good", "--json").out()).contains("\"health\" : \"good\"");
        head.kill();
        Ended without = run("audit", "good", "--json");
        assertThat(named(without, "OWNED")).as(without.out()).isEqualTo(owned);
        assertThat(without.code()).isZero();
        head.start();
    }

    /** In no file that is not a secret's own, no answer, no output and no process's arguments. */
    private void noSecretIsSeen(HeadFixture head, Account account) throws IOException {
        Map<String, String> places = new LinkedHashMap<>();
        places.put("printed", said.toString());
        for (String path :
                List.of("/sites", "/nodes", "/jobs?ended=true", "/plan", "/queues", "/offerings", "/health")) {
            places.put(path, new String(head.client().get(path), StandardCharsets.UTF_8));
        }
        for (long pid : Processes.ofRun(folder)) {
            places.put("process " + pid, Processes.commandLine(pid));
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = file.getFileName().toString();
                if (name.contains(".log") || name.contains(".db") || name.endsWith(".yaml")) {
                    places.put(
                            folder.relativize(file).toString(),
                            new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
                }
            }
        }
        assertThat(places.keySet().toString())
                .contains("head.log")
                .contains("journal.db")
                .contains("process ");
        for (String secret : account.secrets()) {
            assertThat(secret.length()).isGreaterThan(20);
            places.forEach((place, text) -> assertThat(text.contains(secret))
                    .as("%s shows %s...", place, secret.substring(0, 4))
                    .isFalse());
        }
    }
}
