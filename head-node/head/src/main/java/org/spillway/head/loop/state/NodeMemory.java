package org.spillway.head.loop.state;

/** Memory of nodes and launches besides the journal; each part has its own verbs. Loop thread only. */
public record NodeMemory(NodeSights sights, BootTimes bootTimes, UnknownLaunches unknownLaunches) {
    NodeMemory() {
        this(new NodeSights(), new BootTimes(), new UnknownLaunches());
    }
}
