package org.spillway.head.command;

import java.util.List;
import java.util.function.Consumer;
import org.spillway.api.OfferingView;
import org.spillway.api.OperationOrder;
import org.spillway.api.OperationView;
import org.spillway.api.SiteView;
import org.spillway.cli.HeadClient;

/** Through a head that runs: it alone may change what its journal speaks of. */
record HeadsAccounts(HeadClient head) implements Accounts {
    private static final long LOOK_MILLIS = 200;

    @Override
    public List<String> sites() {
        return head.list("/sites", "sites", SiteView.class).stream()
                .map(SiteView::name)
                .toList();
    }

    @Override
    public List<OfferingView> offerings(List<String> sites) {
        var wanted = sites.isEmpty() ? "" : "?sites=" + String.join(",", sites);
        return head.list("/offerings" + wanted, "offerings", OfferingView.class);
    }

    /** The head bounds the time of every operation. */
    @Override
    public OperationView run(OperationOrder order, Consumer<String> progress) throws InterruptedException {
        var operation = HeadClient.read(head.post("/operations", order), OperationView.class);
        while (operation.isRunning()) {
            progress.accept(operation.message());
            Thread.sleep(LOOK_MILLIS);
            operation = head.get("/operations/" + operation.id(), OperationView.class);
        }
        return operation;
    }
}
