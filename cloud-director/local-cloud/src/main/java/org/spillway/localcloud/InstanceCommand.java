package org.spillway.localcloud;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import org.apache.sshd.server.Environment;
import org.apache.sshd.server.ExitCallback;
import org.apache.sshd.server.channel.ChannelSession;
import org.apache.sshd.server.command.Command;
import org.jspecify.annotations.Nullable;

/**
 * An exec channel: {@code /bin/sh -c COMMAND} in the instance. Like OpenSSH without a terminal, the end of the channel
 * kills nothing; it closes the pipes.
 */
final class InstanceCommand implements Command {
    private static final int BUFFER_BYTES = 32 * 1024;
    /** A background child may hold the pipes open after the command has ended. */
    private static final Duration LAST_OUTPUT = Duration.ofMillis(500);

    /** Starts the command's process if the instance still runs. */
    interface Starter {
        Process start(String command) throws IOException;
    }

    private final String command;
    private final Starter starter;
    private @Nullable InputStream in;
    private @Nullable OutputStream out;
    private @Nullable OutputStream err;
    private @Nullable ExitCallback callback;
    private volatile @Nullable Process process;

    InstanceCommand(String command, Starter starter) {
        this.command = command;
        this.starter = starter;
    }

    @Override
    public void setInputStream(InputStream stream) {
        in = stream;
    }

    @Override
    public void setOutputStream(OutputStream stream) {
        out = stream;
    }

    @Override
    public void setErrorStream(OutputStream stream) {
        err = stream;
    }

    @Override
    public void setExitCallback(ExitCallback exitCallback) {
        callback = exitCallback;
    }

    @Override
    public void start(ChannelSession channel, Environment environment) throws IOException {
        InputStream input = in;
        OutputStream output = out;
        OutputStream error = err;
        ExitCallback exit = callback;
        if (input == null || output == null || error == null || exit == null) {
            throw new IOException("channel is not connected");
        }
        Process started = starter.start(command);
        process = started;
        Thread.startVirtualThread(() -> pump(input, started.getOutputStream(), true));
        Thread stdout = Thread.startVirtualThread(() -> pump(started.getInputStream(), output, false));
        Thread stderr = Thread.startVirtualThread(() -> pump(started.getErrorStream(), error, false));
        Thread.startVirtualThread(() -> finish(started, stdout, stderr, exit));
    }

    private static void finish(Process process, Thread stdout, Thread stderr, ExitCallback exit) {
        try {
            int code = process.waitFor();
            boolean complete = stdout.join(LAST_OUTPUT) && stderr.join(LAST_OUTPUT);
            exit.onExit(code, complete ? "" : "a background process still holds the output");
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            exit.onExit(255, "interrupted");
        }
    }

    private static void pump(InputStream from, OutputStream to, boolean close) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
                to.write(buffer, 0, n);
                to.flush();
            }
            if (close) {
                to.close();
            }
        } catch (IOException otherSideIsGone) {
            closeQuietly(close ? to : from);
        }
    }

    @Override
    public void destroy(ChannelSession channel) {
        Process running = process;
        if (running != null) {
            closeQuietly(running.getOutputStream());
        }
    }

    private static void closeQuietly(AutoCloseable stream) {
        try {
            stream.close();
        } catch (Exception alreadyBroken) {
            // Nothing is lost: the other side has gone, or the process has ended.
            return;
        }
    }
}
