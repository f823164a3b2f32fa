package org.spillway.proof.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class InstanceLedgerTest {
    private final InstanceLedger ledger = new InstanceLedger();

    @Test
    void countsWhatACloudHasForgottenAsEnded() {
        ledger.look("east", List.of(machine("a", "RUNNING"), machine("b", "PENDING")));
        ledger.look("west", List.of(machine("c", "RUNNING")));
        assertThat(ledger.launched()).isEqualTo(3);
        assertThat(ledger.left()).isEqualTo(3);

        ledger.look("east", List.of(machine("b", "TERMINATED")));
        assertThat(ledger.terminated()).isEqualTo(2);
        assertThat(ledger.left()).isEqualTo(1);
        ledger.look("west", List.of(machine("c", "TERMINATING")));
        assertThat(ledger.left()).isEqualTo(1);
        ledger.look("west", List.of(machine("c", "TERMINATED"), machine("d", "TERMINATED")));
        assertThat(List.of(ledger.launched(), ledger.terminated(), ledger.left()))
                .containsExactly(4, 4, 0);
    }

    private static LocalCloudAccess.Machine machine(String id, String state) {
        return new LocalCloudAccess.Machine(id, "small", "NODE", state, "127.0.0.9");
    }
}
