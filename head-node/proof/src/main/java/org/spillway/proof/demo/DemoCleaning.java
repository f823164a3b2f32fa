package org.spillway.proof.demo;

import java.io.IOException;
import java.util.List;

/** Ends everything once: at the end, or when the process is asked to end before. */
final class DemoCleaning implements Runnable {
    private final DemoFiles files;
    private final DemoHead head;
    private List<DriverAccess> foreign = List.of();
    private boolean done;

    DemoCleaning(DemoFiles files, DemoHead head) {
        this.files = files;
        this.head = head;
    }

    /** Regions that live on: whatever bears this demo's mark there is ended through their drivers. */
    synchronized void alsoEnd(List<DriverAccess> accesses) {
        foreign = List.copyOf(accesses);
    }

    private void endForeign() throws IOException {
        for (DriverAccess access : foreign) {
            List<String> live = access.machines().stream()
                    .filter(machine -> !machine.hasEnded() && !machine.isEnding())
                    .map(LocalCloudAccess.Machine::id)
                    .toList();
            if (!live.isEmpty()) {
                access.terminate(live);
            }
        }
    }

    synchronized void disarm() {
        done = true;
    }

    @Override
    public synchronized void run() {
        if (done) {
            return;
        }
        done = true;
        try {
            head.end();
            endForeign();
        } catch (IOException failed) {
            System.err.println("spillway demo: look for instances of this demo yourself: " + failed.getMessage());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
        try {
            new DemoEnding(files).endClouds();
            files.delete();
        } catch (IOException failed) {
            System.err.println("spillway demo: " + files.folder() + " could not be removed: " + failed.getMessage());
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }
}
