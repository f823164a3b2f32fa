package org.spillway.head.link;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.spillway.stage.transfer.Transfer;
import org.spillway.stage.transfer.TransferContract;

/** Many connections keep what one does. */
class StreamedTransferTest extends TransferContract {
    private static final int CONNECTIONS = 3;
    private static StagingServer server;

    @TempDir
    Path folder;

    private SiteStreams streams;
    private HomewardLine home;
    private StreamedTransfer transfer;

    @BeforeAll
    static void start() throws Exception {
        server = new StagingServer();
    }

    @AfterAll
    static void stop() throws IOException {
        server.close();
    }

    @BeforeEach
    void open() {
        String space = folder.resolve("space").toString();
        var fixed = new StreamCount(CONNECTIONS, CONNECTIONS, null, null, 1, Long.MAX_VALUE, false);
        streams = new SiteStreams("east", space, fixed, server::connect);
        home = new HomewardLine("east", space, server::connect);
        transfer = new StreamedTransfer(streams, home);
    }

    @AfterEach
    void close() {
        transfer.close();
        streams.close();
        home.close();
    }

    @Override
    protected Transfer transfer() {
        return transfer;
    }
}
