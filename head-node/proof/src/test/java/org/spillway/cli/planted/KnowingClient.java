package org.spillway.cli.planted;

import org.spillway.head.journal.Journal;

/** A planted violation. */
public interface KnowingClient {
    Journal known();
}
