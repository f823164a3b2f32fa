package org.spillway.localcloud;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Addresses of one local-cloud. Its network 127.N is claimed by listening on 127.N.0.1:2221 for as long as
 * the process lives, so that two local-clouds of a machine, of whatever user, never give the same address. Another
 * network was given to it by whoever leads it here, and is claimed by nothing.
 */
final class Addresses implements AutoCloseable {
    private static final int CLAIM_PORT = 2221;
    private static final int FIRST = 77;
    /** Of three numbers: the fourth is 1 to this, and the rest is whoever's that leads the network here. */
    private static final int MOST_OF_SMALL = 249;

    private static final int NETWORKS = 150;
    private final String network;
    private final @Nullable ServerSocket claim;
    private int last;

    private Addresses(String network, @Nullable ServerSocket claim) {
        this.network = network;
        this.claim = claim;
    }

    /** @param wanted such as {@code 127.77} or {@code 10.9.8}; empty to take the first free one, beginning where the path's hash says */
    static Addresses claim(String wanted, Path state) throws IOException {
        if (!wanted.isEmpty()) {
            return new Addresses(wanted, wanted.startsWith("127.") ? listen(wanted) : null);
        }
        int start = Math.floorMod(state.toString().hashCode(), NETWORKS);
        IOException lastProblem = new IOException("none was tried");
        for (int i = 0; i < NETWORKS; i++) {
            String candidate = "127." + (FIRST + (start + i) % NETWORKS);
            try {
                return new Addresses(candidate, listen(candidate));
            } catch (IOException taken) {
                lastProblem = taken;
            }
        }
        throw new IOException("no free network in 127.77 to 127.226", lastProblem);
    }

    private static ServerSocket listen(String network) throws IOException {
        try {
            return new ServerSocket(CLAIM_PORT, 1, InetAddress.getByName(network + ".0.1"));
        } catch (IOException taken) {
            throw new IOException("network " + network + " is in use by another local-cloud", taken);
        }
    }

    String network() {
        return network;
    }

    /** An address that is not in {@code used}. */
    synchronized String next(Set<String> used) throws IOException {
        boolean small = network.chars().filter(dot -> dot == '.').count() == 2;
        int all = small ? MOST_OF_SMALL : 254 * 254;
        for (int tries = 0; tries < all; tries++) {
            last = last % all + 1;
            String address = small
                    ? network + "." + last
                    : network + "." + (1 + (last - 1) / 254) + "." + (1 + (last - 1) % 254);
            if (!used.contains(address)) {
                return address;
            }
        }
        throw new IOException("all addresses of " + network + " are in use");
    }

    @Override
    public void close() throws IOException {
        if (claim != null) {
            claim.close();
        }
    }
}
