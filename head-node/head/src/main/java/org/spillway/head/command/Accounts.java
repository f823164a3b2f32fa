package org.spillway.head.command;

import java.util.List;
import java.util.function.Consumer;
import org.spillway.api.OfferingView;
import org.spillway.api.OperationOrder;
import org.spillway.api.OperationView;
import org.spillway.cli.CliFailure;

/** The accounts behind sites: through the head, or without one straight from the configuration. */
public interface Accounts {
    /** Names of all sites, in their order. */
    List<String> sites();

    /** @param sites empty for all */
    List<OfferingView> offerings(List<String> sites);

    /**
     * Has an operation done and waits for its end, whatever that is.
     *
     * @param progress told how far it is
     * @throws CliFailure when it may not be begun
     */
    OperationView run(OperationOrder order, Consumer<String> progress) throws InterruptedException;
}
