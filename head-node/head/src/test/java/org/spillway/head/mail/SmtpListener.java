package org.spillway.head.mail;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** A mail server that keeps what it gets, on a port of 127.0.0.1. */
public final class SmtpListener implements AutoCloseable {
    private final ServerSocket listening;
    private final @Nullable SSLContext tls;
    /** All that was said, command by command; letters as {@code DATA:} and their text. */
    public final List<String> said = new CopyOnWriteArrayList<>();

    public final List<String> letters = new CopyOnWriteArrayList<>();
    /** Answers recipients with this instead of 250; empty to take them. */
    public volatile String refusal = "";

    /** @param tls offered by STARTTLS; null for none */
    public SmtpListener(@Nullable SSLContext tls) throws IOException {
        this.tls = tls;
        this.listening = new ServerSocket();
        listening.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
        Thread.ofVirtual().name("smtp").start(this::accept);
    }

    public int port() {
        return listening.getLocalPort();
    }

    private void accept() {
        while (!listening.isClosed()) {
            try {
                Socket one = listening.accept();
                Thread.ofVirtual().start(() -> {
                    try (one) {
                        serve(one, true);
                    } catch (IOException gone) {
                        said.add("cut: " + gone.getMessage());
                    }
                });
            } catch (IOException closed) {
                return;
            }
        }
    }

    private void serve(Socket socket, boolean greets) throws IOException {
        var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        var out = socket.getOutputStream();
        if (greets) {
            say(out, "220 sink");
        }
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            said.add(line);
            String verb = line.split(" ", 2)[0].toUpperCase(Locale.ROOT);
            switch (verb) {
                case "EHLO" -> say(out, "250-sink", tls == null ? "250 8BITMIME" : "250 STARTTLS");
                case "STARTTLS" -> {
                    say(out, "220 go ahead");
                    secure(socket);
                    return;
                }
                case "RCPT" -> say(out, refusal.isEmpty() ? "250 ok" : refusal);
                case "DATA" -> {
                    say(out, "354 end with a dot");
                    letters.add(letter(in));
                    say(out, "250 taken");
                }
                case "QUIT" -> {
                    say(out, "221 bye");
                    return;
                }
                default -> say(out, "250 ok");
            }
        }
    }

    private void secure(Socket socket) throws IOException {
        if (tls == null) {
            throw new IOException("no TLS here");
        }
        try (SSLSocket inside = (SSLSocket) tls.getSocketFactory().createSocket(socket, null, socket.getPort(), true)) {
            inside.setUseClientMode(false);
            inside.startHandshake();
            said.add("TLS");
            serve(inside, false);
        }
    }

    private static String letter(BufferedReader in) throws IOException {
        var text = new StringBuilder();
        for (String line = in.readLine(); line != null && !line.equals("."); line = in.readLine()) {
            text.append(line).append('\n');
        }
        return text.toString();
    }

    private static void say(OutputStream out, String... lines) throws IOException {
        out.write((String.join("\r\n", lines) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    @Override
    public void close() {
        try {
            listening.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
