package org.spillway.stage.pull;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Addresses that inputs may come from: all that are public, and private ones that an administrator has named. Metadata
 * services and other link-local addresses never are. Pure.
 */
public final class Networks {
    private static final List<Network> NEVER = List.of(
            network("169.254.0.0/16"), network("100.100.100.200/32"), network("fe80::/10"), network("fd00:ec2::/32"));
    private static final List<Network> PRIVATE = List.of(
            network("0.0.0.0/8"),
            network("10.0.0.0/8"),
            network("100.64.0.0/10"),
            network("127.0.0.0/8"),
            network("172.16.0.0/12"),
            network("192.0.0.0/24"),
            network("192.0.2.0/24"),
            network("192.88.99.0/24"),
            network("192.168.0.0/16"),
            network("198.18.0.0/15"),
            network("198.51.100.0/24"),
            network("203.0.113.0/24"),
            network("224.0.0.0/3"));
    /** Of IPv6 one block is public, less its parts that hold another address, or nobody's. */
    private static final Network PUBLIC = network("2000::/3");

    private static final List<Network> PRIVATE_OF_PUBLIC =
            List.of(network("2001::/23"), network("2001:db8::/32"), network("2002::/16"), network("3fff::/20"));

    private final List<Network> allowed;

    /** A block of addresses. @param address of which the first {@code bits} count */
    private record Network(List<Byte> address, int bits) {
        boolean has(InetAddress other) {
            byte[] bytes = other.getAddress();
            if (bytes.length != address.size()) {
                return false;
            }
            for (int bit = 0; bit < bits; bit++) {
                int mask = 0x80 >> (bit % 8);
                if ((bytes[bit / 8] & mask) != (address.get(bit / 8) & mask)) {
                    return false;
                }
            }
            return true;
        }
    }

    private Networks(List<Network> allowed) {
        this.allowed = List.copyOf(allowed);
    }

    /**
     * @param allowed private networks besides the public ones, as {@code ADDRESS/BITS}
     * @throws IllegalArgumentException if one is none
     */
    public static Networks of(List<String> allowed) {
        return new Networks(allowed.stream().map(Networks::network).toList());
    }

    private static Network network(String text) {
        String[] parts = text.split("/", -1);
        // A name would be looked up; digits and colons are not.
        boolean numeric =
                parts[0].matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}") || parts[0].matches("[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*");
        if (parts.length != 2 || !numeric || !parts[1].matches("[0-9]{1,3}")) {
            throw new IllegalArgumentException("found '" + text + "'; allowed: ADDRESS/BITS, such as 10.0.0.0/8");
        }
        try {
            byte[] bytes = InetAddress.getByName(parts[0]).getAddress();
            int bits = Integer.parseInt(parts[1]);
            if (bits > bytes.length * 8) {
                throw new IllegalArgumentException("found '" + text + "'; an address there has no " + bits + " bits");
            }
            List<Byte> all = new ArrayList<>();
            for (byte one : bytes) {
                all.add(one);
            }
            return new Network(List.copyOf(all), bits);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("found '" + text + "'; allowed: ADDRESS/BITS, such as 10.0.0.0/8", e);
        }
    }

    /** Whether an input may come from there. */
    public boolean permit(InetAddress address) {
        if (isIn(NEVER, address) || address.isAnyLocalAddress() || address.isMulticastAddress()) {
            return false;
        }
        return isPublic(address) || isIn(allowed, address);
    }

    private static boolean isPublic(InetAddress address) {
        return address instanceof Inet4Address
                ? !isIn(PRIVATE, address)
                : PUBLIC.has(address) && !isIn(PRIVATE_OF_PUBLIC, address);
    }

    private static boolean isIn(List<Network> networks, InetAddress address) {
        return networks.stream().anyMatch(network -> network.has(address));
    }

    @Override
    public String toString() {
        return Arrays.toString(allowed.toArray());
    }
}
