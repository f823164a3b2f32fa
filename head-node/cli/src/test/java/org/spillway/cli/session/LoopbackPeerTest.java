package org.spillway.cli.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import org.junit.jupiter.api.Test;

final class LoopbackPeerTest {
    private static final InetSocketAddress PEER = new InetSocketAddress("127.0.0.1", 0xA2B4);
    private static final InetSocketAddress HERE = new InetSocketAddress("127.0.0.1", 0x22B8);
    private static final List<String> TABLE = List.of(
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
            "   0: 0100007F:22B8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1",
            "   1: 0100007F:22B8 0100007F:A2B4 01 00000000:00000000 00:00000000 00000000     7        0 2",
            "   2: 0100007F:A2B4 0100007F:22B8 01 00000000:00000000 00:00000000 00000000  1000        0 3");

    @Test
    void theOtherEndsLineTellsItsUser() {
        assertThat(LoopbackPeer.uid(TABLE, PEER, HERE)).hasValue(1000);
        assertThat(LoopbackPeer.uid(TABLE.subList(0, 3), PEER, HERE)).isEmpty();
    }

    @Test
    void aTableOfVersionSixHasTheSame() {
        assertThat(LoopbackPeer.uid(
                        List.of(
                                "   2: 0000000000000000FFFF00000100007F:A2B4 0000000000000000FFFF00000100007F:22B8 01 0:0 00:0"
                                        + " 00000000  1001        0 3"),
                        PEER,
                        HERE))
                .hasValue(1001);
    }

    @Test
    void ownConnectionsAreKnown() throws Exception {
        try (var server = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0));
                var client = SocketChannel.open(server.getLocalAddress());
                var accepted = server.accept()) {
            assertThat(LoopbackPeer.isOwn(accepted)).isTrue();
            assertThat(client.isOpen()).isTrue();
        }
    }
}
