package org.spillway.head.web;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Requests as they stand on the wire, with whatever Host a stranger would send. */
final class PlainHttp {
    private static final int PATIENCE_MILLIS = 30_000;
    private final int port;

    PlainHttp(int port) {
        this.port = port;
    }

    /** @param headers each {@code Name: value}; the Host is ours unless it is among them */
    Answer ask(String method, String path, String... headers) throws IOException {
        try (var socket = open(method, path, headers)) {
            var text = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int end = text.indexOf("\r\n\r\n");
            return new Answer(List.of(text.substring(0, end).split("\r\n")), text.substring(end + 4));
        }
    }

    /** The connection of a request that was sent and not read. */
    Socket open(String method, String path, String... headers) throws IOException {
        var lines = new ArrayList<>(List.of(headers));
        if (lines.stream().noneMatch(line -> line.startsWith("Host:"))) {
            lines.add("Host: 127.0.0.1:" + port);
        }
        lines.add("Content-Length: 0");
        lines.add("Connection: close");
        var socket = new Socket(InetAddress.getByName("127.0.0.1"), port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        var request = method + " " + path + " HTTP/1.1\r\n" + String.join("\r\n", lines) + "\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    /** Reads on until a line has this in it. */
    static String lineWith(BufferedReader reader, String text) throws IOException {
        for (var line = reader.readLine(); line != null; line = reader.readLine()) {
            if (line.contains(text)) {
                return line;
            }
        }
        throw new IOException("the stream ended without '" + text + "'");
    }

    static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    record Answer(List<String> head, String body) {
        int status() {
            return Integer.parseInt(head.getFirst().split(" ", 3)[1]);
        }

        /** Empty when it is not there. */
        String header(String name) {
            var start = name.toLowerCase(Locale.ROOT) + ": ";
            return head.stream()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(start))
                    .map(line -> line.substring(start.length()))
                    .findFirst()
                    .orElse("");
        }
    }
}
