package org.spillway.head.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.spillway.head.rest.Caller;

/** Who comes in. */
final class GateTest {
    private static final Caller ADMIN = new Caller("root", 0, 0, true);
    private static final Caller ALICE = new Caller("alice:x", 1001, 100, false);
    private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");
    private static final WebToken.Visitor VISITOR = new WebToken.Visitor(ALICE, NOW.plusSeconds(60));
    private static final String HOST = "127.0.0.1:8080";

    @TempDir
    Path state;

    private WebToken token;
    private Gate gate;

    @BeforeEach
    void make() throws IOException {
        token = WebToken.open(state);
        gate = new Gate(token, "127.0.0.1", 8080, ADMIN);
    }

    private Gate.Verdict judge(String method, String host, String origin, String shown, String cookie) {
        return judge(method, host, origin, shown, cookie, NOW);
    }

    private Gate.Verdict judge(String method, String host, String origin, String shown, String cookie, Instant now) {
        return gate.judge(
                new Gate.Asked(
                        method,
                        host,
                        Optional.ofNullable(origin),
                        Optional.ofNullable(shown),
                        Optional.ofNullable(cookie),
                        "/",
                        Optional.empty()),
                now);
    }

    private String secret() {
        var link = token.link(HOST);
        return link.substring(link.indexOf('=') + 1);
    }

    private static int status(Gate.Verdict verdict) {
        return verdict instanceof Gate.Verdict.Refuse refuse ? refuse.status() : 0;
    }

    @Test
    void theTokenGetsACookieAndTheCookieComesIn() {
        var verdict = judge("GET", HOST, null, secret(), null);
        assertThat(verdict).isEqualTo(new Gate.Verdict.Enter(token.cookie(8080)));
        assertThat(judge("GET", HOST, null, null, token.cookie(8080)))
                .isEqualTo(new Gate.Verdict.Pass(ADMIN, token.form(token.cookie(8080)), Instant.MAX));
        assertThat(judge("HEAD", "localhost:8080", null, null, token.cookie(8080)))
                .isEqualTo(new Gate.Verdict.Pass(ADMIN, token.form(token.cookie(8080)), Instant.MAX));
        assertThat(judge("GET", HOST, "http://" + HOST, null, token.cookie(8080)))
                .isEqualTo(new Gate.Verdict.Pass(ADMIN, token.form(token.cookie(8080)), Instant.MAX));
    }

    @Test
    void neitherIsTakenForTheOther() {
        assertThat(status(judge("GET", HOST, null, token.cookie(8080), null))).isEqualTo(401);
        assertThat(status(judge("GET", HOST, null, null, secret()))).isEqualTo(401);
    }

    @Test
    void nothingOrSomethingElseIsRefusedAndTellsWhereTheLinkIs() {
        for (var shown : new String[] {null, "", "x", secret() + "x", secret().substring(1)}) {
            assertThat(judge("GET", HOST, null, shown, shown))
                    .isInstanceOfSatisfying(Gate.Verdict.Refuse.class, refuse -> {
                        assertThat(refuse.status()).isEqualTo(401);
                        assertThat(refuse.message()).contains("spillway web").doesNotContain(secret());
                    });
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "evil.example",
                "evil.example:8080",
                "127.0.0.1",
                "127.0.0.1:80",
                "127.0.0.2:8080",
                "[::1]:8080"
            })
    void anotherHostIsRefusedWhateverIsShown(String host) {
        assertThat(status(judge("GET", host, null, secret(), token.cookie(8080))))
                .isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "http://evil.example",
                "http://127.0.0.1:8081",
                "https://127.0.0.1:8080",
                "http://localhost:8080"
            })
    void anotherOriginIsRefusedWhateverIsShown(String origin) {
        assertThat(status(judge("GET", HOST, origin, secret(), token.cookie(8080))))
                .isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get"})
    void whatCouldChangeSomethingIsRefused(String method) {
        assertThat(status(judge(method, HOST, null, secret(), token.cookie(8080))))
                .isEqualTo(405);
    }

    /** Somebody who listened on the port while no head was there has a cookie of the past. */
    @Test
    void aCookieIsOfOnePortAndOneRun() throws IOException {
        assertThat(status(judge("GET", HOST, null, null, token.cookie(8081)))).isEqualTo(401);
        var next = WebToken.open(state);
        assertThat(next.link(HOST)).isEqualTo(token.link(HOST));
        assertThat(status(judge("GET", HOST, null, null, next.cookie(8080)))).isEqualTo(401);
    }

    @Test
    void anAddressOfVersionSixStandsInBrackets() {
        var six = new Gate(token, "[::1]", 8080, ADMIN);
        assertThat(six.judge(
                        new Gate.Asked(
                                "GET",
                                "[::1]:8080",
                                Optional.empty(),
                                Optional.empty(),
                                Optional.of(token.cookie(8080)),
                                "/",
                                Optional.empty()),
                        NOW))
                .isEqualTo(new Gate.Verdict.Pass(ADMIN, token.form(token.cookie(8080)), Instant.MAX));
    }

    @Test
    void whoIsNoAdministratorComesInAsThemselves() {
        var shown = token.visitorToken(VISITOR);
        var verdict = judge("GET", HOST, null, shown, null);
        var cookie = token.visitorCookie(VISITOR, 8080);
        assertThat(verdict).isEqualTo(new Gate.Verdict.Enter(cookie));
        assertThat(judge("GET", HOST, null, null, cookie))
                .isEqualTo(new Gate.Verdict.Pass(ALICE, token.form(cookie), NOW.plusSeconds(60)));
        var root = token.visitorToken(new WebToken.Visitor(new Caller("root", 0, 0, false), VISITOR.until()));
        var forged = root.substring(0, root.lastIndexOf('.')) + shown.substring(shown.lastIndexOf('.'));
        for (var wrong : new String[] {forged, shown + "x", "u..", "u.x.y", cookie}) {
            assertThat(status(judge("GET", HOST, null, wrong, null))).as(wrong).isEqualTo(401);
        }
        for (var wrong : new String[] {shown, token.visitorCookie(VISITOR, 8081), forged}) {
            assertThat(status(judge("GET", HOST, null, null, wrong))).as(wrong).isEqualTo(401);
        }
    }

    @Test
    void aUsersLinkEndsAndWhatItOpenedWithIt() {
        var shown = token.visitorToken(VISITOR);
        var cookie = token.visitorCookie(VISITOR, 8080);
        for (var late : new Instant[] {VISITOR.until(), VISITOR.until().plusSeconds(86_400)}) {
            for (var verdict : new Gate.Verdict[] {
                judge("GET", HOST, null, shown, null, late), judge("GET", HOST, null, null, cookie, late)
            }) {
                assertThat(verdict).isInstanceOfSatisfying(Gate.Verdict.Refuse.class, refuse -> {
                    assertThat(refuse.status()).isEqualTo(401);
                    assertThat(refuse.title()).isEqualTo("This link has ended");
                    assertThat(refuse.message()).contains("spillway web");
                });
            }
        }
        // An old link in a browser that has a newer cookie does no harm; and nobody gives themselves more time.
        var later = new WebToken.Visitor(ALICE, VISITOR.until().plusSeconds(60));
        var newer = token.visitorCookie(later, 8080);
        assertThat(judge("GET", HOST, null, shown, newer, VISITOR.until()))
                .isEqualTo(new Gate.Verdict.Pass(ALICE, token.form(newer), later.until()));
        var mine = shown.substring(shown.lastIndexOf('.'));
        var stretched = token.visitorToken(later);
        assertThat(status(judge("GET", HOST, null, stretched.substring(0, stretched.lastIndexOf('.')) + mine, null)))
                .isEqualTo(401);
        assertThat(judge("GET", HOST, null, secret(), null, Instant.MAX))
                .as("an administrator's does not end")
                .isEqualTo(new Gate.Verdict.Enter(token.cookie(8080)));
    }

    @Test
    void onlyAFormOfThePageItselfChangesAClusterAndNothingElse() {
        var cookie = token.visitorCookie(VISITOR, 8080);
        assertThat(change("/clusters/demo/stop", "http://" + HOST, cookie, token.form(cookie)))
                .isEqualTo(new Gate.Verdict.Pass(ALICE, token.form(cookie), NOW.plusSeconds(60)));
        assertThat(status(change("/clusters/demo/stop", null, cookie, token.form(cookie))))
                .isEqualTo(403);
        assertThat(status(change("/clusters/demo/stop", "null", cookie, token.form(cookie))))
                .isEqualTo(403);
        assertThat(status(change("/clusters/demo/stop", "http://" + HOST, cookie, null)))
                .isEqualTo(403);
        assertThat(status(change("/clusters/demo/stop", "http://" + HOST, cookie, token.form(token.cookie(8080)))))
                .isEqualTo(403);
        assertThat(status(change("/clusters/demo/stop", "http://" + HOST, null, token.form(cookie))))
                .isEqualTo(401);
        assertThat(status(change("/jobs/1/cancel", "http://" + HOST, cookie, token.form(cookie))))
                .isEqualTo(405);
        assertThat(status(change("/clustersx", "http://" + HOST, cookie, token.form(cookie))))
                .isEqualTo(405);
    }

    private Gate.Verdict change(String path, String origin, String cookie, String form) {
        return gate.judge(
                new Gate.Asked(
                        "POST",
                        HOST,
                        Optional.ofNullable(origin),
                        Optional.empty(),
                        Optional.ofNullable(cookie),
                        path,
                        Optional.ofNullable(form)),
                NOW);
    }
}
