package org.spillway.proof.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.spillway.api.NodeView;
import org.spillway.cli.CliFailure;

/**
 * Gates of a line before each director that a head buys in a local cloud. The head was told that the instances' SSH
 * servers are reached on {@value #PORT}, and tries again until the gate is there.
 */
final class DirectorGates implements AutoCloseable {
    /** Where the gates are. */
    static final int PORT = 2223;
    /** Where a local cloud's instances listen. */
    private static final int BEHIND = 2222;

    private static final long LOOK_MILLIS = 500;

    private final HeadUnderTest head;
    private final SlowLink link;
    private final Set<String> known = new HashSet<>();
    private final Thread thread = Thread.ofVirtual().name("director-gates").unstarted(this::watch);
    private volatile @Nullable IOException failure;

    private DirectorGates(HeadUnderTest head, SlowLink link) {
        this.head = head;
        this.link = link;
    }

    static DirectorGates open(HeadUnderTest head, SlowLink link) {
        var gates = new DirectorGates(head, link);
        gates.thread.start();
        return gates;
    }

    /** @throws IOException if a gate could not be opened: what was measured then is not what was wanted */
    void check() throws IOException {
        IOException why = failure;
        if (why != null) {
            throw new IOException("no gate before a director: " + why.getMessage(), why);
        }
    }

    private void watch() {
        try {
            while (!Thread.interrupted()) {
                for (NodeView node : nodes()) {
                    String address = node.address();
                    if (node.role().equals("director") && !address.isEmpty() && known.add(address)) {
                        InetAddress where = InetAddress.ofLiteral(address);
                        link.gate(new InetSocketAddress(where, PORT), new InetSocketAddress(where, BEHIND));
                    }
                }
                Thread.sleep(LOOK_MILLIS);
            }
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            failure = e;
        }
    }

    private List<NodeView> nodes() {
        try {
            return head.liveNodes();
        } catch (CliFailure busy) {
            return List.of();
        }
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
