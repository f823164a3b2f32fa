package org.spillway.director;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ConnectionGuardTest {
    private final List<Socket> sockets = new ArrayList<>();
    private ServerSocket server;
    private ConnectionGuard guard;

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        server.setSoTimeout(10_000);
        guard = new ConnectionGuard(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                new InetSocketAddress(server.getInetAddress(), server.getLocalPort()),
                new ConnectionGuard.Limits(2, 3, 5));
        guard.start();
    }

    @AfterEach
    void stop() throws IOException {
        guard.close();
        server.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private Socket from(String address) throws IOException {
        Socket socket = new Socket(server.getInetAddress(), guard.port(), InetAddress.getByName(address), 0);
        socket.setSoTimeout(10_000);
        sockets.add(socket);
        return socket;
    }

    private Socket accepted() throws IOException {
        Socket socket = server.accept();
        socket.setSoTimeout(10_000);
        sockets.add(socket);
        return socket;
    }

    private static InetSocketAddress peer(Socket inside) {
        return (InetSocketAddress) inside.getRemoteSocketAddress();
    }

    private static boolean isClosed(Socket socket) throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException reset) {
            return true;
        }
    }

    private static void works(Socket client, Socket inside) throws IOException {
        client.getOutputStream().write('a');
        assertThat(inside.getInputStream().read()).isEqualTo('a');
        inside.getOutputStream().write('b');
        assertThat(client.getInputStream().read()).isEqualTo('b');
    }

    @Test
    void bytesAndEndsPassAndTheServerLearnsTheAddress() throws IOException {
        Socket client = from("127.0.0.7");
        Socket inside = accepted();
        works(client, inside);
        assertThat(guard.address(peer(inside))).contains("127.0.0.7");
        client.shutdownOutput();
        assertThat(inside.getInputStream().read()).isNegative();
        byte[] last = new byte[300_000];
        inside.getOutputStream().write(last);
        inside.close();
        assertThat(client.getInputStream().readAllBytes()).hasSize(last.length);
        try (Socket beside = new Socket(server.getInetAddress(), server.getLocalPort())) {
            accepted();
            assertThat(guard.address((InetSocketAddress) beside.getLocalSocketAddress()))
                    .isEmpty();
        }
    }

    @Test
    void aStrangerTooManyTakesTheOldestStrangersPlace() throws IOException {
        Socket known = from("127.0.0.7");
        Socket inside = accepted();
        works(known, inside);
        guard.known(peer(inside));
        Socket first = from("127.0.0.7");
        accepted();
        Socket second = from("127.0.0.7");
        Socket secondInside = accepted();
        works(second, secondInside);
        // The address has no place left, not even for a stranger that would replace another.
        assertThat(isClosed(from("127.0.0.7"))).isTrue();
        works(known, inside);
        known.close();
        assertThat(inside.getInputStream().read()).isNegative();
        inside.close();
        TestNodes.await("the place is free", () -> guard.address(peer(inside)).isEmpty());
        Socket third = from("127.0.0.7");
        Socket thirdInside = accepted();
        works(third, thirdInside);
        assertThat(isClosed(first)).isTrue();
        works(second, secondInside);
    }

    @Test
    void oneAddressLeavesRoomForOthers() throws IOException {
        Thread.ofVirtual().start(this::echo);
        for (int i = 0; i < 20; i++) {
            from("127.0.0.7");
        }
        for (String address : List.of("127.0.0.8", "127.0.0.9")) {
            Socket client = from(address);
            client.getOutputStream().write('a');
            assertThat(client.getInputStream().read()).isEqualTo('a');
        }
    }

    private void echo() {
        while (!server.isClosed()) {
            try {
                Socket inside = server.accept();
                Thread.ofVirtual().start(() -> echo(inside));
            } catch (IOException e) {
                return; // the test is over
            }
        }
    }

    private static void echo(Socket inside) {
        try (inside) {
            inside.getInputStream().transferTo(inside.getOutputStream());
        } catch (IOException e) {
            return; // its client is gone
        }
    }
}
