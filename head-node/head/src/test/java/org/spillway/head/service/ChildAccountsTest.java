package org.spillway.head.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.spillway.cloud.Compute;
import org.spillway.cloud.Diagnostics;
import org.spillway.cloud.Site;

/** A site of a cluster that ends is left to those who have it, and closed when they cannot have it any more. */
final class ChildAccountsTest {
    private Instant now = Instant.parse("2026-11-26T20:00:00Z");
    private final List<String> closed = new ArrayList<>();
    private final ChildAccounts accounts =
            new ChildAccounts((cluster, site) -> new Named(cluster + "/" + site), () -> now);

    @Test
    void anAuditThatBeganBeforeItsClusterEndedReadsOn() {
        Site held = accounts.of("main-c1", "east");
        accounts.leave("main-c1");
        now = now.plus(Operations.LONGEST);
        accounts.leave("main-c2");
        assertThat(closed).isEmpty();
        now = now.plus(Duration.ofMinutes(2));
        accounts.leave("main-c2");
        assertThat(closed).containsExactly("main-c1/east");
        assertThat(accounts.of("main-c1", "east")).isNotSameAs(held);
    }

    @Test
    void othersStayOpenAndTheSame() {
        Site other = accounts.of("main-c10", "east");
        accounts.of("main-c1", "east");
        accounts.leave("main-c1");
        assertThat(accounts.of("main-c10", "east")).isSameAs(other);
    }

    @Test
    void allAreClosedWithTheHead() {
        accounts.of("main-c1", "east");
        accounts.of("main-c2", "west");
        accounts.leave("main-c1");
        accounts.close();
        accounts.close();
        assertThat(closed).containsExactlyInAnyOrder("main-c1/east", "main-c2/west");
    }

    private final class Named implements Site {
        private final String name;

        Named(String name) {
            this.name = name;
        }

        @Override
        public Compute compute() {
            throw new AssertionError("nobody asks");
        }

        @Override
        public Diagnostics diagnostics() {
            throw new AssertionError("nobody asks");
        }

        @Override
        public void close() {
            closed.add(name);
        }
    }
}
