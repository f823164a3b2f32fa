package org.spillway.proof.faultsim;

import java.time.Instant;
import java.util.function.Supplier;
import org.spillway.head.journal.Journal;
import org.spillway.head.loop.Loop;
import org.spillway.head.loop.port.Ports;
import org.spillway.head.loop.settings.LoopSettings;

/** Starts a head's loop; the production one, or one with a planted mistake. */
@FunctionalInterface
public interface LoopFactory {
    Loop start(LoopSettings settings, Journal journal, Ports ports, Supplier<Instant> clock);
}
