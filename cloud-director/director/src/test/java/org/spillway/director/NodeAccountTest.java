package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.SiteAccounts;
import org.spillway.director.wire.SiteAccounts.Account;
import org.spillway.director.wire.SiteAccounts.Group;
import org.spillway.director.wire.SiteAccounts.Word;

/** The head asks what a node's own name service says of a login: real node, real director. */
@Tag("processes")
final class NodeAccountTest extends OnNodes {
    private static final int BOB = 60_002;

    private static String getent(String cases) {
        return "#!/bin/sh\ncase \"$*\" in\n" + cases + "*) exit 2 ;;\nesac\n";
    }

    private SiteAccounts ask(String login) throws Exception {
        var answer = site.send(site.headClient(), "GET", "/v1/accounts?login=" + login, new byte[0]);
        assertThat(answer.statusCode()).isEqualTo(200);
        return WireJson.readAccounts(answer.body());
    }

    private SiteAccounts answered(String login) throws Exception {
        var last = new SiteAccounts[] {ask(login)};
        site.until("a word on " + login, report -> {
            try {
                last[0] = ask(login);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
            return last[0].word() != Word.ASKED;
        });
        return last[0];
    }

    @Test
    void aNodesNameServiceIsHeardBesideTheCopy() throws Exception {
        site.addUser("bob", BOB);
        site.addGroup("science", 60_100, "bob");
        assertThat(ask("bob").word()).isEqualTo(Word.NO_NODE);
        TestInstance instance = nodes.instance("own");
        instance.program("getent", getent("""
                'passwd bob') echo 'bob:x:61002:61000:Bob:/home/bob:/bin/sh' ;;
                'passwd carl') exec sleep 0 ;;
                'group 61000 4711') echo 'domain users:x:61000:'; echo 'old:x:4711:bob,ann' ;;
                """));
        instance.program(
                "id", "#!/bin/sh\n[ \"$*\" != '-G -- bob' ] || { echo 61000 4711; exit; }\nexec /usr/bin/id \"$@\"\n");
        instance.boot(site.userData());
        site.untilReady(instance.id);
        SiteAccounts said = answered("bob");
        assertThat(said.node()).isEqualTo("n-" + instance.id);
        assertThat(said.word()).isEqualTo(Word.KNOWN);
        assertThat(said.there())
                .isEqualTo(new Account(
                        61_002, 61_000, java.util.List.of(new Group(61_000, "domain users"), new Group(4_711, "old"))));
        assertThat(said.copy().uid()).isEqualTo(BOB);
        assertThat(said.copy().groups()).extracting(Group::name).contains("science");
        assertThat(answered("nobody-here").word()).isEqualTo(Word.UNKNOWN);
        assertThat(answered("nobody-here").copy()).isNull();
        assertThat(answered("carl").word()).as("status 0 and no line").isEqualTo(Word.UNREADABLE);
        assertThat(site.send(site.headClient(), "GET", "/v1/accounts?login=-x", new byte[0])
                        .statusCode())
                .isEqualTo(400);
        assertThat(instance.poweredOff()).isFalse();
    }

    @Test
    void aNodesWordsAreDataAndNeverMore() {
        assertThat(parse("status 0\npasswd bob:1:2\ngroups 2 3\ngroup a\u001b[2J:3\n")
                        .account())
                .isEqualTo(new Account(1, 2, java.util.List.of(new Group(2, ""), new Group(3, "a?[2J"))));
        assertThat(parse("status 0\npasswd rob:1:2\ngroups 2\n").word()).isEqualTo(Word.UNKNOWN);
        assertThat(parse("status 2\n").word()).isEqualTo(Word.UNKNOWN);
        for (String strange : new String[] {
            "",
            "status 1\n",
            "status 0\n",
            "status 0\npasswd bob:1\ngroups 1\n",
            "status 0\npasswd bob:1:2\n",
            "status 0\npasswd bob:-1:2\ngroups 2\n",
            "status 0\npasswd bob:1:99999999999\ngroups 2\n",
            "status 0\npasswd bob:1:2\ngroups 2 x\n",
            "status 0\npasswd bob:1:2\ngroups " + "1 ".repeat(9) + "\n"
        }) {
            assertThat(parse(strange).word()).as(strange).isEqualTo(Word.UNREADABLE);
        }
    }

    private static AccountText parse(String text) {
        return AccountText.parse("bob", text.getBytes(StandardCharsets.UTF_8));
    }
}
