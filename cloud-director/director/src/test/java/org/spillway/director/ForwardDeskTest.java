package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.spillway.director.wire.Forwards.Forward;
import org.spillway.director.wire.JobOrder;
import org.spillway.director.wire.SiteAccounts.Account;
import org.spillway.director.wire.SiteAccounts.Group;

/** Who may use a service of home, by the region's directory. */
final class ForwardDeskTest {
    private static final JobOrder ORDER = new OrderDraft("7", "n1", 1000, "true\n").order();

    private static Optional<Forward> forward(String... groups) {
        return Optional.of(new Forward("licence", "srv", List.of(27000), List.of(groups)));
    }

    private static Optional<Account> account(long uid, String... groups) {
        return Optional.of(new Account(
                uid,
                100,
                List.of(groups).stream().map(name -> new Group(1, name)).toList()));
    }

    @Test
    void aMemberMay() {
        assertThat(ForwardDesk.refusal(forward("fem", "cad"), ORDER, account(1000, "users", "cad")))
                .isEmpty();
        assertThat(ForwardDesk.refusal(forward("*"), ORDER, account(1000))).isEmpty();
    }

    @Test
    void nobodyElseMay() {
        assertThat(ForwardDesk.refusal(forward("cad"), ORDER, account(1000, "users")))
                .contains("user ann is in none of its groups (cad)");
        assertThat(ForwardDesk.refusal(Optional.empty(), ORDER, account(1000, "cad")))
                .contains("there is no such service");
    }

    /** A login that is another's by now has that one's groups, and the job has not. */
    @Test
    void aLoginWithAnotherNumberMayNot() {
        String none = "user ann is not in the directory with uid 1000";
        assertThat(ForwardDesk.refusal(forward("*"), ORDER, account(1001, "cad")))
                .contains(none);
        assertThat(ForwardDesk.refusal(forward("*"), ORDER, Optional.empty())).contains(none);
    }
}
