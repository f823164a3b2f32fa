package org.spillway.head.bootstrap;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import org.apache.sshd.client.channel.ChannelExec;
import org.apache.sshd.client.session.ClientSession;

/** Standard input and output of a command that runs over there for as long as somebody wants it. */
public final class RemoteStream implements Closeable {
    private final ChannelExec channel;

    private RemoteStream(ChannelExec channel) {
        this.channel = channel;
    }

    static RemoteStream open(ClientSession session, String command, Duration limit) throws IOException {
        ChannelExec channel = session.createExecChannel(command);
        try {
            channel.setErr(OutputStream.nullOutputStream());
            channel.open().verify(limit);
            return new RemoteStream(channel);
        } catch (IOException | RuntimeException failed) {
            channel.close(true);
            throw failed;
        }
    }

    /** Bytes that it writes. */
    public InputStream in() {
        return channel.getInvertedOut();
    }

    /** Bytes that it reads. */
    public OutputStream out() {
        return channel.getInvertedIn();
    }

    /** The command finds the end of its input, and ends. */
    @Override
    public void close() {
        channel.close(true);
    }
}
