package org.spillway.head.bootstrap;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import org.apache.sshd.server.Environment;
import org.apache.sshd.server.ExitCallback;
import org.apache.sshd.server.channel.ChannelSession;
import org.apache.sshd.server.command.Command;

/** {@code /bin/sh -c COMMAND} in a folder, as sshd does it. */
final class TestCommand implements Command {
    private final String command;
    private final Path folder;
    private InputStream in;
    private OutputStream out;
    private OutputStream err;
    private ExitCallback callback;

    TestCommand(String command, Path folder) {
        this.command = command;
        this.folder = folder;
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
    public void setExitCallback(ExitCallback exit) {
        callback = exit;
    }

    @Override
    public void start(ChannelSession channel, Environment environment) throws IOException {
        var process = new ProcessBuilder("/bin/sh", "-c", command)
                .directory(folder.toFile())
                .start();
        Thread.ofVirtual().start(() -> pump(in, process.getOutputStream(), true));
        var output = Thread.ofVirtual().start(() -> pump(process.getInputStream(), out, false));
        var errors = Thread.ofVirtual().start(() -> pump(process.getErrorStream(), err, false));
        Thread.ofVirtual().start(() -> {
            try {
                output.join();
                errors.join();
                callback.onExit(process.waitFor());
            } catch (InterruptedException e) {
                callback.onExit(255);
            }
        });
    }

    private static void pump(InputStream from, OutputStream to, boolean close) {
        try {
            byte[] buffer = new byte[8192];
            for (int n = from.read(buffer); n >= 0; n = from.read(buffer)) {
                to.write(buffer, 0, n);
                to.flush();
            }
            if (close) {
                to.close();
            }
        } catch (IOException otherSideIsGone) {
            // The command sees the end of its streams, and that is all that is wanted.
            return;
        }
    }

    @Override
    public void destroy(ChannelSession channel) {
        // As with sshd without a terminal: what was started goes on.
    }
}
