package org.spillway.stage.pull;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that send on to where nobody should go, and names that are turned meanwhile. */
@Timeout(120)
final class WhereToTest extends PullScene {
    private static final String TAG = "\"one\"";
    private final byte[] file = noise(20_000_000, 1);

    @Test
    void redirectsAreBounded() throws Exception {
        try (var server = new OddServer(
                identity,
                (asked, number, out) -> out.write(
                        OddServer.head("302 Found", "Location: " + asked.target() + "x", "Content-Length: 0")))) {
            assertThat(fails(server.url("/f")).fault()).isEqualTo(PullFault.REDIRECTS);
            assertThat(server.asked).hasSize(6);
        }
    }

    @Test
    void noRedirectLeadsToWhereNobodyShouldGo() throws Exception {
        for (String location : List.of(
                "https://169.254.169.254/latest/meta-data/",
                "https://[fe80::1]/",
                "https://[::ffff:169.254.169.254]/",
                "https://10.0.0.1/",
                "https://0.0.0.0/",
                "https://[::1]/",
                "https://2852039166/")) {
            try (var server = new OddServer(
                    identity,
                    (asked, number, out) ->
                            out.write(OddServer.head("307 There", "Location: " + location, "Content-Length: 0")))) {
                assertThat(fails(server.url("/f")).fault()).as(location).isEqualTo(PullFault.ADDRESS);
            }
        }
        for (String location : List.of("http://127.0.0.1/", "file:///etc/passwd", "https://me:secret@127.0.0.1/")) {
            try (var server = new OddServer(
                    identity,
                    (asked, number, out) ->
                            out.write(OddServer.head("307 There", "Location: " + location, "Content-Length: 0")))) {
                assertThat(fails(server.url("/f")).fault()).as(location).isEqualTo(PullFault.DOWNGRADED);
            }
        }
    }

    @Test
    void loopbackIsNobodysUnlessTheConfigurationSaysSo() throws Exception {
        networks = List.of();
        try (var server = new OddServer(identity, (asked, number, out) -> OddServer.serve(asked, file, TAG, out))) {
            assertThat(fails(server.url("/f"))).isEqualTo(new Pulled.Failed(PullFault.ADDRESS, "127.0.0.1"));
            assertThat(server.asked).isEmpty();
        }
    }

    @Test
    void portsOfTheDirectorItselfAreNotAsked() throws Exception {
        try (var server = new OddServer(identity, (asked, number, out) -> OddServer.serve(asked, file, TAG, out))) {
            own = address -> address.getPort() == server.port();
            assertThat(fails(server.url("/f")).fault()).isEqualTo(PullFault.ADDRESS);
            assertThat(server.asked).isEmpty();
        }
    }

    @Test
    void aNameIsTheAddressThatWasJudged() throws Exception {
        byte[] small = noise(100, 9);
        int[] looks = {0};
        // First an address that is permitted, then one that is not: as a name does that is turned between two looks.
        names = host -> new InetAddress[] {InetAddress.getByName(looks[0]++ == 0 ? "127.0.0.1" : "10.11.12.13")};
        try (var server = new OddServer(identity, (asked, number, out) -> OddServer.serve(asked, small, TAG, out))) {
            String url = "https://files.example:" + server.port() + "/f";
            comes(pull(url), small);
            assertThat(looks[0]).isEqualTo(1);
            assertThat(fails(url)).isEqualTo(new Pulled.Failed(PullFault.ADDRESS, "10.11.12.13"));
        }
    }

    @Test
    void aPasswordGoesToItsServerOnly() throws Exception {
        byte[] small = noise(100, 10);
        try (var other = new OddServer(identity, (asked, number, out) -> OddServer.serve(asked, small, TAG, out))) {
            try (var server = new OddServer(
                    identity,
                    (asked, number, out) -> out.write(
                            OddServer.head("302 There", "Location: " + other.url("/g"), "Content-Length: 0")))) {
                comes(pull(server.url("/f"), "Basic c2VjcmV0", ""), small);
                assertThat(server.asked.getFirst().field("authorization")).isEqualTo("Basic c2VjcmV0");
                assertThat(other.asked.getFirst().field("authorization")).isEmpty();
            }
        }
    }
}
