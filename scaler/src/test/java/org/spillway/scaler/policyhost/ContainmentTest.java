package org.spillway.scaler.policyhost;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** The walls around a child, by who the head is and what the kernel allows; and that it is said. */
final class ContainmentTest {
    private static Predicate<List<String>> without(String command) {
        return prefix -> !prefix.contains(command);
    }

    @Test
    void rootsChildIsNobodyWithoutNetwork() {
        Containment all = Containment.of(0, prefix -> true);
        assertThat(all.prefix()).contains("unshare", "--net", "--pid", "--reuid=65534", "--no-new-privs", "prlimit");
        assertThat(all.unprivileged()).isTrue();
        assertThat(all.description())
                .isEqualTo(
                        "runs as nobody, without network, in a process namespace of its own, with no folder but its own");
        assertThat(Containment.of(0, without("--mount")).description())
                .startsWith("runs as nobody, without network, in a process namespace of its own, but SEES OTHER FILES");
        assertThat(Containment.of(0, without("--pid")).description())
                .startsWith("runs as nobody, without network, but SEES OTHER FILES AND SOCKETS");
        Containment net = Containment.of(0, without("unshare"));
        assertThat(net.mayRun()).isTrue();
        assertThat(net.description()).contains("WITH NETWORK");
        Containment none = Containment.of(0, without("setpriv"));
        assertThat(none.mayRun()).as("root's rights are not given to a plugin").isFalse();
        assertThat(none.description()).contains("NOT RUN");
    }

    @Test
    void aTryThatDoesNotEndLeadsToNoWeakerWalls() {
        for (int uid : List.of(0, 1000)) {
            Containment unknown = Containment.of(uid, prefix -> {
                if (prefix.contains("--mount")) {
                    throw new Containment.Unanswered();
                }
                return true;
            });
            assertThat(unknown.mayRun()).isFalse();
            assertThat(unknown.prefix()).isEmpty();
            assertThat(unknown.description()).contains("NOT RUN").contains("did not end within 60 s");
        }
    }

    @Test
    void aUsersChildIsThatUser() {
        Containment all = Containment.of(1000, prefix -> true);
        assertThat(all.prefix()).contains("--map-root-user", "--net", "--pid").doesNotContain("--reuid=65534");
        assertThat(all.unprivileged()).isFalse();
        assertThat(all.description()).startsWith("runs as the head's user, without network");
        assertThat(Containment.of(1000, without("--mount")).description()).contains("SEES OTHER FILES AND SOCKETS");
        Containment limits = Containment.of(1000, without("unshare"));
        assertThat(limits.prefix()).first().isEqualTo("prlimit");
        assertThat(limits.description()).contains("WITH NETWORK");
        Containment bare = Containment.of(1000, prefix -> false);
        assertThat(bare.prefix()).isEmpty();
        assertThat(bare.mayRun()).isTrue();
        assertThat(bare.description()).contains("WITH NETWORK");
    }
}
