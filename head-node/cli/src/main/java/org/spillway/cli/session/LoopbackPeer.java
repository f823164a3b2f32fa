package org.spillway.cli.session;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/** Who is at the other end of a connection over the loopback, as the kernel's table of connections says. */
final class LoopbackPeer {
    private static final List<Path> TABLES = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

    private LoopbackPeer() {}

    /** Whether it is this process's user, or root. A connection that the kernel does not list is a stranger's. */
    static boolean isOwn(SocketChannel client) throws IOException {
        if (!(client.getRemoteAddress() instanceof InetSocketAddress peer)
                || !(client.getLocalAddress() instanceof InetSocketAddress here)) {
            return true; // a socket of mode 600
        }
        int own = ((Number) Files.getAttribute(Path.of("/proc/self"), "unix:uid")).intValue();
        for (Path table : TABLES) {
            if (Files.exists(table)) {
                OptionalInt uid = uid(Files.readAllLines(table), peer, here);
                if (uid.isPresent()) {
                    return uid.getAsInt() == own || uid.getAsInt() == 0;
                }
            }
        }
        return false;
    }

    /** @param lines of the table, such as {@code 0: 0100007F:A2B4 0100007F:22B8 01 00000000:00000000 00:00000000 00000000 1000} */
    static OptionalInt uid(List<String> lines, InetSocketAddress peer, InetSocketAddress here) {
        String wanted = place(peer);
        String other = place(here);
        for (String line : lines) {
            String upper = line.toUpperCase(Locale.ROOT);
            // The table of version 6 has the same four bytes behind a prefix.
            String[] words = upper.strip().split("\\s+", -1);
            if (words.length > 7
                    && words[1].replaceFirst("^0{16}FFFF0000", "").equals(wanted)
                    && words[2].replaceFirst("^0{16}FFFF0000", "").equals(other)
                    && words[7].matches("\\d{1,10}")) {
                return OptionalInt.of((int) Long.parseLong(words[7]));
            }
        }
        return OptionalInt.empty();
    }

    /** As the kernel of a little-endian machine prints it. */
    private static String place(InetSocketAddress address) {
        var text = new StringBuilder();
        if (address.getAddress() instanceof Inet4Address four) {
            byte[] bytes = four.getAddress();
            for (int at = bytes.length - 1; at >= 0; at--) {
                text.append(String.format(Locale.ROOT, "%02X", bytes[at] & 0xff));
            }
        }
        return text + String.format(Locale.ROOT, ":%04X", address.getPort());
    }
}
