package org.spillway.localcloud;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/** The faults that are still to strike, oldest first, and what is wrong for good. */
final class FaultBox {
    private static final int MAX_FAULTS = 1000;
    private final List<Fault> faults = new ArrayList<>();
    private final Random random = new Random();
    private volatile Manner manner = Manner.PLAIN;

    void wear(Manner other) {
        manner = other;
    }

    Manner manner() {
        return manner;
    }

    synchronized void add(Fault fault) {
        if (faults.size() >= MAX_FAULTS) {
            throw new IllegalArgumentException("there are " + MAX_FAULTS + " faults already; clear them first");
        }
        faults.add(fault);
    }

    synchronized void clear() {
        faults.clear();
    }

    synchronized List<Fault> all() {
        return List.copyOf(faults);
    }

    /** The first fault of this kind that strikes here and now; its count goes down by one. */
    synchronized Optional<Fault> take(Fault.Kind kind, String type, String zone) {
        for (int i = 0; i < faults.size(); i++) {
            Fault fault = faults.get(i);
            if (fault.strikes(kind, type, zone) && random.nextDouble() < fault.probability()) {
                if (fault.count() == 1) {
                    faults.remove(i);
                } else {
                    faults.set(i, fault.once());
                }
                return Optional.of(fault);
            }
        }
        return Optional.empty();
    }
}
