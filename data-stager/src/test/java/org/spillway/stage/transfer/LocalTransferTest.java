package org.spillway.stage.transfer;

import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;

class LocalTransferTest extends OnDiskContract {
    private LocalTransfer transfer;

    @BeforeEach
    void open() throws IOException {
        transfer = new LocalTransfer(root());
    }

    @Override
    protected Transfer transfer() {
        return transfer;
    }
}
